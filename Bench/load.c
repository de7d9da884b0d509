// A load generator for WebSocket servers on this machine: one run, one line of JSON on standard output.
//
//     load echo      --port P --path /echo [--pid PID] [-n 200] [--size 20] [--depth 1] [--seconds 5] [--tokens FILE]
//     load connect   --port P --path /x    [--pid PID] [-n 10000] [--seconds 1] [--tokens FILE]
//     load handshake --port P --path /x    [--pid PID] [-n 32] [--seconds 5 | --count C] [--status 101]
//                    [--rate R] [--forge N] [--tokens FILE]
//     load fleet     --port P --path /x --admin P --topic T [-n 1000] [--seconds 5] [--rate 20] [--tokens FILE]
//     load revoke    --port P --second-port Q --redis-port R --path /x [-n 10000] [--count 500] --tokens FILE
//     load drain     --port P --path /x    --pid PID   [-n 2000] [--streams 500] --tokens FILE
//
// -n: connections held, or handshakes in flight. --tokens: one a line, taken in turn, sent as bearer tokens. --pid: the
// server's process, whose CPU time per message or handshake (server_cpu_us) and memory per connection are reported.
// --forge: every attempt has a signature of its own that does not verify, N addresses (127.0.1.x) attack, and both 401
// and 429 are right.
// fleet: how late events are, and new handshakes (--rate, a second).
// A wrong echo, a refusal or a connection that ends before its time ends the run with status 1.
#include "load.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int number(const char *name, const char *text, int minimum) {
    char *end;
    long value = strtol(text, &end, 10);
    if (!*text || *end || value < minimum || value > 100000000) fail("%s %s: not a number that fits", name, text);
    return (int)value;
}

static void read_option(struct options *options, const char *name, const char *value) {
    if (!strcmp(name, "--port")) options->port = number(name, value, 1);
    else if (!strcmp(name, "--second-port")) options->second_port = number(name, value, 1);
    else if (!strcmp(name, "--redis-port")) options->redis_port = number(name, value, 1);
    else if (!strcmp(name, "--path")) options->path = value;
    else if (!strcmp(name, "--pid")) options->pid = number(name, value, 1);
    else if (!strcmp(name, "-n")) options->connections = number(name, value, 1);
    else if (!strcmp(name, "--size")) options->size = number(name, value, 0);
    else if (!strcmp(name, "--depth")) options->depth = number(name, value, 1);
    else if (!strcmp(name, "--count")) options->count = number(name, value, 1);
    else if (!strcmp(name, "--streams")) options->streams = number(name, value, 0);
    else if (!strcmp(name, "--status")) options->status = number(name, value, 100);
    else if (!strcmp(name, "--forge")) options->forge = number(name, value, 1);
    else if (!strcmp(name, "--rate")) options->rate = number(name, value, 1);
    else if (!strcmp(name, "--admin")) options->admin = number(name, value, 1);
    else if (!strcmp(name, "--topic")) options->topic = value;
    else if (!strcmp(name, "--seconds")) options->seconds = number(name, value, 0);
    else if (!strcmp(name, "--tokens")) read_tokens(options, value);
    else fail("unknown option %s", name);
}

int main(int argc, char **argv) {
    if (argc < 2) fail("usage: load echo|connect|handshake|fleet|revoke|drain --port P --path /x … (see the head of load.c)");
    const char *mode = argv[1];
    int is_echo = !strcmp(mode, "echo"), is_connect = !strcmp(mode, "connect"), is_handshake = !strcmp(mode, "handshake");
    int is_fleet = !strcmp(mode, "fleet"), is_revoke = !strcmp(mode, "revoke"), is_drain = !strcmp(mode, "drain");
    if (!is_echo && !is_connect && !is_handshake && !is_fleet && !is_revoke && !is_drain)
        fail("unknown mode %s", mode);
    struct options options = {.path = "/", .size = 20, .depth = 1, .status = 101, .rate = is_fleet ? 20 : 0};
    options.connections = is_echo ? 200 : is_handshake ? 32 : is_fleet ? 1000 : is_drain ? 2000 : 10000;
    options.streams = is_drain ? 500 : 0;
    options.seconds = is_connect ? 1 : 5;
    for (int i = 2; i < argc; i += 2) {
        if (i + 1 == argc) fail("%s wants a value", argv[i]);
        read_option(&options, argv[i], argv[i + 1]);
    }
    if (!options.port) fail("--port is missing");
    if (is_fleet && (!options.admin || !options.topic)) fail("--admin or --topic is missing");

    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if ((rlim_t)options.connections + (rlim_t)options.streams + 20 > limit.rlim_max)
        fail("%d connections need more open files than the limit of %llu", options.connections,
             (unsigned long long)limit.rlim_max);

    if (is_echo) run_echo(&options);
    else if (is_connect) run_connect(&options);
    else if (is_handshake) run_handshake(&options);
    else if (is_fleet) run_fleet(&options);
    else if (is_revoke) run_revoke(&options);
    else run_drain(&options);
    return 0;
}
