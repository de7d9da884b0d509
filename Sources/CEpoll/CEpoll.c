#define _GNU_SOURCE

#include "CEpoll.h"

#include <linux/sockios.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int tiffin_stream_socket(int family) {
    return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

int tiffin_accept(int listener, void *address, uint32_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int tiffin_unsent_bytes(int descriptor) {
    int bytes = 0;
    return ioctl(descriptor, SIOCOUTQ, &bytes) == 0 ? bytes : -1;
}

int tiffin_processor_count(void) {
    /* cpu_set_t ends at 1,024 processors; a bigger machine answers EINVAL until the mask is big enough. */
    for (size_t processors = CPU_SETSIZE; processors <= (size_t)1 << 16; processors *= 4) {
        cpu_set_t *mask = CPU_ALLOC(processors);
        if (mask == NULL) {
            return -1;
        }
        size_t size = CPU_ALLOC_SIZE(processors);
        int count = sched_getaffinity(0, size, mask) == 0 ? CPU_COUNT_S(size, mask) : -1;
        CPU_FREE(mask);
        if (count > 0) {
            return count;
        }
    }
    return -1;
}

void tiffin_name_thread(const char *name) {
    char cut[16];
    strncpy(cut, name, sizeof cut - 1);
    cut[sizeof cut - 1] = '\0';
    pthread_setname_np(pthread_self(), cut);
}

const char *tiffin_error_text(int code, char *buffer, size_t capacity) {
    return strerror_r(code, buffer, capacity);
}
