/// What a connection keeps between reads: a message whose end has not come and, since control frames may come between
/// its fragments, the front of a control frame. It exists only while there is something to keep.
final class PartialInput {
    /// The message under way; until the next call also the one just handed out, whose view it owns.
    var message: MessageAssembler?
    var messageIsComplete = false
    /// The control frame under way or just handed out.
    var control: ByteBuffer?
    var controlIsComplete = false

    /// Lets go of what was handed out; true when nothing is left to keep.
    func releaseComplete() -> Bool {
        if messageIsComplete {
            message = nil
            messageIsComplete = false
        }
        if controlIsComplete {
            control = nil
            controlIsComplete = false
        }
        return message == nil && control == nil
    }
}
