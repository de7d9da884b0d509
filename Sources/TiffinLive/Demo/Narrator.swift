/// Says what happens, one line each with the seconds since the start.
struct Narrator: Sendable {
    private let isQuiet: Bool
    private let start = Deadline.now()

    init(isQuiet: Bool) {
        self.isQuiet = isQuiet
    }

    func say(_ sentence: String) {
        guard !isQuiet else { return }
        let tenths = Int((Deadline.now() - start) * 10)
        let time = "\(tenths / 10).\(tenths % 10)"
        Console.out(String(repeating: " ", count: max(0, 5 - time.count)) + time + " s  " + sentence)
    }
}
