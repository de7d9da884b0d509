// Mode fleet: good clients that only want their events, and newcomers at a steady rate; how late both are served. Ten events
// a second are published, each to all connections, with the time in it.
#define _GNU_SOURCE
#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 512, EVENTS_A_SECOND = 10, NEWCOMERS = 256 };

struct client {
    int descriptor;
    int is_newcomer;
    int index;
    int is_sent;
    double begun;
    size_t length;
    char bytes[4096];
};

struct delays {
    double *all;
    size_t count, room;
};

static int poller;
static struct delays deliveries, handshakes;

static void note(struct delays *delays, double seconds) {
    if (delays->count == delays->room) {
        delays->room = delays->room ? delays->room * 2 : 4096;
        delays->all = realloc(delays->all, delays->room * sizeof *delays->all);
        if (!delays->all) fail("out of memory");
    }
    delays->all[delays->count++] = seconds;
}

static int compare(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void print(const char *name, struct delays *delays) {
    if (!delays->count) fail("no %s", name);
    qsort(delays->all, delays->count, sizeof *delays->all, compare);
    printf("\"%s\":%zu,\"%s_p50_ms\":%.2f,\"%s_p99_ms\":%.2f,\"%s_max_ms\":%.2f", name, delays->count, name,
           delays->all[delays->count / 2] * 1e3, name, delays->all[delays->count * 99 / 100] * 1e3, name,
           delays->all[delays->count - 1] * 1e3);
}

static void watch(struct client *client, unsigned events, int operation) {
    struct epoll_event event = {.events = events, .data.ptr = client};
    if (epoll_ctl(poller, operation, client->descriptor, &event)) fail("epoll: %s", strerror(errno));
}

static void receive(struct client *client) {
    ssize_t count = recv(client->descriptor, client->bytes + client->length, sizeof client->bytes - 1 - client->length,
                         MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) fail("a good client was sent away");
    client->length += (size_t)count;
    client->bytes[client->length] = 0;
}

// Takes the frames that are whole; each event says when it was published.
static void take_frames(struct client *client) {
    unsigned char *bytes = (unsigned char *)client->bytes;
    size_t start = 0;
    while (client->length - start >= 4) {
        size_t head = bytes[start + 1] == 126 ? 4 : 2;
        size_t size = head == 2 ? bytes[start + 1] : (size_t)bytes[start + 2] << 8 | bytes[start + 3];
        if ((bytes[start] & 15) == 8) fail("a good client was sent away with a close");
        if (client->length - start < head + size) break;
        const char *at = memmem(bytes + start + head, size, "\"at\":", 5);
        if (at) note(&deliveries, seconds_now() - strtod(at + 5, NULL));
        start += head + size;
    }
    client->length -= start;
    memmove(bytes, bytes + start, client->length);
}

// Goes on with a newcomer's handshake, and lets it go when it is in.
static void proceed(const struct options *options, struct client *client) {
    if (!client->is_sent) {
        char head[16384];
        size_t length = request(options, client->index, head, sizeof head);
        if (send(client->descriptor, head, length, MSG_NOSIGNAL) != (ssize_t)length) fail("send: %s", strerror(errno));
        client->is_sent = 1;
        watch(client, EPOLLIN, EPOLL_CTL_MOD);
        return;
    }
    receive(client);
    if (!memmem(client->bytes, client->length, "\r\n\r\n", 4)) return;
    if (strncmp(client->bytes, "HTTP/1.1 101", 12)) fail("a newcomer was refused: %s", client->bytes);
    note(&handshakes, seconds_now() - client->begun);
    struct linger linger = {.l_onoff = 1, .l_linger = 0};
    setsockopt(client->descriptor, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    close(client->descriptor);
    client->descriptor = -1;
}

static void publish(const struct options *options, int descriptor) {
    char body[512], head[1024];
    int length = snprintf(body, sizeof body, "{\"topic\":\"%s\",\"event\":\"tick\",\"data\":{\"at\":%.6f}}", options->topic,
                          seconds_now());
    int size = snprintf(head, sizeof head, "POST /publish HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s",
                        length, body);
    if (send(descriptor, head, (size_t)size, MSG_NOSIGNAL) != size) fail("the admin listener takes nothing");
}

void run_fleet(const struct options *options) {
    struct client *clients = calloc((size_t)options->connections, sizeof *clients);
    struct client *newcomers = calloc(NEWCOMERS, sizeof *newcomers);
    if (!clients || !newcomers) fail("out of memory");
    poller = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < options->connections; i++) {
        clients[i].descriptor = open_connection(options, i);
        watch(&clients[i], EPOLLIN, EPOLL_CTL_ADD);
    }
    for (int i = 0; i < NEWCOMERS; i++) newcomers[i] = (struct client){.descriptor = -1, .is_newcomer = 1};
    struct options admin_options = *options;
    admin_options.port = options->admin;
    struct client admin = {.descriptor = start_connecting(&admin_options, 0)};
    wait_for(admin.descriptor, POLLOUT);
    watch(&admin, EPOLLIN, EPOLL_CTL_ADD);

    double start = seconds_now();
    int published = 0, begun = 0, late = 0;
    struct epoll_event events[EVENTS];
    for (double elapsed = 0; elapsed < options->seconds + 1; elapsed = seconds_now() - start) {
        // The last second is for what is still on its way.
        int is_running = elapsed < options->seconds;
        for (; is_running && elapsed * EVENTS_A_SECOND >= published; published++) publish(options, admin.descriptor);
        for (; is_running && elapsed * options->rate >= begun; begun++) {
            struct client *client = &newcomers[begun % NEWCOMERS];
            if (client->descriptor >= 0) {
                late++;
                continue;
            }
            int index = options->connections + begun;
            *client = (struct client){.descriptor = start_connecting(options, index), .is_newcomer = 1, .index = index,
                                      .begun = seconds_now()};
            watch(client, EPOLLOUT, EPOLL_CTL_ADD);
        }
        int count = epoll_wait(poller, events, EVENTS, 1);
        for (int i = 0; i < count; i++) {
            struct client *client = events[i].data.ptr;
            if (client->is_newcomer) {
                proceed(options, client);
            } else {
                receive(client);
                if (client == &admin) client->length = 0;
                else take_frames(client);
            }
        }
    }
    size_t wanted = (size_t)published * (size_t)options->connections;
    if (deliveries.count != wanted) fail("%zu deliveries in place of %zu", deliveries.count, wanted);
    printf("{\"mode\":\"fleet\",\"connections\":%d,", options->connections);
    print("deliveries", &deliveries);
    printf(",");
    print("handshakes", &handshakes);
    printf(",\"late\":%d}\n", late);
}
