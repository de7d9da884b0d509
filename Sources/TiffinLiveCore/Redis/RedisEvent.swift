/// What comes out of a `RedisSession`.
enum RedisEvent<Tag> {
    /// Signed in, and Redis serves. Wanted channels are being subscribed.
    case ready
    /// Exactly one for each command that was taken.
    case reply(Tag, Result<RESPValue, RedisFailure>)
    /// From here on every message of the channel arrives, until the link is lost.
    case subscribed(String)
    /// Redis does not allow this channel to us.
    case refused(String, code: String)
    case message(channel: String, payload: [UInt8])
    /// The link must be closed; nothing more comes of it but what `disconnected` adds.
    case failed(RedisLinkFault)
}
