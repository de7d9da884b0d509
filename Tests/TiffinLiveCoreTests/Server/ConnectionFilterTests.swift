import Testing

@testable import TiffinLiveCore

@Suite("The filter of the list of connections")
struct ConnectionFilterTests {
    private func read(_ query: String) throws -> ConnectionFilter? {
        let target = try Array("/connections\(query)".utf8).withUnsafeBytes { bytes throws(HTTPError) in
            try RequestTarget.read(bytes, isOptions: false)
        }
        return ConnectionFilter(query: target.query)
    }

    @Test("no query asks for all, a page at a time")
    func empty() throws {
        for query in ["", "?", "?&"] { #expect(try read(query) == ConnectionFilter()) }
        #expect(ConnectionFilter().limit == ConnectionFilter.maximumLimit)
    }

    @Test("every parameter is taken, in any order, decoded once")
    func all() throws {
        var filter = ConnectionFilter()
        filter.user = "5521"
        filter.role = "rider"
        filter.topic = "orders:1%"
        filter.route = "/orders/{order}/events"
        filter.limit = 7
        filter.after = 0xE87B_E31D_D8E8_958B
        let query = "?after=e87be31dd8e8958b&route=/orders/{order}/events&user=5521&limit=7"
        #expect(try read(query + "&topic=orders%3A1%25&role=rider") == filter)
    }

    @Test("an empty condition is a condition")
    func emptyValue() throws {
        #expect(try read("?role=")?.role == "")
        #expect(try read("?user")?.user == "")
    }

    @Test(
        "names of connections are hexadecimal, with their zeros or without",
        arguments: [("0", 0), ("000000000000001f", 31), ("1F", 31), ("ffffffffffffffff", UInt64.max)])
    func names(text: String, name: UInt64) throws {
        #expect(try read("?after=\(text)")?.after == name)
    }

    @Test(
        "what is unknown, doubled or malformed is refused",
        arguments: [
            "usr=1", "User=1", "user=1&user=1", "user=1&role=a&user=2", "limit=", "limit=0", "limit=1001", "limit=-1",
            "limit=+1", "limit=1.0", "limit=0x10", "limit=a", "limit=99999999999999999999", "limit=1&limit=1",
            "after=", "after=g", "after=-1", "after=+1", "after=0x1", "after=00000000000000001", "after=%20", "=1",
            "user[]=1", "offset=10", "limit=1000000000000000",
        ])
    func refused(query: String) throws {
        #expect(try read("?" + query) == nil)
    }
}
