/// What did not happen as the demo tells it; a sentence.
struct StoryError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
