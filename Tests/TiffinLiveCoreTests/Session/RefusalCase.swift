import Testing

@testable import TiffinLiveCore

/// A request with the answer that it must get.
struct RefusalCase: Sendable, CustomTestStringConvertible {
    let name: String
    let request: @Sendable (SessionHarness) -> [UInt8]
    let status: Int
    let error: String
    var fields: [String: String] = [:]

    var testDescription: String { name }

    init(
        _ name: String, _ status: Int, _ error: String, fields: [String: String] = [:],
        _ request: @escaping @Sendable (SessionHarness) -> [UInt8]
    ) {
        self.name = name
        self.request = request
        self.status = status
        self.error = error
        self.fields = fields
    }
}
