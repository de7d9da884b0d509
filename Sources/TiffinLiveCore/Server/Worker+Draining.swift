/// The worker's part in sending a fleet away (contract section 11).
extension Worker {
    func beginDrain(spread: Nanoseconds, _ reason: DisconnectReason) {
        context.isDraining = true
        stopListening()
        draining = DrainSchedule(reason, connections: connectionCount, spread: spread, now: context.now.monotonic)
        drainSome()
    }

    /// Closes the share of the connections that is due, and says so when the last one is gone.
    func drainSome() {
        guard var schedule = draining else { return }
        var due = schedule.due(now: context.now.monotonic)
        while due > 0, schedule.cursor < connections.count {
            if let connection = connections[schedule.cursor] {
                connection.perform { $0.disconnect(schedule.reason, $1) }
                due -= 1
            }
            schedule.cursor += 1
        }
        if schedule.cursor >= connections.count { schedule.allAreTold() }
        draining = schedule
        if connectionCount == 0 {
            draining = nil
            ask(.drained(worker: index))
        }
    }
}
