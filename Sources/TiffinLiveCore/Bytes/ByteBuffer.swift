/// A growable run of bytes to write into: one belongs to a loop as scratch, one to a connection only while it has
/// output that the kernel did not take. The storage is one `malloc` block and never shrinks by itself.
final class ByteBuffer {
    private(set) var base: UnsafeMutablePointer<UInt8>
    private(set) var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 256) {
        self.capacity = max(capacity, 16)
        base = .allocate(capacity: self.capacity)
    }

    deinit {
        base.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    /// The bytes written so far. Valid until the next mutation.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// A copy of the bytes, for tests and for whoever must keep them.
    var array: [UInt8] { Array(bytes) }

    func removeAll() {
        count = 0
    }

    /// Cuts the buffer back to `newCount` bytes, so that an encoder can take back what it began.
    func truncate(to newCount: Int) {
        precondition(newCount >= 0 && newCount <= count)
        count = newCount
    }

    func reserve(_ more: Int) {
        guard capacity - count < more else { return }
        var newCapacity = capacity
        while newCapacity - count < more { newCapacity *= 2 }
        let grown = UnsafeMutablePointer<UInt8>.allocate(capacity: newCapacity)
        grown.update(from: base, count: count)
        base.deallocate()
        base = grown
        capacity = newCapacity
    }

    func append(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count += 1
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        reserve(bytes.count)
        UnsafeMutableRawPointer(base + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    func append(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { append($0) }
    }

    func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends `value` in decimal without leading zeros.
    func append(decimal value: UInt64) {
        reserve(20)
        var digits = 1
        var rest = value
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        rest = value
        var index = count + digits
        repeat {
            index -= 1
            base[index] = ASCII.zero + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        count += digits
    }

    func append(decimal value: Int) {
        if value < 0 { append(ASCII.minus) }
        append(decimal: UInt64(value.magnitude))
    }

    /// Lets `write` fill up to `limit` bytes behind those that are there; it answers how many it wrote.
    func append(atMost limit: Int, _ write: (UnsafeMutableRawBufferPointer) -> Int) {
        reserve(limit)
        let written = write(UnsafeMutableRawBufferPointer(start: base + count, count: limit))
        precondition(written >= 0 && written <= limit)
        count += written
    }

    /// Overwrites bytes that were written before, for lengths that are known only afterwards.
    func overwrite(at offset: Int, with bytes: UnsafeRawBufferPointer) {
        precondition(offset >= 0 && offset + bytes.count <= count)
        guard let source = bytes.baseAddress else { return }
        UnsafeMutableRawPointer(base + offset).copyMemory(from: source, byteCount: bytes.count)
    }
}
