#include "CBuild.h"

#ifndef TIFFIN_COMMIT
#define TIFFIN_COMMIT "unknown"
#endif

#ifdef DEBUG
#define CONFIGURATION "debug"
#else
#define CONFIGURATION "release"
#endif

#if __has_feature(address_sanitizer)
#define SANITIZER ", address sanitizer"
#elif __has_feature(thread_sanitizer)
#define SANITIZER ", thread sanitizer"
#else
#define SANITIZER ""
#endif

#ifdef TIFFIN_BUILD
#define MORE ", " TIFFIN_BUILD
#else
#define MORE ""
#endif

const char *tiffin_build_commit(void) {
    return TIFFIN_COMMIT;
}

const char *tiffin_build_flags(void) {
    return CONFIGURATION SANITIZER MORE;
}
