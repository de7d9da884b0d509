// What the modes of the load generator share. See load.c for its use.
#ifndef TIFFIN_LOAD_H
#define TIFFIN_LOAD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct options {
    int port;
    int second_port;  // revoke: of the second server; 0 = none
    int redis_port;   // revoke
    const char *path;
    int pid;          // the server's process; 0 = unknown, no figures of it
    int connections;  // echo, connect, revoke: held; handshake: in flight
    int size;         // bytes of a message
    int depth;        // messages in flight on one connection
    int count;        // handshake: this many and no more, 0 = as many as the time allows; revoke: users
    int streams;      // drain: event streams beside the WebSockets
    int status;       // handshake: the status that counts as success
    int forge;        // handshake: from so many addresses, each attempt with a signature of its own; 0 = the tokens as they are
    int rate;         // handshake, fleet: so many a second; handshake: 0 = as many as there is room for
    int admin;        // fleet: the port of the admin listener
    const char *topic;  // fleet: what all connections listen to
    double seconds;
    char **tokens;
    int token_count;
};

// Ends the program with a sentence.
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

double seconds_now(void);

// CPU time of a process so far in microseconds, user and system; resolution 10 ms.
double cpu_microseconds(int pid);

// Memory of a process that is its alone, in bytes.
long private_dirty(int pid);

void read_tokens(struct options *options, const char *file);

// A non-blocking socket on its way to the server. Source addresses change every 20,000 connections for want of ports;
// those of forgers with each connection.
int start_connecting(const struct options *options, int index);

// The opening handshake of connection `index`, with its token; returns the length.
size_t request(const struct options *options, int index, char *buffer, size_t capacity);

// Waits for readiness; fails after 10 s.
void wait_for(int descriptor, short events);

// Connects and upgrades, waiting; fails unless the answer is 101. What came behind the head is dropped.
int open_connection(const struct options *options, int index);

// Each runs one measurement and prints one line of JSON.
void run_echo(const struct options *options);
void run_connect(const struct options *options);
void run_handshake(const struct options *options);
void run_fleet(const struct options *options);
void run_revoke(const struct options *options);
void run_drain(const struct options *options);

#endif
