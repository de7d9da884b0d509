#ifndef TIFFIN_CEPOLL_H
#define TIFFIN_CEPOLL_H
#include <sys/epoll.h>
#endif
