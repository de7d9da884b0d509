import Glibc

/// Whether the tests and the program beside them are built with AddressSanitizer or ThreadSanitizer. Freed memory is held
/// back then, or shadowed, so that the resident size says nothing of what the server keeps.
enum SanitizedRun {
    static let isActive = ["__asan_init", "__tsan_init"].contains { dlsym(nil, $0) != nil }
}
