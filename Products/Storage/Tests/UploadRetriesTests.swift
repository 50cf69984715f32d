import TenonCore
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStorage

/// When an upload continues after failures.
@Suite(.limited) struct UploadRetriesTests {
  private let time = TestTime()

  private func retries() throws -> UploadRetries {
    let transport = FakeTransport { _ in throw CancellationError() }
    return UploadRetries(try bucket(transport, time: time.source).reference(withPath: "a"))
  }

  /// Returns the delay after a failure, in seconds.
  private func delay(_ retries: inout UploadRetries, isConflict: Bool = false) throws -> Double {
    let failure = UploadFailure(error: StorageError(.unavailable, "It failed."), isConflict: isConflict)
    return try retries.delay(after: failure, until: time.now + .seconds(3_600)) / .seconds(1)
  }

  @Test func theDelaysBeginAnewAfterProgress() throws {
    var retries = try retries()
    for expected in [1, 2, 4] as [Double] {
      #expect(try (expected...(1.5 * expected)).contains(delay(&retries)))
    }
    retries.succeeded()
    #expect(try (1...1.5).contains(delay(&retries)))
  }

  @Test func threeConflictsWithoutProgressEndTheUpload() throws {
    var retries = try retries()
    for _ in 0..<2 {
      for _ in 0..<2 { _ = try delay(&retries, isConflict: true) }
      retries.succeeded()
    }
    for _ in 0..<2 { _ = try delay(&retries, isConflict: true) }
    let error = #expect(throws: StorageError.self) { try delay(&retries, isConflict: true) }
    #expect(error?.code == .unavailable)
  }

  @Test func theTimeOfTheRetriesBeginsAnewAfterProgress() throws {
    var retries = try retries()
    retries.begin()
    let first = try #require(retries.end)
    time.advance(by: 30)
    _ = try delay(&retries)
    #expect(retries.end == first)
    retries.succeeded()
    _ = try delay(&retries)
    #expect(retries.end == first + .seconds(30))
  }
}
