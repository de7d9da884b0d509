/// `POST /publish` (contract section 9): one event or an array of them, in and out, with Idempotency-Key.
final class Publisher {
    /// Longest topic and event name, in bytes.
    private static let nameLimit = 256

    private let backend: any Backend
    private var idempotency = IdempotencyCache<SHA256Digest>()
    /// Events taken since the start.
    private(set) var count: UInt64 = 0

    init(backend: any Backend) {
        self.backend = backend
    }

    func publish(
        _ body: [UInt8], idempotencyKey key: String?, now: Moment, answer: @escaping (HTTPResponse) -> Void
    ) {
        guard let json = try? JSONReader.read(body) else { return answer(.json(400, error: "bad_json")) }
        guard let key else { return publish(json, now: now, answer: answer) }
        guard !key.isEmpty, key.utf8.count <= IdempotencyCache<SHA256Digest>.maximumKeyBytes else {
            return answer(.json(400, error: "bad_idempotency_key"))
        }
        switch idempotency.begin(key: key, digest: Digest.sha256(body), now: now.monotonic) {
        case .conflict: answer(.json(409, error: "idempotency_conflict"))
        case .underway: answer(.json(409, error: "idempotency_underway"))
        case .repeated(let bytes): answer(.json(200, body: bytes))
        case .new:
            publish(json, now: now) { [self] response in
                if response.status == 200 {
                    idempotency.store(answer: response.body, key: key)
                } else {
                    idempotency.forget(key: key)
                }
                answer(response)
            }
        }
    }

    /// All or nothing as far as reading goes: a batch with a faulty item publishes none of it.
    private func publish(_ json: JSONValue, now: Moment, answer: @escaping (HTTPResponse) -> Void) {
        let isBatch = json.arrayValue != nil
        let items = json.arrayValue ?? [json]
        var publications: [Publication] = []
        for item in items {
            guard let publication = Self.read(item) else { return answer(.json(400, error: "bad_event")) }
            publications.append(publication)
        }
        var ids = [EventID?](repeating: nil, count: publications.count)
        var missing = publications.count
        guard missing > 0 else { return answer(.json(.array([]))) }
        for (index, publication) in publications.enumerated() {
            backend.publish(publication, now: now) { [self] id in
                ids[index] = id
                missing -= 1
                if id != nil { count += 1 }
                guard missing == 0 else { return }
                guard !ids.contains(nil) else { return answer(.json(503, error: "unavailable")) }
                let answers = ids.map { JSONValue.object(["id": .string($0?.description ?? "")]) }
                answer(.json(isBatch ? .array(answers) : answers[0]))
            }
        }
    }

    private static func read(_ item: JSONValue) -> Publication? {
        guard let object = item.objectValue, let topic = object["topic"]?.stringValue, isName(topic),
            let data = object["data"]
        else { return nil }
        let name: String
        switch object["event"] {
        case nil, .null?: name = "message"
        case .string(let text)? where isName(text): name = text
        default: return nil
        }
        // A string is published as its text, so that an event stream carries it bare.
        if case .string(let text) = data {
            return Publication(topic: topic, name: name, data: Array(text.utf8), isJSON: false)
        }
        return Publication(topic: topic, name: name, data: data.bytes, isJSON: true)
    }

    /// Visible ASCII or beyond, no blanks: what fits a line of an event stream and a Redis channel alike.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= nameLimit
            && text.utf8.allSatisfy { $0 > ASCII.space && $0 != ASCII.delete }
    }
}
