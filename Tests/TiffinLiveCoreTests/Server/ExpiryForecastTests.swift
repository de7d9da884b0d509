import Testing

@testable import TiffinLiveCore

@Suite("The forecast of expiries")
struct ExpiryForecastTests {
    @Test("each figure holds those of the shorter spans too")
    func cumulative() {
        var forecast = ExpiryForecast()
        for seconds in [-1, 0, 60, 61, 300, 301, 900, 901] as [Nanoseconds] {
            forecast.count(closeIn: seconds * .second)
        }
        forecast.count(closeIn: .max)
        #expect(forecast.counts == [3, 5, 7])
        forecast.add(forecast)
        #expect(forecast.counts == [6, 10, 14])
    }

    @Test("it stands in the metrics by time")
    func metrics() {
        var workers = WorkerMetrics()
        workers.forecast.count(closeIn: 100 * .second)
        let text = String(decoding: MetricsText.render(workers: workers, control: ControlMetrics()), as: UTF8.self)
        for line in ["1m\"} 0", "5m\"} 1", "15m\"} 1"] {
            #expect(text.contains("\ntiffin_live_expiry_forecast{within=\"\(line)\n"))
        }
    }
}
