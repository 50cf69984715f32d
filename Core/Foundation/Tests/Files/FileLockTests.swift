import Foundation
import TenonFoundation
import TenonTestSupport
import Testing

/// Locks on files exclude each other, also within one process, and can be shared.
@Suite(.limited) struct FileLockTests {
  /// A new directory with a path for a file.
  private struct Place: ~Copyable {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-file-lock-\(UUID())")
    var path: String { directory.appending(path: "lock").path }

    init() throws {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(at: directory) }
  }

  @Test func oneObjectHoldsTheLockUntilItIsReleased() throws {
    let place = try Place()
    let (first, second) = (FileLock(place.path), FileLock(place.path))
    #expect(try first.acquire() && first.acquire() && first.isExclusive)
    #expect(try !second.acquire() && !second.isExclusive)
    first.release()
    #expect(try !first.isExclusive && second.acquire())
    #expect(try !first.acquire())
  }

  @Test func theLockEndsWithItsObject() throws {
    let place = try Place()
    var first: FileLock? = FileLock(place.path)
    #expect(try first?.acquire() == true)
    first = nil
    #expect(try FileLock(place.path).acquire())
  }

  @Test func aSharedLockExcludesOnlyExclusiveOnes() throws {
    let place = try Place()
    let (first, second, third) = (FileLock(place.path), FileLock(place.path), FileLock(place.path))
    #expect(try first.acquire())
    try first.share()
    try second.share()
    #expect(try !first.isExclusive && !second.isExclusive && !third.acquire())
    first.release()
    #expect(try !third.acquire())
    second.release()
    #expect(try third.acquire())
  }

  @Test func aFileThatWasDeletedIsCreatedAgain() throws {
    let place = try Place()
    let (first, second) = (FileLock(place.path), FileLock(place.path))
    #expect(try first.acquire())
    first.release()
    try FileManager.default.removeItem(atPath: place.path)
    #expect(try second.acquire())
    // The file that the first one has open isn't the one at the path any more.
    #expect(try !first.acquire())
    second.release()
    #expect(try first.acquire())
  }

  @Test func aFileThatCannotBeOpenedIsAnError() throws {
    let place = try Place()
    let lock = FileLock("\(place.path)/none")
    let error = #expect(throws: SystemError.self) { try lock.acquire() }
    #expect(error?.operation == "open" && error?.path == lock.path && !lock.isExclusive)
    #expect(throws: SystemError.self) { try lock.share() }
  }
}
