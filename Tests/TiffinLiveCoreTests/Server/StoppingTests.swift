import Testing

@testable import TiffinLiveCore

@Suite("The stages of an orderly end")
struct StoppingTests {
    @Test("grace, then no loop accepts, then the drain, and the end when the last loop has nobody left")
    func stages() {
        var stopping = Stopping()
        #expect(!stopping.hasBegun)
        #expect(!stopping.isGraceOver(now: .max))
        stopping.begin(now: 10, grace: 5)
        #expect(stopping.hasBegun)
        #expect(!stopping.isGraceOver(now: 14))
        #expect(stopping.isGraceOver(now: 15))
        #expect(!stopping.isDrainDue(now: 15))
        stopping.listenersClose(now: 15, workers: 2)
        #expect(!stopping.isGraceOver(now: 16))
        #expect(!stopping.isDrainDue(now: 16))
        stopping.stoppedListening(1)
        #expect(!stopping.isDrainDue(now: 16))
        stopping.stoppedListening(0)
        #expect(stopping.isDrainDue(now: 16))
        #expect(!stopping.isDraining)
        stopping.drainBegins(now: 16, limit: 100, workers: 2)
        #expect(stopping.isDraining)
        #expect(!stopping.isDrainDue(now: 16))
        stopping.stoppedListening(0)
        let isLast = [0, 0, 1].map { stopping.drained($0) }
        #expect(isLast == [false, false, true])
    }

    @Test("a loop that does not answer holds the others up for a second and no longer")
    func silentLoop() {
        var stopping = Stopping()
        stopping.begin(now: 0, grace: 0)
        stopping.listenersClose(now: 0, workers: 2)
        stopping.stoppedListening(0)
        #expect(!stopping.isDrainDue(now: .second - 1))
        #expect(stopping.isDrainDue(now: .second))
    }

    @Test("the time for goodbyes ends, whoever is still there")
    func limit() {
        var stopping = Stopping()
        stopping.drainBegins(now: 5, limit: 10, workers: 1)
        #expect(!stopping.isOver(now: 14))
        #expect(stopping.isOver(now: 15))
        stopping.drainBegins(now: 5, limit: .max, workers: 1)
        #expect(!stopping.isOver(now: .max - 1))
    }
}
