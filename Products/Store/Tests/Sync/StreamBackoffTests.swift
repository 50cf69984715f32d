import Foundation
import TenonStoreInterop
import TenonTesting
import Testing

@testable import TenonStore

/// When the streams are opened again after failures.
@Suite(.limited) struct StreamBackoffTests {
  private static let failure = StoreRemoteError(.unavailable, "The server can't be reached.")

  @Test func theDelaysOfTheListenStreamBeginAnewAfterAnEvent() throws {
    let driven = try DrivenSync()
    _ = try driven.listen()
    /// Ends the stream, and opens it again after the delay, which is returned in seconds.
    func fail() throws -> Double? {
      try driven.sync.remote?.listenCloses(Self.failure)
      let delay = driven.timers.waiting[.listenBackoff]?.delay
      driven.timers.fire(.listenBackoff)
      return delay.map { $0 / .seconds(1) }
    }
    #expect(try fail() == 0)
    let delays = try [fail(), fail(), fail()].compactMap(\.self)
    #expect(delays.count == 3 && delays == delays.sorted() && delays.allSatisfy { $0 > 0 }, "\(delays)")
    try driven.acknowledgeTargets()
    #expect(try fail() == 0)
  }
}
