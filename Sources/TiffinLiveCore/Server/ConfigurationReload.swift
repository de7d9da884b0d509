/// What a reload makes of a configuration that was read anew (contract section 3): each key that has another value takes
/// effect, or keeps its old value until the next start.
struct ConfigurationReload: Sendable {
    /// In force from now on.
    let configuration: ServerConfiguration
    /// The keys that take effect, in alphabetical order.
    let changed: [String]
    /// The keys that need a restart.
    let pending: [String]

    init(from running: ServerConfiguration, to read: ServerConfiguration) {
        var configuration = read
        var changed: [String] = []
        var pending: [String] = []
        for (key, setting) in ConfigurationSetting.all.sorted(by: { $0.key < $1.key }) {
            guard !setting.field.isSame(running, read) else { continue }
            if ConfigurationSetting.needsRestart(key, from: running, to: read) {
                pending.append(key)
                setting.field.copy(running, &configuration)
            } else {
                changed.append(key)
            }
        }
        self.configuration = configuration
        self.changed = changed
        self.pending = pending
    }
}
