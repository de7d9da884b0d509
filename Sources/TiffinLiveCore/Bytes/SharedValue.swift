/// A value that several loops may share. Whoever uses it need not know whether they do: with several the holder is a lock
/// (`Locked`), with one it is `Unshared`.
protocol SharedValue<Value>: AnyObject {
    associatedtype Value

    /// Not recursive.
    func withValue<Result>(_ body: (inout Value) -> Result) -> Result
}

/// A value of one loop, or of a test.
final class Unshared<Value>: SharedValue {
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func withValue<Result>(_ body: (inout Value) -> Result) -> Result {
        body(&value)
    }
}
