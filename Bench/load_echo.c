// Mode echo: every connection keeps `depth` messages in flight; what comes back is compared byte by byte.
#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { EVENTS = 512, BUFFER = 256 << 10 };

struct connection {
    int descriptor;
    size_t offset;  // into the frame that is coming in
};

static uint8_t *sent_frames, *expected;
static size_t sent_length, expected_length;

static size_t frame_head(uint8_t *to, size_t length, uint8_t mask) {
    to[0] = 0x81;
    if (length < 126) {
        to[1] = (uint8_t)(mask | length);
        return 2;
    }
    if (length < 65536) {
        to[1] = mask | 126;
        to[2] = (uint8_t)(length >> 8);
        to[3] = (uint8_t)length;
        return 4;
    }
    to[1] = mask | 127;
    for (int i = 0; i < 8; i++) to[2 + i] = (uint8_t)(length >> (56 - 8 * i));
    return 10;
}

// A masked frame, `depth` times in a row, and the frame that must come back.
static void make_frames(size_t length, size_t depth) {
    static const uint8_t key[4] = {0x37, 0xFA, 0x21, 0x3D};
    expected = malloc(length + 10);
    sent_frames = malloc((length + 14) * depth);
    if (!expected || !sent_frames) fail("out of memory");
    size_t head = frame_head(expected, length, 0);
    for (size_t i = 0; i < length; i++) expected[head + i] = (uint8_t)('a' + i % 26);
    expected_length = head + length;
    uint8_t *to = sent_frames;
    for (size_t n = 0; n < depth; n++) {
        to += frame_head(to, length, 0x80);
        memcpy(to, key, 4);
        to += 4;
        for (size_t i = 0; i < length; i++) *to++ = expected[head + i] ^ key[i & 3];
    }
    sent_length = (size_t)(to - sent_frames) / depth;
}

static void send_frames(struct connection *c, size_t count) {
    size_t length = sent_length * count, done = 0;
    while (done < length) {
        ssize_t sent = send(c->descriptor, sent_frames + done, length - done, MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN) wait_for(c->descriptor, POLLOUT);
        else if (sent < 0) fail("send: %s", strerror(errno));
        else done += (size_t)sent;
    }
}

// Takes what has come; returns the messages that became complete.
static size_t receive(struct connection *c, uint8_t *buffer) {
    ssize_t received = recv(c->descriptor, buffer, BUFFER, 0);
    if (received < 0 && errno == EAGAIN) return 0;
    if (received <= 0) fail("the server ended a connection");
    size_t done = 0, messages = 0;
    while (done < (size_t)received) {
        size_t piece = expected_length - c->offset;
        if (piece > (size_t)received - done) piece = (size_t)received - done;
        if (memcmp(buffer + done, expected + c->offset, piece)) fail("an echo differs from what was sent");
        done += piece;
        c->offset += piece;
        if (c->offset == expected_length) {
            c->offset = 0;
            messages++;
        }
    }
    return messages;
}

void run_echo(const struct options *options) {
    static uint8_t buffer[BUFFER];
    make_frames((size_t)options->size, (size_t)options->depth);
    struct connection *connections = calloc((size_t)options->connections, sizeof *connections);
    if (!connections) fail("out of memory");
    int poller = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < options->connections; i++) {
        connections[i].descriptor = open_connection(options, i);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &connections[i]};
        if (epoll_ctl(poller, EPOLL_CTL_ADD, connections[i].descriptor, &event)) fail("epoll: %s", strerror(errno));
    }
    for (int i = 0; i < options->connections; i++) send_frames(&connections[i], (size_t)options->depth);

    // One second to warm up, then the measurement.
    double start = seconds_now() + 1, cpu = 0, now;
    long long messages = -1;
    struct epoll_event events[EVENTS];
    while ((now = seconds_now()) < start + options->seconds) {
        if (messages < 0 && now >= start) {
            start = now;
            cpu = cpu_microseconds(options->pid);
            messages = 0;
        }
        int count = epoll_wait(poller, events, EVENTS, 1000);
        if (count == 0) fail("no echo for a second");
        for (int i = 0; i < count; i++) {
            struct connection *c = events[i].data.ptr;
            size_t complete = receive(c, buffer);
            if (messages >= 0) messages += (long long)complete;
            if (complete) send_frames(c, complete);
        }
    }
    double seconds = now - start;
    cpu = cpu_microseconds(options->pid) - cpu;
    printf("{\"mode\":\"echo\",\"connections\":%d,\"size\":%d,\"depth\":%d,\"seconds\":%.2f,\"messages\":%lld,"
           "\"per_second\":%.0f,\"server_cpu_us\":%.3f}\n",
           options->connections, options->size, options->depth, seconds, messages, (double)messages / seconds,
           cpu / (double)messages);
}
