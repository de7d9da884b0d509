// Mode connect: opens connections one after another, holds them, and reads what each costs the server in memory.
#define _GNU_SOURCE
#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

void run_connect(const struct options *options) {
    static char buffer[65536];
    int *descriptors = calloc((size_t)options->connections, sizeof *descriptors);
    if (!descriptors) fail("out of memory");
    // A hundred connections come and go first, so that what a server sets up once is not counted.
    int warm = options->connections < 100 ? options->connections : 100;
    for (int i = 0; i < warm; i++) descriptors[i] = open_connection(options, i);
    for (int i = 0; i < warm; i++) close(descriptors[i]);
    sleep(1);

    long before = private_dirty(options->pid);
    double cpu = cpu_microseconds(options->pid), start = seconds_now();
    for (int i = 0; i < options->connections; i++) descriptors[i] = open_connection(options, i);
    double took = seconds_now() - start;
    cpu = cpu_microseconds(options->pid) - cpu;
    usleep((useconds_t)(options->seconds * 1e6));
    long after = private_dirty(options->pid);

    // What has been ended meanwhile is no held connection.
    int held = 0;
    for (int i = 0; i < options->connections; i++) {
        ssize_t received;
        while ((received = recv(descriptors[i], buffer, sizeof buffer, MSG_DONTWAIT)) > 0) {}
        held += received < 0;
    }
    if (held < options->connections) fail("%d of %d connections were ended", options->connections - held, options->connections);
    printf("{\"mode\":\"connect\",\"connections\":%d,\"opened_per_second\":%.0f,\"server_cpu_us\":%.1f,"
           "\"private_dirty_before\":%ld,\"private_dirty_after\":%ld,\"bytes_per_connection\":%.0f}\n",
           options->connections, options->connections / took, cpu / options->connections, before, after,
           (double)(after - before) / options->connections);
}
