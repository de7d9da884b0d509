import Glibc

/// Whether the tests and the program beside them are built with AddressSanitizer or ThreadSanitizer. Freed memory is held
/// back then, or shadowed, so that the resident size says nothing of what the server keeps.
enum SanitizedRun {
    static let isActive = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
}
