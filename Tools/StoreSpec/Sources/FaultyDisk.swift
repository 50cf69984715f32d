import Foundation
import SQLiteFaults
import TenonFoundation

/// A disk for the files of one database, which fails on demand.
final class FaultyDisk {
  /// Disks that aren't in use. SQLite never forgets a disk, so they are reused.
  private static let free = Lock<[String]>([])

  /// The name by which SQLite opens databases on the disk.
  let name: String

  init() {
    let free = Self.free.withLock { $0.popLast() }
    name = free ?? "faulty-\(UUID())"
    if free == nil { faulty_disk_create(name) }
  }

  deinit {
    heal()
    Self.free.withLock { [name] in $0.append(name) }
  }

  /// Makes every write fail until the disk is healed. Reading succeeds.
  func breakWrites() { fail(FAULTY_DISK_WRITE, FAULTY_DISK_BREAKS, after: 0, times: .max) }

  /// Makes operations fail: `times` of them, after the next `skip` ones.
  func fail(_ operations: Int, _ failure: Int, after skip: Int64, times: Int64) {
    faulty_disk_fail(name, Int32(operations), skip, times, Int32(failure))
  }

  /// Lets everything succeed again.
  func heal() { fail(0, FAULTY_DISK_BREAKS, after: 0, times: 0) }
}
