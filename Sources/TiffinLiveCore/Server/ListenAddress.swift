/// Where connections come from: an address to bind, or a socket that systemd passes.
enum ListenAddress: Equatable, Sendable {
    case bind(SocketAddress)
    /// `systemd:NAME`, or `systemd` for all sockets that are not named otherwise.
    case passed(name: String?)

    init?(_ text: String) {
        if text == "systemd" {
            self = .passed(name: nil)
        } else if text.hasPrefix("systemd:") {
            let name = String(text.dropFirst("systemd:".utf8.count))
            // As systemd.socket(5) has it: a colon is what separates names.
            guard (1...255).contains(name.utf8.count),
                name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != ASCII.colon })
            else { return nil }
            self = .passed(name: name)
        } else if let address = SocketAddress(text) {
            self = .bind(address)
        } else {
            return nil
        }
    }
}

extension ListenAddress: CustomStringConvertible {
    var description: String {
        switch self {
        case .bind(let address): address.description
        case .passed(let name): name.map { "systemd:\($0)" } ?? "systemd"
        }
    }
}
