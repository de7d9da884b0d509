/// What the loops of a server know together of the tokens and the sources that hammer at it (contract section 11): which
/// tokens were judged already, and which addresses forge. Locked for a look-up or a note; signatures are verified outside.
struct StormShield: Sendable {
    /// Tokens remembered for each loop, verified or refused, and the most there may be in all.
    private static let tokensPerLoop = 65_536
    private static let tokensAtMost = 1 << 20

    let tokens: Locked<TokenMemory>
    let penalties: Locked<SourcePenalty>

    init(forged: RateLimit, loops: Int) {
        tokens = Locked(TokenMemory(capacity: min(Self.tokensPerLoop * loops, Self.tokensAtMost)))
        penalties = Locked(SourcePenalty(limit: forged))
    }
}
