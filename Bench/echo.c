// A plain C WebSocket echo server: the yardstick that tiffin-live is measured against. One thread, epoll, one receive
// and one output buffer for all connections, one send per receive. It does as little as RFC 6455 lets it: no routes, no
// tokens, no UTF-8 check, no time-outs, no fragments beyond echoing each frame as it came.
//
//     echo PORT        prints "listening PORT" once ready; 0 takes a free port
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

enum { INPUT_SIZE = 512 << 10, EVENTS = 512 };
static const size_t MESSAGE_LIMIT = 16u << 20;

// What has come and is incomplete, and what could not be sent, exist only while they are not empty.
struct connection {
    int descriptor;
    int open;
    uint8_t *input;
    size_t input_length;
    uint8_t *output;
    size_t output_length;
};

static int poller;
static uint8_t receive_buffer[INPUT_SIZE];
static uint8_t *joined, *output;
static size_t joined_capacity, output_capacity, output_length;

static void *grown(void *buffer, size_t *capacity, size_t needed) {
    if (needed <= *capacity) return buffer;
    *capacity = needed * 2;
    buffer = realloc(buffer, *capacity);
    if (!buffer) abort();
    return buffer;
}

static void drop(struct connection *c) {
    close(c->descriptor);
    free(c->input);
    free(c->output);
    free(c);
}

static void append(const void *bytes, size_t count) {
    output = grown(output, &output_capacity, output_length + count);
    memcpy(output + output_length, bytes, count);
    output_length += count;
}

// Returns how many bytes the handshake took, 0 when it is incomplete, -1 when it is none.
static ssize_t handshake(const uint8_t *bytes, size_t count) {
    static const char name[] = "\r\nsec-websocket-key:";
    const uint8_t *end = memmem(bytes, count, "\r\n\r\n", 4);
    if (!end) return count > 32768 ? -1 : 0;
    const char *key = NULL;
    for (const uint8_t *p = bytes; p + sizeof name - 1 < end && !key; p++)
        if (!strncasecmp((const char *)p, name, sizeof name - 1)) key = (const char *)p + sizeof name - 1;
    if (!key) return -1;
    while (*key == ' ') key++;
    char text[64];
    uint8_t digest[EVP_MAX_MD_SIZE], accept[64];
    int length = snprintf(text, sizeof text, "%.24s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
    EVP_Digest(text, (size_t)length, digest, NULL, EVP_sha1(), NULL);
    EVP_EncodeBlock(accept, digest, 20);
    char response[256];
    length = snprintf(response, sizeof response,
                      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                      "Sec-WebSocket-Accept: %s\r\n\r\n", accept);
    append(response, (size_t)length);
    return end + 4 - bytes;
}

// Echoes one frame; returns the bytes it took, 0 when it is incomplete, -1 when it is broken or the connection ends.
static ssize_t frame(const uint8_t *bytes, size_t count) {
    if (count < 6) return 0;
    if (!(bytes[1] & 0x80)) return -1;
    size_t length = bytes[1] & 0x7F, head = 2;
    if (length == 126) {
        length = (size_t)bytes[2] << 8 | bytes[3];
        head = 4;
    } else if (length == 127) {
        if (count < 14) return 0;
        length = 0;
        for (int i = 2; i < 10; i++) length = length << 8 | bytes[i];
        head = 10;
    }
    if (length > MESSAGE_LIMIT) return -1;
    if (count < head + 4 + length) return 0;
    uint8_t first = bytes[0];
    if ((first & 0x0F) == 0x9) first = (uint8_t)((first & 0xF0) | 0xA);
    uint8_t unmasked[10];
    memcpy(unmasked, bytes, head);
    unmasked[0] = first;
    unmasked[1] &= 0x7F;
    append(unmasked, head);
    output = grown(output, &output_capacity, output_length + length + 8);
    uint32_t half;
    memcpy(&half, bytes + head, 4);
    uint64_t key = (uint64_t)half << 32 | half;
    const uint8_t *from = bytes + head + 4;
    uint8_t *to = output + output_length;
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        uint64_t word;
        memcpy(&word, from + i, 8);
        word ^= key;
        memcpy(to + i, &word, 8);
    }
    for (; i < length; i++) to[i] = from[i] ^ bytes[head + (i & 3)];
    output_length += length;
    return (first & 0x0F) == 0x8 ? -1 : (ssize_t)(head + 4 + length);
}

static void set_interest(struct connection *c, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = c};
    epoll_ctl(poller, EPOLL_CTL_MOD, c->descriptor, &event);
}

// Sends; keeps what the socket does not take and then waits for room in place of input. 0 when the connection is lost.
static int flush(struct connection *c, const uint8_t *bytes, size_t count) {
    ssize_t sent = count ? send(c->descriptor, bytes, count, MSG_NOSIGNAL) : 0;
    if (sent < 0 && errno != EAGAIN) return 0;
    if (sent < 0) sent = 0;
    size_t left = count - (size_t)sent;
    uint8_t *rest = NULL;
    if (left) {
        if (!(rest = malloc(left))) return 0;
        memcpy(rest, bytes + sent, left);
    }
    if (!c->output_length != !left) set_interest(c, left ? EPOLLOUT : EPOLLIN);
    free(c->output);
    c->output = rest;
    c->output_length = left;
    return 1;
}

static void ready(struct connection *c, uint32_t events) {
    if (events & EPOLLOUT) {
        if (!flush(c, c->output, c->output_length)) drop(c);
        return;
    }
    ssize_t received = recv(c->descriptor, receive_buffer, sizeof receive_buffer, 0);
    if (received < 0 && errno == EAGAIN) return;
    if (received <= 0) return drop(c);
    const uint8_t *bytes = receive_buffer;
    size_t count = (size_t)received, used = 0;
    if (c->input_length) {
        joined = grown(joined, &joined_capacity, c->input_length + count);
        memcpy(joined, c->input, c->input_length);
        memcpy(joined + c->input_length, receive_buffer, count);
        bytes = joined;
        count += c->input_length;
    }
    output_length = 0;
    ssize_t taken = 0;
    while (used < count) {
        taken = c->open ? frame(bytes + used, count - used) : handshake(bytes + used, count - used);
        if (taken <= 0) break;
        c->open = 1;
        used += (size_t)taken;
    }
    free(c->input);
    c->input = NULL;
    c->input_length = count - used;
    if (c->input_length && taken >= 0) {
        if (!(c->input = malloc(c->input_length))) abort();
        memcpy(c->input, bytes + used, c->input_length);
    }
    if (!flush(c, output, output_length) || taken < 0) drop(c);
}

static void accept_all(int listener) {
    int descriptor;
    while ((descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        struct connection *c = calloc(1, sizeof *c);
        if (!c) abort();
        c->descriptor = descriptor;
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
        epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event);
    }
}

int main(int argc, char **argv) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)(argc > 1 ? atoi(argv[1]) : 0))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    socklen_t length = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 4096) ||
        getsockname(listener, (struct sockaddr *)&address, &length)) {
        perror("echo");
        return 1;
    }
    poller = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[EVENTS];
    epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
    printf("listening %d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        int count = epoll_wait(poller, events, EVENTS, -1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr) ready(events[i].data.ptr, events[i].events);
            else accept_all(listener);
        }
    }
}
