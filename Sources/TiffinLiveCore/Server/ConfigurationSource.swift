/// Where a configuration comes from, so that it can be read again: a file, and the overrides of the command line.
package struct ConfigurationSource: Sendable {
    let path: String?
    let overrides: [String]

    package init(path: String?, overrides: [String] = []) {
        self.path = path
        self.overrides = overrides
    }

    /// As it is in the file now; blocks on it.
    package func load() throws(ConfigurationFaults) -> ServerConfiguration {
        try ServerConfiguration.load(path: path, overrides: overrides)
    }
}
