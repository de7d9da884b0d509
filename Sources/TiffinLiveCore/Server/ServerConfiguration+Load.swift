extension ServerConfiguration {
    /// The configuration of the file at `path` (nil: the defaults alone) with `overrides` of the form `key=value`
    /// applied in their order. All faults are found, not just the first.
    public static func load(path: String?, overrides: [String] = []) throws(ConfigurationFaults) -> ServerConfiguration
    {
        var bytes: [UInt8]?
        if let path {
            do {
                bytes = try SecretReference.file(path).read()
            } catch {
                throw ConfigurationFaults([ConfigurationFault(source: path, message: error.message)])
            }
        }
        return try load(text: bytes, file: path ?? "", overrides: overrides)
    }

    /// The same from the bytes of a file.
    static func load(
        text: [UInt8]?, file: String, overrides: [String] = []
    ) throws(ConfigurationFaults) -> ServerConfiguration {
        var loader = ConfigurationLoader()
        if let text { loader.apply(text, file: file) }
        for override in overrides { loader.apply(override: override) }
        return try loader.finish()
    }
}
