@testable import TiffinLiveCore

/// The loops' own generator: the same numbers for the same seed, so that a failing random test can be run again.
typealias SeededRandom = LoopRandom
