import Glibc

extension ServerConfiguration.Redis {
    /// How to connect, with the credentials as they are in their files now.
    func connectionSettings() throws(ServerError) -> RedisConnectionSettings {
        do {
            let address = try RedisURL(url)
            var settings = try RedisConnectionSettings(address)
            if tls == true, settings.tls == nil { settings.tls = try TLSContext.client(trusting: .system) }
            settings.session.commandTimeout = timeout
            if username != nil || password != nil { settings.session.credentials = credentials() }
            return settings
        } catch let error as RedisURLError {
            throw ServerError("redis.url: \(error)")
        } catch {
            throw ServerError("redis: \(error)")
        }
    }

    /// User and password; read anew for every attempt to connect, so that a changed password needs no restart. A file that
    /// cannot be read is no password, which Redis will say.
    func credentials() -> RedisCredentials {
        var secret = password.flatMap { try? $0.read() }
        // Files end in a line break that is no part of the password.
        while let last = secret?.last, last == ASCII.lineFeed || last == ASCII.carriageReturn { secret?.removeLast() }
        return RedisCredentials(user: username, password: secret)
    }
}

extension ServerConfiguration {
    /// What this server calls itself in receipts: the host and the process.
    static var serverName: String {
        let host = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { name in
            guard let start = name.baseAddress, gethostname(start, name.count - 1) == 0 else { return "localhost" }
            name[name.count - 1] = 0
            return String(cString: start)
        }
        return "\(host):\(getpid())"
    }
}
