/// Writes metrics in the text exposition format of Prometheus, version 0.0.4: for each family HELP, TYPE and its samples.
struct PrometheusText {
    /// The value of `Content-Type`.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    enum Kind: String {
        case counter, gauge, histogram, summary
    }

    private let buffer: ByteBuffer
    /// What every name begins with, from the next family on.
    var prefix: String
    private var family = ""

    init(to buffer: ByteBuffer, prefix: String) {
        self.buffer = buffer
        self.prefix = prefix
    }

    /// Begins a family; the samples that follow belong to it.
    mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        family = prefix + name
        buffer.append("# HELP \(family) ")
        append(help, escapesQuotes: false)
        buffer.append("\n# TYPE \(family) \(kind.rawValue)\n")
    }

    func sample(_ value: some FixedWidthInteger, _ labels: (name: String, value: String)...) {
        sample("", labels, "\(value)")
    }

    /// A span or an instant, in seconds.
    func sample(seconds: Nanoseconds, _ labels: (name: String, value: String)...) {
        sample("", labels, Self.seconds(seconds))
    }

    /// Spans that were only summed up.
    func samples(count: UInt64, sum: UInt64) {
        sample("_sum", [], Self.seconds(Nanoseconds(clamping: sum)))
        sample("_count", [], "\(count)")
    }

    /// One sample for each word.
    func samples(_ words: MetricsWords, label: String) {
        for (word, count) in zip(words.words, words.counts) { sample("", [(label, word)], "\(count)") }
    }

    /// Buckets, sum and count of a histogram (they are cumulative here).
    func samples(_ histogram: MetricsHistogram) {
        var count: UInt64 = 0
        for (index, bound) in MetricsHistogram.bounds.enumerated() {
            count &+= histogram.counts[index]
            sample("_bucket", [("le", bound.label.description)], "\(count)")
        }
        count &+= histogram.counts[MetricsHistogram.bounds.count]
        sample("_bucket", [("le", "+Inf")], "\(count)")
        sample("_sum", [], Self.seconds(Nanoseconds(clamping: histogram.sum)))
        sample("_count", [], "\(count)")
    }

    private func sample(_ suffix: String, _ labels: [(name: String, value: String)], _ value: String) {
        buffer.append(family + suffix)
        for (index, label) in labels.enumerated() {
            buffer.append(index == 0 ? ASCII.leftBrace : ASCII.comma)
            buffer.append("\(label.name)=\"")
            append(label.value, escapesQuotes: true)
            buffer.append(ASCII.quotationMark)
        }
        if !labels.isEmpty { buffer.append(ASCII.rightBrace) }
        buffer.append(" \(value)\n")
    }

    /// Backslash and line feed are escaped everywhere, the quotation mark in label values.
    private func append(_ text: String, escapesQuotes: Bool) {
        for byte in text.utf8 {
            switch byte {
            case ASCII.backslash: buffer.append("\\\\" as StaticString)
            case ASCII.lineFeed: buffer.append("\\n" as StaticString)
            case ASCII.quotationMark where escapesQuotes: buffer.append("\\\"" as StaticString)
            default: buffer.append(byte)
            }
        }
    }

    /// With as many decimals as there are.
    private static func seconds(_ span: Nanoseconds) -> String {
        let whole = span.magnitude / 1_000_000_000
        let rest = span.magnitude % 1_000_000_000
        let sign = span < 0 ? "-" : ""
        guard rest > 0 else { return "\(sign)\(whole)" }
        var digits = String(rest)
        digits = String(repeating: "0", count: 9 - digits.utf8.count) + digits
        while digits.utf8.last == ASCII.zero { digits.removeLast() }
        return "\(sign)\(whole).\(digits)"
    }
}
