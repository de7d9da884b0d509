internal import COpenSSL

@testable import TiffinLiveCore

/// One end of a connection: a `TLSStream` with what went through it, and the ways to move bytes between it and a peer.
final class TLSEnd {
    let stream: TLSStream
    let plaintext = ByteBuffer()
    private let output = ByteBuffer()

    init(_ stream: TLSStream) {
        self.stream = stream
    }

    /// Feeds in pieces of `size` bytes; the error that came of it.
    @discardableResult
    func receive(_ bytes: [UInt8], piece size: Int = .max) -> TLSError? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(size))
            rest = rest.dropFirst(size)
            if let error = piece.withUnsafeBytes(receive) { return error }
        }
        return nil
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) -> TLSError? {
        do throws(TLSError) {
            try stream.receive(bytes, plaintext: plaintext, output: output)
            return nil
        } catch {
            return error
        }
    }

    func start() throws {
        try stream.start(output: output)
    }

    func send(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try stream.send($0, output: output) }
    }

    func close() {
        stream.close(output: output)
    }

    func takeOutput() -> [UInt8] {
        defer { output.removeAll() }
        return output.array
    }

    func takePlaintext() -> [UInt8] {
        defer { plaintext.removeAll() }
        return plaintext.array
    }

    /// Moves records between a client and a server until neither has any; the error of either.
    @discardableResult
    static func connect(client: TLSEnd, server: TLSEnd, piece: Int = .max) throws -> (
        client: TLSError?, server: TLSError?
    ) {
        if client.stream.state == .handshaking { try client.start() }
        var errors: (client: TLSError?, server: TLSError?) = (nil, nil)
        while true {
            let toServer = client.takeOutput()
            if !toServer.isEmpty, errors.server == nil { errors.server = server.receive(toServer, piece: piece) }
            let toClient = server.takeOutput()
            if !toClient.isEmpty, errors.client == nil { errors.client = client.receive(toClient, piece: piece) }
            if toServer.isEmpty && toClient.isEmpty { return errors }
        }
    }

    /// The same with a raw client; the server's error, and whether the client is done.
    @discardableResult
    func connect(_ peer: TLSRawPeer, piece: Int = .max) -> (error: TLSError?, isDone: Bool) {
        var error: TLSError?
        while true {
            let isDone = peer.shakeHands()
            let toServer = peer.takeOutput()
            if !toServer.isEmpty, error == nil { error = receive(toServer, piece: piece) }
            let toClient = takeOutput()
            peer.feed(toClient)
            if toServer.isEmpty && toClient.isEmpty { return (error, isDone) }
        }
    }
}
