#ifndef TIFFIN_CEPOLL_H
#define TIFFIN_CEPOLL_H

/*
 * What the event loop needs from Linux and `import Glibc` does not show: epoll, eventfd, inotify and signalfd come
 * through these headers, GNU extensions through functions. The constants are exported again with one type each.
 * _GNU_SOURCE is defined in CEpoll.c only: in a header that Swift imports it would clash with the Glibc module.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>

static const uint32_t TIFFIN_EPOLLIN = EPOLLIN;
static const uint32_t TIFFIN_EPOLLOUT = EPOLLOUT;
static const uint32_t TIFFIN_EPOLLERR = EPOLLERR;
static const uint32_t TIFFIN_EPOLLHUP = EPOLLHUP;
static const uint32_t TIFFIN_EPOLLRDHUP = EPOLLRDHUP;
static const uint32_t TIFFIN_EPOLLEXCLUSIVE = EPOLLEXCLUSIVE;
static const int32_t TIFFIN_EPOLL_CLOEXEC = EPOLL_CLOEXEC;
static const int32_t TIFFIN_EFD_FLAGS = EFD_CLOEXEC | EFD_NONBLOCK;
static const int32_t TIFFIN_SFD_FLAGS = SFD_CLOEXEC | SFD_NONBLOCK;
static const int32_t TIFFIN_IN_FLAGS = IN_CLOEXEC | IN_NONBLOCK;

/* Everything by which a directory may lead to another file, or the file to another content. */
static const uint32_t TIFFIN_IN_CHANGES = IN_CLOSE_WRITE | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                                          IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

/* socket(2) for a stream; the new descriptor is non-blocking and closes on exec. */
int tiffin_stream_socket(int family);

/* accept4(2): the new descriptor is non-blocking and closes on exec. `address` has room for a sockaddr_storage. */
int tiffin_accept(int listener, void *address, uint32_t *length);

/* Bytes that the peer has not acknowledged or that were not sent yet (SIOCOUTQ), or -1. */
int tiffin_unsent_bytes(int descriptor);

/* Processors in the affinity mask of the calling thread, or -1. */
int tiffin_processor_count(void);

/* Names the calling thread; the kernel keeps 15 bytes. */
void tiffin_name_thread(const char *name);

/* Text of an error number; thread-safe. `buffer` is used when the text is not a constant. */
const char *tiffin_error_text(int code, char *buffer, size_t capacity);

#endif
