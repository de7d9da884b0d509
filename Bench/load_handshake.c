// Mode handshake: connect, upgrade, read the answer, reset, and again, with a number of them in flight, as many as there is
// room for or at a rate.
#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 512 };

struct slot {
    int descriptor;
    int index;
    int sent;
    size_t length;
    int status;
    char head[2048];
};

static int poller;

static void begin(const struct options *options, struct slot *slot, int index) {
    slot->descriptor = start_connecting(options, index);
    slot->index = index;
    slot->sent = 0;
    slot->length = 0;
    struct epoll_event event = {.events = EPOLLOUT, .data.ptr = slot};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, slot->descriptor, &event)) fail("epoll: %s", strerror(errno));
}

// Goes on with one handshake; 1 when its answer is complete.
static int proceed(const struct options *options, struct slot *slot) {
    if (!slot->sent) {
        char head[16384];
        size_t length = request(options, slot->index, head, sizeof head);
        if (send(slot->descriptor, head, length, MSG_NOSIGNAL) != (ssize_t)length) fail("send: %s", strerror(errno));
        slot->sent = 1;
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = slot};
        epoll_ctl(poller, EPOLL_CTL_MOD, slot->descriptor, &event);
        return 0;
    }
    ssize_t received = recv(slot->descriptor, slot->head + slot->length, sizeof slot->head - 1 - slot->length, 0);
    if (received < 0 && errno == EAGAIN) return 0;
    if (received <= 0) fail("a connection ended in its handshake");
    slot->length += (size_t)received;
    slot->head[slot->length] = 0;
    if (!memmem(slot->head, slot->length, "\r\n\r\n", 4)) {
        if (slot->length == sizeof slot->head - 1) fail("an answer without an end");
        return 0;
    }
    slot->status = atoi(slot->head + 9);
    if (slot->status != options->status && !(options->forge && slot->status == 429))
        fail("wanted %d, got: %s", options->status, slot->head);
    return 1;
}

// RST, so that no port waits in TIME_WAIT.
static void end(struct slot *slot) {
    struct linger linger = {.l_onoff = 1, .l_linger = 0};
    setsockopt(slot->descriptor, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    close(slot->descriptor);
}

void run_handshake(const struct options *options) {
    int slots = options->connections;
    struct slot *all = calloc((size_t)slots, sizeof *all), **idle = calloc((size_t)slots, sizeof *idle);
    if (!all || !idle) fail("out of memory");
    for (int i = 0; i < slots; i++) idle[i] = &all[i];
    poller = epoll_create1(EPOLL_CLOEXEC);
    double cpu = cpu_microseconds(options->pid), start = seconds_now();
    int idle_count = slots, begun = 0, done = 0, limited = 0, stopped = 0;
    struct epoll_event events[EVENTS];
    while (!stopped || done < begun) {
        double elapsed = seconds_now() - start;
        stopped = stopped || (options->count ? begun == options->count : elapsed >= options->seconds);
        while (!stopped && idle_count && (!options->count || begun < options->count) &&
               (!options->rate || elapsed * options->rate >= begun))
            begin(options, idle[--idle_count], begun++);
        int is_waiting = options->rate && !stopped;
        int count = epoll_wait(poller, events, EVENTS, is_waiting ? 1 : done < begun ? 10000 : 0);
        if (count == 0 && !is_waiting && done < begun) fail("no answer from the server within 10 s");
        for (int i = 0; i < count; i++) {
            struct slot *slot = events[i].data.ptr;
            if (!proceed(options, slot)) continue;
            end(slot);
            done++;
            limited += slot->status == 429;
            idle[idle_count++] = slot;
        }
    }
    double seconds = seconds_now() - start;
    cpu = cpu_microseconds(options->pid) - cpu;
    printf("{\"mode\":\"handshake\",\"in_flight\":%d,\"tokens\":%d,\"handshakes\":%d,\"limited\":%d,\"seconds\":%.2f,"
           "\"per_second\":%.0f,\"server_cpu_us\":%.1f}\n",
           slots, options->token_count, done, limited, seconds, done / seconds, cpu / done);
}
