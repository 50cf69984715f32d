import Foundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Snapshots of the remote that the disk has no room for.
@Suite(.limited) struct UnsavedSnapshotTests {
  /// Returns an engine that has received `c/a`.
  private func makeSync(on disk: FaultyDisk, onSnapshot: @escaping ([String]) -> Void = { _ in }) throws
    -> DrivenSync
  {
    let driven = try DrivenSync(disk: disk)
    _ = try driven.listen(onSnapshot: onSnapshot)
    try driven.acknowledgeTargets()
    try driven.sendSnapshot(at: 1, ["a"])
    #expect(driven.streams.openings == 1)
    return driven
  }

  @Test func theStreamIsOpenedWhenTheDiskCanBeWrittenAgain() throws {
    let disk = FaultyDisk()
    let driven = try makeSync(on: disk)
    disk.fail(.write, .isFull, after: 0, times: 1_000)
    try driven.sendSnapshot(at: 2, ["b"])
    for delay in [0, 0.5, 0.75, 1.125] {
      #expect(driven.streams.openings == 1)
      #expect(driven.timers.waiting[.databaseRetry]?.delay == .seconds(delay))
      driven.timers.fire(.databaseRetry)
    }
    disk.heal()
    driven.timers.fire(.databaseRetry)
    #expect(driven.streams.openings == 2)
    #expect(driven.timers.waiting[.databaseRetry] == nil)
  }

  /// As on a disk that has room for a small change, but not for the snapshot.
  @Test func aSnapshotThatFailsEachTimeIsRequestedLessAndLessOften() throws {
    let disk = FaultyDisk()
    let driven = try makeSync(on: disk)
    for (number, delay) in [0, 0.5, 0.75, 1.125].enumerated() {
      disk.fail(.write, .isFull, after: 0)
      try driven.sendSnapshot(at: 2, ["b"])
      #expect(driven.timers.waiting[.databaseRetry]?.delay == .seconds(delay))
      driven.timers.fire(.databaseRetry)
      #expect(driven.streams.openings == number + 2)
      try driven.acknowledgeTargets()
    }
    // A snapshot that was saved ends the backoff.
    try driven.sendSnapshot(at: 2, ["b"])
    disk.fail(.write, .isFull, after: 0)
    try driven.sendSnapshot(at: 3, ["d"])
    #expect(driven.timers.waiting[.databaseRetry]?.delay == .zero)
  }

  @Test func theTargetIsResumedFromTheLastSavedSnapshot() throws {
    let disk = FaultyDisk()
    var results: [[String]] = []
    let driven = try makeSync(on: disk) { results.append($0) }
    disk.fail(.write, .isFull, after: 0)
    try driven.sendSnapshot(at: 2, ["b"])
    driven.timers.fire(.databaseRetry)
    #expect(driven.streams.targets.map(\.resumption) == [.token(Data("1".utf8))])
    #expect(try driven.savedTokens == ["1"])
    try driven.acknowledgeTargets()
    try driven.sendSnapshot(at: 2, ["b"])
    #expect(results.last == ["a", "b"])
    #expect(try driven.savedTokens == ["2"])
  }

  @Test func aListenerReceivesWhatCouldNotBeSavedAtFirst() async throws {
    let (remote, disk, directory) = (FakeStoreRemote(), FaultyDisk(), try TestDirectory())
    let store = makeStore(directory, disk: disk, remote: remote)
    let snapshots = Snapshots(store.collection("c").snapshots(includeMetadataChanges: true))
    #expect(try await snapshots.next { !$0.metadata.isFromCache } != nil)
    disk.fail(.write, .isFull, after: 0)
    try remote.apply([DocumentWrite(try ResourcePath(document: "c/a"), .set(["n": 1]))])
    #expect(try await snapshots.next { !$0.isEmpty }?.ids == ["a"])
    #expect(disk.failures == 1)
    await store.terminate()
  }
}
