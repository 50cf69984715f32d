import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonStore

@Suite(.limited) struct BackupProgressTests {
  /// Returns what the reports of two steps become.
  private func reports(
    _ calls: [(completed: Int64, total: Int64?, step: Int64)]
  ) -> [(completed: Int64, total: Int64?)] {
    let all = Lock<[OperationProgress]>([])
    let meter = BackupProgressMeter(steps: 2) { progress in all.withLock { $0.append(progress) } }
    for call in calls { meter.report(call.completed, of: call.total, in: call.step) }
    return all.withLock { $0 }.map { ($0.completedUnitCount, $0.totalUnitCount) }
  }

  @Test func numbersNeverDecreaseAndTheTotalRemains() {
    let reports = reports([
      (50, 100, 0), (40, 100, 0), (100, 100, 0), (0, 200, 1), (100, 200, 1), (200, 200, 1),
    ])
    #expect(reports.map(\.completed) == [50, 100, 150, 200])
    #expect(reports.allSatisfy { $0.total == 200 })
  }

  @Test func unknownTotalMayBecomeKnown() {
    let reports = reports([(5, nil, 0), (4, nil, 0), (9, nil, 0), (2, 10, 1), (10, 10, 1)])
    #expect(reports.map(\.completed) == [5, 9, 12, 20])
    #expect(reports.map(\.total) == [nil, nil, 20, 20])
  }

  @Test(arguments: [(Int64.max, Int64.max), (.max, 1), (-1, 10), (5, 0), (.min, .min), (7, -3)])
  func impossibleNumbersAreLimited(completed: Int64, total: Int64) {
    for report in reports([(completed, total, 0), (completed, total, 1)]) {
      #expect(report.completed >= 0 && report.completed <= report.total ?? 0)
    }
  }
}
