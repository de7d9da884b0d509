/// One line of `doctor`: something that the server needs, and how it was found.
package struct DoctorFinding: Equatable, Sendable, CustomStringConvertible {
    enum Verdict: String, Sendable {
        case ok
        /// With what to do about it.
        case fault
        /// Cannot be told from here.
        case unknown
    }

    let verdict: Verdict
    let subject: String
    let text: String

    package var isFault: Bool { verdict == .fault }

    package var description: String {
        let word = verdict.rawValue
        return word + String(repeating: " ", count: 9 - word.utf8.count) + subject + ": " + text
    }
}
