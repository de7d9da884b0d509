import Glibc

/// What the process uses of the machine, under the names that Prometheus gives to these figures everywhere. Read in a
/// few system calls, whatever the number of connections.
struct ProcessMetrics: Equatable, Sendable {
    /// User and system time.
    var processorTime: Nanoseconds = 0
    /// Nil where the kernel does not tell without being asked for each (before Linux 6.2).
    var openDescriptors: Int?
    /// The soft limit on open files.
    var descriptorLimit = 0
    var residentBytes = 0
    var virtualBytes = 0

    static func read() -> ProcessMetrics {
        var metrics = ProcessMetrics()
        metrics.processorTime = Clock.processor()
        // The size of this folder is the number of its entries since Linux 6.2, and was 0 before.
        var folder = stat()
        if stat("/proc/self/fd", &folder) == 0, folder.st_size > 0 { metrics.openDescriptors = Int(folder.st_size) }
        metrics.descriptorLimit = (try? DescriptorLimit.current().soft) ?? 0
        let page = sysconf(Int32(_SC_PAGESIZE))
        let pages = ((try? SecretReference.file("/proc/self/statm").read()) ?? []).split(separator: ASCII.space)
            .prefix(2).compactMap { Int(String(decoding: $0, as: UTF8.self)) }
        if pages.count == 2, page > 0 {
            metrics.virtualBytes = pages[0].multipliedReportingOverflow(by: page).partialValue
            metrics.residentBytes = pages[1].multipliedReportingOverflow(by: page).partialValue
        }
        return metrics
    }
}
