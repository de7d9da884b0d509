import Testing

@testable import TiffinLiveCore

@Suite("Contract 8: what an app may say")
struct ClientMessageTests {
    /// A message in one line, or what is wrong with it.
    private static func read(_ text: String) -> String {
        let buffer = ByteBuffer()
        buffer.append(text)
        do throws(ClientMessage.Fault) {
            switch try ClientMessage.read(buffer.bytes) {
            case .auth(let token): return "auth \(token)"
            case .subscribe(let topic, let after, let ref): return "subscribe \(topic) \(after ?? "-") \(show(ref))"
            case .unsubscribe(let topic, let ref): return "unsubscribe \(topic) \(show(ref))"
            case .ping(let ref): return "ping \(show(ref))"
            case .application(let type, let ref, let body):
                return "application \(type) \(show(ref)) \(body.members.map(\.name).joined(separator: ","))"
            }
        } catch {
            return "fault \(show(error.ref))"
        }
    }

    private static func show(_ ref: JSONValue?) -> String {
        guard let ref else { return "-" }
        let buffer = ByteBuffer()
        JSONWriter.append(ref, to: buffer)
        return String(decoding: buffer.array, as: UTF8.self)
    }

    static let long = String(repeating: "x", count: 128)

    @Test(
        "is read",
        arguments: [
            (#"{"type":"auth","token":"abc"}"#, "auth abc"),
            (#" { "token" : "abc" , "type" : "auth" , "more" : [1] } "#, "auth abc"),
            (#"{"type":"subscribe","topic":"orders:123"}"#, "subscribe orders:123 - -"),
            (#"{"type":"subscribe","topic":"orders:123","after":"1-0","ref":"7"}"#, #"subscribe orders:123 1-0 "7""#),
            (#"{"type":"subscribe","topic":"a","after":null}"#, "subscribe a - -"),
            (#"{"type":"subscribe","topic":"","after":""}"#, "subscribe   -"),
            (#"{"type":"unsubscribe","topic":"a","ref":7}"#, "unsubscribe a 7"),
            (#"{"type":"ping"}"#, "ping -"),
            (#"{"type":"ping","ref":1.50}"#, "ping 1.50"),
            (#"{"type":"ping","ref":123456789012345678901234567890}"#, "ping 123456789012345678901234567890"),
            (#"{"type":"ping","ref":""}"#, #"ping """#),
            (#"{"type":"accept","ref":"7","offer":981}"#, #"application accept "7" type,ref,offer"#),
            (#"{"type":"AUTH","token":"x"}"#, "application AUTH - type,token"),
            (#"{"type":"\u0061uth","token":"x"}"#, "auth x"),
            (#"{"type":"welcome"}"#, "application welcome - type"),
            (#"{"type":"\#(long)"}"#, "application \(long) - type"),
            (#"{"type":"ping","ref":"\#(long)"}"#, #"ping "\#(long)""#),
        ])
    func good(text: String, message: String) {
        #expect(Self.read(text) == message)
    }

    @Test(
        "is refused, with its reference when that much can be read",
        arguments: [
            ("", "fault -"), ("nonsense", "fault -"), ("null", "fault -"), ("5", "fault -"), ("[]", "fault -"),
            (#""auth""#, "fault -"), ("{}", "fault -"), (#"{"type":"ping""#, "fault -"),
            (#"{"type":"ping"}}"#, "fault -"),
            (#"{"type":"ping"} {"type":"ping"}"#, "fault -"), ("\u{FEFF}{\"type\":\"ping\"}", "fault -"),
            (#"{"type":"ping","type":"auth"}"#, "fault -"), (#"{"type":"ping","ref":1,"ref":2}"#, "fault -"),
            (#"{"type":"ping","\u0074ype":"auth"}"#, "fault -"),
            (#"{"type":"ping",}"#, "fault -"), (#"{'type':'ping'}"#, "fault -"), (#"{"type":"ping"/**/}"#, "fault -"),
            (#"{"ref":"7"}"#, #"fault "7""#), (#"{"type":null,"ref":7}"#, "fault 7"),
            (#"{"type":5,"ref":7}"#, "fault 7"),
            (#"{"type":"","ref":7}"#, "fault 7"), (#"{"type":"\#(long)x","ref":7}"#, "fault 7"),
            (#"{"type":["ping"],"ref":7}"#, "fault 7"), (#"{"Type":"ping","ref":7}"#, "fault 7"),
            (#"{"type":"ping","ref":null}"#, "fault -"), (#"{"type":"ping","ref":true}"#, "fault -"),
            (#"{"type":"ping","ref":{}}"#, "fault -"), (#"{"type":"ping","ref":["7"]}"#, "fault -"),
            (#"{"type":"ping","ref":"\#(long)x"}"#, "fault -"),
            (#"{"type":"ping","ref":1\#(long)}"#, "fault -"),
            (#"{"type":"auth","ref":7}"#, "fault 7"), (#"{"type":"auth","token":7,"ref":7}"#, "fault 7"),
            (#"{"type":"subscribe","ref":7}"#, "fault 7"), (#"{"type":"subscribe","topic":7}"#, "fault -"),
            (#"{"type":"subscribe","topic":["a"]}"#, "fault -"),
            (#"{"type":"subscribe","topic":"a","after":5,"ref":7}"#, "fault 7"),
            (#"{"type":"subscribe","topic":"a","after":{}}"#, "fault -"),
            (#"{"type":"unsubscribe","ref":7}"#, "fault 7"), (#"{"type":"unsubscribe","topic":null}"#, "fault -"),
        ])
    func bad(text: String, fault: String) {
        #expect(Self.read(text) == fault)
    }

    @Test("a position of any length is one that is none")
    func longPosition() {
        let text = #"{"type":"subscribe","topic":"a","after":"\#(Self.long)x"}"#
        #expect(Self.read(text) == "subscribe a  -")
    }

    @Test("nesting is limited")
    func depth() {
        func nested(_ depth: Int) -> String {
            #"{"type":"x","a":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
        }
        #expect(Self.read(nested(20)).hasPrefix("application"))
        #expect(Self.read(nested(40)) == "fault -")
        #expect(Self.read(nested(30_000)) == "fault -")
    }
}
