import Foundation
import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// When the streams are opened again after failures.
@Suite(.limited) struct StreamBackoffTests {
  private static let failure = StoreRemoteError(.unavailable, "The server can't be reached.")

  /// Ends a stream, and opens it again after the delay, which is returned in seconds.
  ///
  /// - Parameter close: ends the stream.
  private func delay(
    until timer: SyncTimer, in driven: DrivenSync, _ close: (RemoteExchange) throws -> Void
  ) throws -> Double? {
    try close(#require(driven.sync.remote))
    let delay = driven.timers.waiting[timer]?.delay
    driven.timers.fire(timer)
    return delay.map { $0 / .seconds(1) }
  }

  @Test func theDelaysOfTheListenStreamBeginAnewAfterAnEvent() throws {
    let driven = try DrivenSync()
    _ = try driven.listen()
    func fail() throws -> Double? {
      try delay(until: .listenBackoff, in: driven) { try $0.listenCloses(Self.failure) }
    }
    #expect(try fail() == 0)
    let delays = try [fail(), fail(), fail()].compactMap(\.self)
    #expect(delays.count == 3 && delays == delays.sorted() && delays.allSatisfy { $0 > 0 }, "\(delays)")
    try driven.acknowledgeTargets()
    #expect(try fail() == 0)
  }

  /// That the stream opens says nothing about writes, only an answer does.
  @Test func theDelaysOfTheWriteStreamBeginAnewAfterAnAnswer() throws {
    let driven = try DrivenSync()
    for id in ["a", "b"] {
      try driven.sync.write([DocumentWrite(ResourcePath(document: "c/\(id)"), .set(["n": 1]))]) { _ in }
    }
    func fail() throws -> Double? {
      try delay(until: .writeBackoff, in: driven) {
        try $0.receive(WriteEvent.opened(token: nil))
        try $0.writeCloses(Self.failure)
      }
    }
    #expect(try fail() == 0)
    let delays = try [fail(), fail(), fail()].compactMap(\.self)
    #expect(delays.count == 3 && delays == delays.sorted() && delays.allSatisfy { $0 > 0 }, "\(delays)")
    try driven.sync.remote?.receive(WriteEvent.opened(token: nil))
    try driven.sync.remote?.receive(
      WriteEvent.committed(RemoteCommit(time: .zero, results: [.init()]), token: nil))
    #expect(try fail() == 0)
  }
}
