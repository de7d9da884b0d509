/// Writes commands: an array of bulk strings each, the same in both versions of RESP. Arguments may hold any bytes;
/// nothing in them can end the command.
enum RESPEncoder {
    /// `command` must not be empty: an empty one gets no reply.
    static func append(_ command: [[UInt8]], to buffer: ByteBuffer) {
        buffer.append(UInt8(ascii: "*"))
        buffer.append(decimal: command.count)
        buffer.append("\r\n" as StaticString)
        for argument in command {
            buffer.append(UInt8(ascii: "$"))
            buffer.append(decimal: argument.count)
            buffer.append("\r\n" as StaticString)
            buffer.append(argument)
            buffer.append("\r\n" as StaticString)
        }
    }

    static func append(_ command: [String], to buffer: ByteBuffer) {
        append(command.map { Array($0.utf8) }, to: buffer)
    }
}
