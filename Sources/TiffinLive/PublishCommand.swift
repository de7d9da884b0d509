import TiffinLiveCore

/// `publish`: one event through the admin listener (contract section 9).
enum PublishCommand: Command {
    static let name = "publish"
    static let summary = "publishes an event through the admin listener"
    static let usage = "tiffin-live publish --admin ADDRESS --topic TOPIC [--event NAME] --data JSON"
    static let details = """
        ADDRESS is the server's `admin` address: 127.0.0.1:9090, [::1]:9090 or unix:PATH. Prints the id of the event.
        tiffin-live publish --admin 127.0.0.1:9090 --topic orders:123 --event status --data '{"status":"cooking"}'
        """
    static let options = [Option("admin"), Option("topic"), Option("event"), Option("data")]

    static func run(_ arguments: Arguments) throws(CommandError) -> Int32 {
        let address = try arguments.required("admin")
        guard let admin = AdminClient(address) else {
            throw .usage("--admin is an address with a port such as 127.0.0.1:9090, or unix:PATH")
        }
        let topic = try arguments.required("topic")
        let event = arguments.has("event") ? try arguments.required("event") : nil
        let data: JSONValue
        let text = try arguments.required("data")
        do {
            data = try JSONReader.read(Array(text.utf8))
        } catch {
            throw .usage("--data is not JSON (a text needs quotes of its own): \(error)")
        }
        do {
            Console.out(try admin.publish(topic: topic, event: event, data: data))
        } catch {
            throw .failed("cannot publish at \(address): \(error)")
        }
        return 0
    }
}
