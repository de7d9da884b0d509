/// The place of one setting in a `ServerConfiguration`, whatever its type: to compare and to take over one key at a time.
struct ConfigurationField: Sendable {
    let isSame: @Sendable (ServerConfiguration, ServerConfiguration) -> Bool
    let copy: @Sendable (_ source: ServerConfiguration, _ target: inout ServerConfiguration) -> Void

    init<Value: Equatable & Sendable>(_ path: any ConfigurationSetting.Path<Value>) {
        isSame = { $0[keyPath: path] == $1[keyPath: path] }
        copy = { $1[keyPath: path] = $0[keyPath: path] }
    }
}
