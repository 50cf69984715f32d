import Foundation
import SQLiteFaults

/// A disk for one test, with faults that the test injects.
final class FaultyDisk: Sendable {
  /// An operation of a disk.
  struct Operations: OptionSet, Sendable, CustomStringConvertible {
    let rawValue: Int
    static let open = Operations(rawValue: FAULTY_DISK_OPEN)
    static let read = Operations(rawValue: FAULTY_DISK_READ)
    static let write = Operations(rawValue: FAULTY_DISK_WRITE)
    static let truncate = Operations(rawValue: FAULTY_DISK_TRUNCATE)
    static let sync = Operations(rawValue: FAULTY_DISK_SYNC)
    static let lock = Operations(rawValue: FAULTY_DISK_LOCK)
    static let sharedMemory = Operations(rawValue: FAULTY_DISK_SHARED_MEMORY)
    static let size = Operations(rawValue: FAULTY_DISK_SIZE)
    static let delete = Operations(rawValue: FAULTY_DISK_DELETE)
    static let all = Operations(rawValue: 511)

    var description: String {
      let names = ["open", "read", "write", "truncate", "sync", "lock", "sharedMemory", "size", "delete"]
      return names.enumerated().filter { rawValue & 1 << $0.offset != 0 }.map(\.element).joined(
        separator: "+")
    }
  }

  /// The kind of a fault.
  enum Failure: Int, Sendable {
    case breaks = 0
    case isFull, writesShort, isBusy
  }

  let name = "faulty-\(UUID())"

  init() { faulty_disk_create(name) }
  deinit { faulty_disk_remove(name) }

  /// Makes operations fail: `times` of them, after the next `skip` ones.
  func fail(_ operations: Operations, _ failure: Failure, after skip: Int, times: Int = 1) {
    faulty_disk_fail(name, Int32(operations.rawValue), Int64(skip), Int64(times), Int32(failure.rawValue))
  }

  /// Removes all faults.
  func heal() { fail([], .breaks, after: 0, times: 0) }

  /// The number of failures since the last ``fail(_:_:after:times:)``.
  var failures: Int { Int(faulty_disk_failures(name)) }
}
