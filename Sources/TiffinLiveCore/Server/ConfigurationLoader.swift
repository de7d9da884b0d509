/// Fills a `ServerConfiguration` layer by layer: the defaults, the file, then each `--set`. Collects every fault and
/// goes on, so that an operator sees all of them in one run.
///
/// What a key may hold stands in `ConfigurationSetting.all`; values that are more than a number or a text are read in
/// the extensions. `topics` and `routes` replace what stood before, everything else is merged key by key.
struct ConfigurationLoader {
    var configuration = ServerConfiguration()
    private(set) var faults: [ConfigurationFault] = []
    /// Where each route and topic rule came from, for faults that only show when all layers are known.
    var places: [String: Place] = [:]
    /// The layer that is being applied.
    private(set) var source = ""
    private var hasLines = true
    /// The layer is a `--set` of something inside `topics` or `routes`: merge into what stands.
    private(set) var mergesTables = false

    struct Place {
        let source: String
        let line: Int?
    }

    // MARK: Layers

    mutating func apply(_ text: [UInt8], file: String) {
        source = file
        hasLines = true
        mergesTables = false
        var doubled: [JSON5Error] = []
        do {
            let root = try JSON5Reader.read(text, doubled: &doubled)
            for error in doubled { fault(error.line, error.key, error.message) }
            applyMembers(of: root, prefix: "")
        } catch {
            fault(error.line, error.key, error.message)
        }
    }

    /// `override` is a dotted key, `=` and a JSON5 value.
    mutating func apply(override: String) {
        source = "--set \(override)"
        hasLines = false
        do {
            let override = try ConfigurationOverride(override)
            mergesTables = override.path.count > 1
            applyMembers(of: override.tree, prefix: "")
        } catch {
            fault(0, error.key, error.message)
        }
    }

    /// The configuration when no layer had a fault.
    mutating func finish() throws(ConfigurationFaults) -> ServerConfiguration {
        checkRelations()
        guard faults.isEmpty else { throw ConfigurationFaults(faults) }
        return configuration
    }

    // MARK: Walking

    private mutating func applyMembers(of node: JSON5Node, prefix: String) {
        let siblings = ConfigurationSetting.names(below: prefix)
        for member in members(of: node, key: prefix, known: siblings) {
            let key = Self.key(prefix, member.name)
            if let setting = ConfigurationSetting.all[key] {
                apply(setting, member.value, key)
            } else {
                applyMembers(of: member.value, prefix: key)
            }
        }
    }

    private mutating func apply(_ setting: ConfigurationSetting, _ node: JSON5Node, _ key: String) {
        switch setting {
        case .duration(let path, let range):
            if let value = duration(node, key, range) { configuration[keyPath: path] = value }
        case .size(let path, let range):
            if let value = size(node, key, range) { configuration[keyPath: path] = value }
        case .integer(let path, let range):
            if let value = integer(node, key, range) { configuration[keyPath: path] = value }
        case .name(let path):
            if let value = name(node, key) { configuration[keyPath: path] = value }
        case .texts(let path):
            if let value = texts(node, key) { configuration[keyPath: path] = value }
        case .custom(_, let read):
            read(&self, node, key)
        }
    }

    /// The members of an object, without those that are not `known`, which are faults (nil: any name will do).
    mutating func members(of node: JSON5Node, key: String, known: [String]?) -> [JSON5Node.Member] {
        guard case .object(let members) = node.value else {
            fault(node.line, key.isEmpty ? nil : key, "expected an object instead of \(Self.kind(of: node))")
            return []
        }
        guard let known else { return members }
        return members.filter { member in
            if known.contains(member.name) { return true }
            let list = known.joined(separator: ", ")
            fault(member.line, Self.key(key, member.name), "unknown key; known here are \(list)")
            return false
        }
    }

    // MARK: Faults

    mutating func fault(_ line: Int, _ key: String?, _ message: String) {
        faults.append(
            ConfigurationFault(source: source, line: hasLines ? line : nil, key: key, message: message))
    }

    mutating func fault(at place: Place?, _ key: String, _ message: String) {
        faults.append(
            ConfigurationFault(source: place?.source ?? source, line: place?.line, key: key, message: message))
    }

    func place(_ line: Int) -> Place {
        Place(source: source, line: hasLines ? line : nil)
    }

    static func key(_ prefix: String, _ name: String) -> String {
        let name = JSON5Reader.dotted([name])
        return prefix.isEmpty ? name : "\(prefix).\(name)"
    }
}
