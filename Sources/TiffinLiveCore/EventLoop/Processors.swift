import CEpoll

/// The processors that this process may use.
enum Processors {
    /// By the affinity mask, which container runtimes and `taskset` narrow; at least 1.
    static var available: Int { max(1, Int(tiffin_processor_count())) }
}
