import Testing

@testable import TiffinLiveCore

@Suite("What systemctl status shows")
struct ServiceStatusTests {
    @Test(
        "connections and Redis in words",
        arguments: [
            (ServiceStatus(), "Starting"),
            (ServiceStatus(stage: .serving, connections: 0), "Serving 0 connections"),
            (ServiceStatus(stage: .serving, connections: 1, isRedisUp: true), "Serving 1 connection; Redis is up"),
            (
                ServiceStatus(stage: .serving, connections: 12, isRedisUp: false),
                "Serving 12 connections; Redis is down"
            ),
            (
                ServiceStatus(stage: .waitingForBalancer, connections: 2),
                "Stopping: no longer ready, 2 connections open"
            ),
            (ServiceStatus(stage: .draining, connections: 2), "Stopping: 2 connections to send away"),
        ])
    func words(_ status: ServiceStatus, _ text: String) {
        #expect(status.text == text)
    }
}
