import TenonStoreInterop
import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Documents that match a query on this device, and that the remote hasn't sent for it, are looked up.
@Suite(.limited) struct LimboTests {
  private static let path = ResourcePath(segments: ["c", "d"])
  private static let added = View.LimboChanges(added: [path])

  /// Returns the targets that requests begin, and those that they end.
  private func targets(_ requests: [LimboResolver.Request]) -> (begun: [Int], ended: [Int]) {
    var (begun, ended): ([Int], [Int]) = ([], [])
    for request in requests {
      switch request {
      case .listen(let data): begun.append(data.id)
      case .unlisten(let id): ended.append(id)
      }
    }
    return (begun, ended)
  }

  @Test func aDocumentThatTwoListenersLackIsLookedUpUntilNeitherDoes() {
    var limbo = LimboResolver(limit: 10)
    #expect(targets(limbo.track(Self.added, of: 2)) == ([1], []))
    #expect(targets(limbo.track(Self.added, of: 4)) == ([], []))
    #expect(targets(limbo.removeTarget(2)) == ([], []))
    #expect(limbo.targets(showing: Self.path) == [4])
    #expect(targets(limbo.removeTarget(4)) == ([], [1]))
    #expect(!limbo.isTracked(Self.path))
    // A later lookup gets a new target.
    #expect(targets(limbo.track(Self.added, of: 2)) == ([3], []))
  }

  @Test func aDocumentThatLeavesLimboForOneListenerIsStillLookedUpForTheOther() {
    var limbo = LimboResolver(limit: 10)
    for target in [2, 4] { _ = limbo.track(Self.added, of: target) }
    let removed = View.LimboChanges(removed: [Self.path])
    #expect(targets(limbo.track(removed, of: 2)) == ([], []))
    #expect(targets(limbo.track(removed, of: 4)) == ([], [1]))
  }

  /// The second write is acknowledged after the timer of the first one has ended.
  @Test func theDocumentsOfAcknowledgedWritesAreLookedUpAfterAWhile() throws {
    let driven = try DrivenSync()
    _ = try driven.listen()
    try driven.acknowledgeTargets()
    try driven.sendSnapshot(at: 1)
    for (second, id) in [(5, "a"), (50, "b")] as [(Int64, String)] {
      let path = ResourcePath(segments: ["c", id])
      try driven.sync.write([DocumentWrite(path, .set(["n": 1]))]) { _ in }
      try driven.sync.remote?.receive(WriteEvent.opened(token: nil))
      // A consistent snapshot of a later time lacks the document. It may have been on its way when the write
      // was committed.
      try driven.sendSnapshot(at: second + 5)
      let time = Timestamp(seconds: second)
      try driven.sync.remote?.receive(
        WriteEvent.committed(RemoteCommit(time: time, results: [.init(updateTime: time)]), token: nil))
      let lookup = { driven.streams.targets.contains { $0.content == .documents([path]) } }
      var expiries = 0
      while !lookup(), driven.timers.waiting[.acknowledgedDocuments] != nil, expiries < 5 {
        driven.timers.fire(.acknowledgedDocuments)
        expiries += 1
      }
      #expect(lookup() && expiries == 2)
    }
  }
}
