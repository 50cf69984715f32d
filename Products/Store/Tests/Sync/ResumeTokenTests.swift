import Foundation
import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The resume tokens in the file, from which a target continues after the process has ended without closing
/// it.
@Suite(.limited) struct ResumeTokenTests {
  @Test func aTokenIsSavedWhenTheSavedOneIsFiveMinutesOld() throws {
    let driven = try DrivenSync()
    _ = try driven.listen()
    try driven.acknowledgeTargets()
    var saved: [String] = []
    for minute in 0..<12 {
      try driven.sendSnapshot(at: Int64(minute * 60))
      saved += try driven.savedTokens
    }
    #expect(saved == Array(repeating: "0", count: 5) + Array(repeating: "300", count: 5) + ["600", "600"])
  }

  @Test func aTokenIsSavedWithTheDocumentsOfItsSnapshot() throws {
    let driven = try DrivenSync()
    _ = try driven.listen()
    try driven.acknowledgeTargets()
    try driven.sendSnapshot(at: 1)
    try driven.sendSnapshot(at: 2)
    #expect(try driven.savedTokens == ["1"])
    try driven.sendSnapshot(at: 3, ["a"])
    #expect(try driven.savedTokens == ["3"])
  }

  /// A transaction that is rolled back doesn't count as saved.
  @Test func aTokenThatCouldNotBeSavedIsSavedWithTheNextSnapshot() throws {
    let disk = FaultyDisk()
    let driven = try DrivenSync(disk: disk)
    _ = try driven.listen()
    try driven.acknowledgeTargets()
    try driven.sendSnapshot(at: 1)
    disk.fail(.write, .isFull, after: 0)
    try driven.sendSnapshot(at: 400)
    #expect(try driven.savedTokens == ["1"])
    driven.timers.fire(.databaseRetry)
    try driven.acknowledgeTargets()
    try driven.sendSnapshot(at: 401)
    #expect(try driven.savedTokens == ["401"])
  }
}
