/// One block of an event stream as it stands on the wire: a member is nil when its field is absent.
struct RawEvent: Equatable {
    var id: String?
    var event: String?
    var data: String?
    var retry: String?
    var comments: [String] = []
}
