// Mode revoke: users with several connections on two servers are revoked one after another through Redis; timed is from
// sending PUBLISH to having the last of the user's close frames.
#define _GNU_SOURCE
#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// FIRST_USER: the subject of the first token that tokens.c makes; the others count up from it.
enum { PER_USER = 4, FIRST_USER = 100000 };

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static int connect_redis(int port) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address))
        fail("redis on port %d: %s", port, strerror(errno));
    return descriptor;
}

// Reads until the close frame with 4003 is there. Frames of a server are not masked (RFC 6455 section 5.1).
static void await_revoked(int descriptor) {
    unsigned char bytes[4096];
    size_t length = 0;
    while (length < sizeof bytes) {
        wait_for(descriptor, POLLIN);
        ssize_t received = recv(descriptor, bytes + length, sizeof bytes - length, 0);
        if (received < 0 && errno == EAGAIN) continue;
        if (received <= 0) fail("a connection ended without 4003");
        length += (size_t)received;
        for (size_t at = 0; at + 2 <= length && bytes[at + 1] < 126; at += 2u + bytes[at + 1]) {
            if (bytes[at] != 0x88) continue;
            if (at + 4 > length) break;
            if (bytes[at + 2] << 8 != (4003 & 0xFF00) || bytes[at + 3] != (4003 & 0xFF)) fail("closed with another code");
            return;
        }
    }
    fail("no close frame among what came");
}

static void publish(int redis, int user, int receivers) {
    char command[256], json[96];
    int size = snprintf(json, sizeof json, "{\"user_id\":%d,\"reason\":\"suspended\"}", FIRST_USER + user);
    int length = snprintf(command, sizeof command, "*3\r\n$7\r\nPUBLISH\r\n$11\r\nrevocations\r\n$%d\r\n%s\r\n", size, json);
    if (send(redis, command, (size_t)length, MSG_NOSIGNAL) != length) fail("PUBLISH: %s", strerror(errno));
    ssize_t received = recv(redis, command, sizeof command - 1, 0);
    if (received <= 0) fail("no answer to PUBLISH");
    command[received] = 0;
    if (atoi(command + 1) != receivers) fail("heard by other than %d servers: %s", receivers, command);
}

void run_revoke(const struct options *options) {
    int users = options->connections / PER_USER, count = options->count ? options->count : 500;
    if (count > users || users > options->token_count) fail("more users than connections or tokens");
    int *descriptors = calloc((size_t)(users * PER_USER), sizeof *descriptors);
    double *times = calloc((size_t)count, sizeof *times);
    if (!descriptors || !times) fail("out of memory");
    struct options second = *options;
    if (options->second_port) second.port = options->second_port;
    // The connections of a user alternate between the servers.
    for (int user = 0; user < users; user++)
        for (int i = 0; i < PER_USER; i++)
            descriptors[user * PER_USER + i] = open_connection(i % 2 ? &second : options, user);
    int redis = connect_redis(options->redis_port);
    for (int user = 0; user < count; user++) {
        double start = seconds_now();
        publish(redis, user, options->second_port ? 2 : 1);
        for (int i = 0; i < PER_USER; i++) await_revoked(descriptors[user * PER_USER + i]);
        times[user] = seconds_now() - start;
        for (int i = 0; i < PER_USER; i++) close(descriptors[user * PER_USER + i]);
        usleep(10000);
    }
    qsort(times, (size_t)count, sizeof *times, by_size);
    printf("{\"mode\":\"revoke\",\"connections\":%d,\"users\":%d,\"revoked\":%d,\"connections_each\":%d,"
           "\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"max_ms\":%.3f}\n",
           users * PER_USER, users, count, PER_USER, times[count / 2] * 1e3, times[(count * 99 - 1) / 100] * 1e3,
           times[count - 1] * 1e3);
}
