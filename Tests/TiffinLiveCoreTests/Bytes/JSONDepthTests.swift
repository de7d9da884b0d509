import CEpoll
import Glibc
import Testing

@testable import TiffinLiveCore

@Suite("JSON reader: nesting")
struct JSONDepthTests {
    private static func arrays(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    private static func objects(_ depth: Int) -> String {
        String(repeating: "{\"a\":", count: depth) + "0" + String(repeating: "}", count: depth)
    }

    @Test("is allowed up to 32 levels unless told otherwise")
    func standardLimit() {
        #expect(JSONText.error(Self.arrays(32)) == nil)
        #expect(JSONText.error(Self.arrays(33)) == JSONError(offset: 32, problem: .tooDeep))
        #expect(JSONText.isValid(Self.arrays(32)))
        #expect(!JSONText.isValid(Self.arrays(33)))
        #expect(JSONText.error(Self.objects(32)) == nil)
        #expect(JSONText.error(Self.objects(33))?.problem == .tooDeep)
    }

    @Test("is allowed as far as told", arguments: [0, 1, 2, 5, 100, 512])
    func chosenLimit(limit: Int) {
        for make in [Self.arrays, Self.objects] {
            #expect(JSONText.isValid(limit == 0 ? "1" : make(limit), maximumDepth: limit))
            #expect(!JSONText.isValid(make(limit + 1), maximumDepth: limit))
            #expect(JSONText.error(make(limit + 1), maximumDepth: limit)?.problem == .tooDeep)
        }
    }

    @Test("counts what is open, not what has been")
    func siblings() {
        let text = "[" + String(repeating: "[{\"a\":[]}],", count: 1000) + "0]"
        #expect(JSONText.isValid(text, maximumDepth: 4))
        #expect(!JSONText.isValid(text, maximumDepth: 3))
    }

    @Test("is never allowed beyond 512 levels, whatever is asked for")
    func greatest() {
        #expect(JSONText.isValid(Self.arrays(512), maximumDepth: .max))
        #expect(!JSONText.isValid(Self.arrays(513), maximumDepth: .max))
        #expect(!JSONText.isValid("[]", maximumDepth: -1))
        #expect(JSONText.isValid("0", maximumDepth: -1))
    }

    @Test("a million brackets cost neither stack nor tree")
    func million() {
        let brackets = [UInt8](repeating: ASCII.leftBracket, count: 1_000_000)
        #expect(throws: JSONError(offset: 512, problem: .tooDeep)) { try JSONReader.read(brackets, maximumDepth: .max) }
    }

    @Test("512 levels are read, compared, written and released on a stack of 512 KiB", arguments: [false, true])
    func smallStack(usesObjects: Bool) throws {
        let text = Array((usesObjects ? Self.objects(512) : Self.arrays(512)).utf8)
        let work = Work(text: text)
        try runOnSmallStack(work)
        #expect(work.isDone)
    }

    /// Lives through the thread that works on it; nobody else looks meanwhile.
    private final class Work {
        let text: [UInt8]
        var isDone = false

        init(text: [UInt8]) {
            self.text = text
        }

        func run() {
            guard let first = try? JSONReader.read(text, maximumDepth: 512),
                let second = try? JSONReader.read(text, maximumDepth: 512)
            else { return }
            let isValid = text.withUnsafeBytes { JSONReader.isValid($0, maximumDepth: 512) }
            isDone = isValid && first == second && JSONText.written(first) == text
        }
    }

    private func runOnSmallStack(_ work: Work) throws {
        var attributes = pthread_attr_t()
        try #require(pthread_attr_init(&attributes) == 0)
        defer { pthread_attr_destroy(&attributes) }
        try #require(pthread_attr_setstacksize(&attributes, 512 * 1024) == 0)
        var thread = pthread_t()
        let argument = Unmanaged.passUnretained(work).toOpaque()
        let result = pthread_create(
            &thread, &attributes,
            { argument in
                if let argument { Unmanaged<Work>.fromOpaque(argument).takeUnretainedValue().run() }
                return nil
            }, argument)
        try #require(result == 0)
        pthread_join(thread, nil)
    }
}
