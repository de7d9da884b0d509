/// Everything that is wrong with a configuration, in the order of the file; never empty.
public struct ConfigurationFaults: Error, Equatable, Sendable, CustomStringConvertible {
    public let faults: [ConfigurationFault]

    init(_ faults: [ConfigurationFault]) {
        self.faults = faults
    }

    /// One fault a line.
    public var description: String {
        faults.map(\.description).joined(separator: "\n")
    }
}
