// Mode drain: holds WebSockets and event streams, has the server stop (SIGTERM), and notes when each is closed, with which
// code, and when it was told to come back.
#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LONGEST = 600 };

struct held {
    char tail[1024];  // the last bytes received
    size_t length;
    double closed;  // seconds after the signal; 0 = open
    int is_stream;
};

static int open_stream(const struct options *options, int index) {
    char buffer[16384];
    int descriptor = start_connecting(options, index);
    wait_for(descriptor, POLLOUT);
    const char *token = options->tokens[index % options->token_count];
    int length = snprintf(buffer, sizeof buffer, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n",
                          options->path, token);
    if (send(descriptor, buffer, (size_t)length, MSG_NOSIGNAL) != length) fail("send: %s", strerror(errno));
    wait_for(descriptor, POLLIN);
    ssize_t received = recv(descriptor, buffer, sizeof buffer - 1, 0);
    buffer[received > 0 ? received : 0] = 0;
    if (strncmp(buffer, "HTTP/1.1 200", 12)) fail("stream %d was refused: %s", index, buffer);
    return descriptor;
}

// Whether the process has ended: gone, or waiting for its parent to take note.
static int has_ended(int pid) {
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file) return 1;
    char *rest = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    fclose(file);
    return !rest || rest[2] == 'Z';
}

// Takes what has come; true when the connection is over.
static int receive(int descriptor, struct held *held) {
    static char buffer[65536];
    static const unsigned char answer[] = {0x88, 0x82, 0, 0, 0, 0, 0x03, 0xF4};  // a masked close, 1012
    ssize_t received = recv(descriptor, buffer, sizeof buffer, MSG_DONTWAIT);
    if (received < 0) return errno != EAGAIN && errno != EINTR;
    if (!received) {
        if (!held->is_stream) send(descriptor, answer, sizeof answer, MSG_NOSIGNAL);
        return 1;
    }
    size_t count = (size_t)received, room = sizeof held->tail - 1;
    const char *from = buffer;
    if (count > room) from += count - room, count = room;
    if (held->length + count > room) {
        size_t drop = held->length + count - room;
        memmove(held->tail, held->tail + drop, held->length - drop);
        held->length -= drop;
    }
    memcpy(held->tail + held->length, from, count);
    held->length += count;
    held->tail[held->length] = 0;
    return 0;
}

static int code_of(const struct held *held) {
    const char *mark;
    if (held->is_stream) {
        mark = memmem(held->tail, held->length, "\"code\":", 7);
        return mark ? atoi(mark + 7) : 0;
    }
    mark = memmem(held->tail, held->length, "restart", 7);
    if (!mark || mark - held->tail < 4) return 0;
    return (unsigned char)mark[-2] << 8 | (unsigned char)mark[-1];
}

static void print_curve(const char *name, const int *seconds) {
    int last = LONGEST;
    while (last > 0 && !seconds[last]) last--;
    printf(",\"%s\":[", name);
    for (int i = 0; i <= last; i++) printf("%s%d", i ? "," : "", seconds[i]);
    printf("]");
}

void run_drain(const struct options *options) {
    int total = options->connections + options->streams;
    struct pollfd *entries = calloc((size_t)total, sizeof *entries);
    struct held *held = calloc((size_t)total, sizeof *held);
    if (!entries || !held) fail("out of memory");
    if (!options->pid || !options->token_count) fail("--pid and --tokens are needed");
    for (int i = 0; i < total; i++) {
        held[i].is_stream = i >= options->connections;
        int descriptor = held[i].is_stream ? open_stream(options, i) : open_connection(options, i);
        entries[i] = (struct pollfd){.fd = descriptor, .events = POLLIN};
    }

    double start = seconds_now(), ended = 0;
    kill(options->pid, SIGTERM);
    int open = total;
    while ((open || !ended) && seconds_now() - start < LONGEST) {
        poll(entries, (nfds_t)total, 20);
        double now = seconds_now() - start;
        for (int i = 0; i < total; i++) {
            if (entries[i].fd < 0 || !entries[i].revents || !receive(entries[i].fd, &held[i])) continue;
            close(entries[i].fd);
            entries[i].fd = -1;
            held[i].closed = now;
            open--;
        }
        if (!ended && has_ended(options->pid)) ended = now;
    }

    int closes[LONGEST + 1] = {0}, returns[LONGEST + 1] = {0}, restarts = 0, longest = 0;
    for (int i = 0; i < total; i++) {
        const char *retry = memmem(held[i].tail, held[i].length, "retry=", 6);
        int delay = retry ? atoi(retry + 6) : 0;
        if (delay > longest) longest = delay;
        restarts += code_of(&held[i]) == 1012 && retry;
        double back = held[i].closed + delay / 1000.0;
        closes[held[i].closed < LONGEST ? (int)held[i].closed : LONGEST]++;
        returns[back < LONGEST ? (int)back : LONGEST]++;
    }
    printf("{\"mode\":\"drain\",\"websockets\":%d,\"streams\":%d,\"closed\":%d,\"restart_1012\":%d,\"longest_retry_ms\":%d,"
           "\"exit_seconds\":%.2f",
           options->connections, options->streams, total - open, restarts, longest, ended);
    print_curve("closes_each_second", closes);
    print_curve("returns_each_second", returns);
    printf("}\n");
    if (open || restarts < total) fail("%d connections stayed open, %d had no 1012 with a delay", open, total - restarts);
}
