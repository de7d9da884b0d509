// What the modes of the load generator share: connections, tokens, readings of the server's process.
#define _GNU_SOURCE
#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef IP_BIND_ADDRESS_NO_PORT
#define IP_BIND_ADDRESS_NO_PORT 24
#endif

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("load: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    exit(1);
}

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double cpu_microseconds(int pid) {
    if (!pid) return 0;
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(line, sizeof line, file)) fail("the server (process %d) is gone", pid);
    fclose(file);
    // The name in parentheses may hold anything: count from its end. utime and stime are fields 14 and 15.
    unsigned long user = 0, system = 0;
    const char *rest = strrchr(line, ')');
    if (!rest || sscanf(rest + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
        fail("cannot read %s", path);
    return (double)(user + system) * 1e6 / (double)sysconf(_SC_CLK_TCK);
}

long private_dirty(int pid) {
    if (!pid) return 0;
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", pid);
    FILE *file = fopen(path, "r");
    if (!file) fail("cannot read %s: %s", path, strerror(errno));
    long kilobytes = -1;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "Private_Dirty: %ld", &kilobytes) == 1) break;
    }
    fclose(file);
    if (kilobytes < 0) fail("no Private_Dirty in %s", path);
    return kilobytes * 1024;
}

void read_tokens(struct options *options, const char *file) {
    FILE *stream = fopen(file, "r");
    if (!stream) fail("cannot read %s: %s", file, strerror(errno));
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    int room = 0;
    while ((length = getline(&line, &capacity, stream)) > 0) {
        if (line[length - 1] == '\n') line[--length] = 0;
        if (!length) continue;
        if (options->token_count == room) {
            room = room ? room * 2 : 64;
            options->tokens = realloc(options->tokens, (size_t)room * sizeof *options->tokens);
            if (!options->tokens) fail("out of memory");
        }
        options->tokens[options->token_count++] = strdup(line);
    }
    free(line);
    fclose(stream);
    if (!options->token_count) fail("no token in %s", file);
}

int start_connecting(const struct options *options, int index) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
    if (descriptor < 0) fail("socket: %s", strerror(errno));
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_addr.s_addr = options->forge ? htonl(0x7F000101u + (uint32_t)(index % options->forge))
                                             : htonl(0x7F000001u + (uint32_t)(index / 20000 % 200));
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address)) fail("bind: %s", strerror(errno));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)options->port);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) && errno != EINPROGRESS)
        fail("connect: %s", strerror(errno));
    return descriptor;
}

// Writes a number into the middle of a signature.
static void forge(char *token, int index) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t length = strlen(token);
    if (length < 80) fail("a token is too short");
    for (int i = 0; i < 5; i++) token[length - 40 + (size_t)i] = letters[index >> (6 * i) & 63];
}

size_t request(const struct options *options, int index, char *buffer, size_t capacity) {
    char *token = options->token_count ? options->tokens[index % options->token_count] : NULL;
    if (token && options->forge) forge(token, index);
    int length = snprintf(buffer, capacity,
                          "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n%s%s%s\r\n",
                          options->path, options->port, token ? "Authorization: Bearer " : "", token ? token : "",
                          token ? "\r\n" : "");
    if (length < 0 || (size_t)length >= capacity) fail("a token is too long");
    return (size_t)length;
}

void wait_for(int descriptor, short events) {
    struct pollfd entry = {.fd = descriptor, .events = events};
    int ready = poll(&entry, 1, 10000);
    if (ready < 0) fail("poll: %s", strerror(errno));
    if (ready == 0) fail("no answer from the server within 10 s");
}

int open_connection(const struct options *options, int index) {
    char buffer[16384];
    int descriptor = start_connecting(options, index);
    wait_for(descriptor, POLLOUT);
    size_t length = request(options, index, buffer, sizeof buffer);
    if (send(descriptor, buffer, length, MSG_NOSIGNAL) != (ssize_t)length) fail("send: %s", strerror(errno));
    length = 0;
    while (!memmem(buffer, length, "\r\n\r\n", 4)) {
        wait_for(descriptor, POLLIN);
        ssize_t received = recv(descriptor, buffer + length, sizeof buffer - 1 - length, 0);
        if (received <= 0) fail("connection %d ended in its handshake", index);
        length += (size_t)received;
        buffer[length] = 0;
    }
    if (strncmp(buffer, "HTTP/1.1 101", 12)) fail("connection %d was refused: %s", index, buffer);
    return descriptor;
}
