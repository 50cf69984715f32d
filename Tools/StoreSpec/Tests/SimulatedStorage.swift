import Foundation
import SQLiteFaults
import TenonFoundation
import TenonSQLite
import TenonStoreEngine

/// The files of a simulated device, on a disk that fails when the test says so.
final class SimulatedStorage {
  /// Disks that aren't in use. SQLite never forgets a disk, so they are reused.
  private static let freeDisks = Lock<[String]>([])
  private static let lastDirectory = Lock(0)
  /// In memory if possible: a simulation doesn't have to survive a power failure.
  private static let root: URL = {
    let memory = URL(filePath: "/dev/shm")
    let isWritable = FileManager.default.isWritableFile(atPath: memory.path)
    return isWritable ? memory : FileManager.default.temporaryDirectory
  }()

  private let disk: String
  private let directory: URL
  private var generation = 0

  init() throws {
    let free = Self.freeDisks.withLock { $0.popLast() }
    disk = free ?? "simulated-\(UUID())"
    if free == nil { faulty_disk_create(disk) }
    let number = Self.lastDirectory.withLock { last in
      last += 1
      return last
    }
    let name = "tenon-simulation-\(ProcessInfo.processInfo.processIdentifier)-\(number)"
    directory = Self.root.appending(path: name)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  deinit {
    heal()
    Self.freeDisks.withLock { $0.append(disk) }
    try? FileManager.default.removeItem(at: directory)
  }

  private var path: String { directory.appending(path: "\(generation).sqlite").path }

  /// Opens the database.
  func open() throws -> Connection {
    try Connection.open(path, migrations: LocalSchema.migrations, disk: disk)
  }

  /// Leaves the database as if the process were killed now: it is opened from copies of its files next.
  /// Connections that have it open keep the previous ones.
  func kill() throws {
    let former = path
    generation += 1
    for suffix in ["", "-wal", "-walmark"]
    where FileManager.default.fileExists(atPath: former + suffix) {
      try FileManager.default.copyItem(atPath: former + suffix, toPath: path + suffix)
    }
  }

  /// Lets some of the next operations fail.
  func fail(using random: inout some RandomNumberGenerator) {
    let operations = [
      FAULTY_DISK_WRITE, FAULTY_DISK_SYNC, FAULTY_DISK_READ, FAULTY_DISK_LOCK,
      FAULTY_DISK_WRITE | FAULTY_DISK_SYNC,
    ]
    let failures = [FAULTY_DISK_BREAKS, FAULTY_DISK_IS_FULL, FAULTY_DISK_WRITES_SHORT]
    faulty_disk_fail(
      disk, Int32(operations.randomElement(using: &random) ?? 0),
      .random(in: 0..<20, using: &random),
      .random(in: 1..<8, using: &random), Int32(failures.randomElement(using: &random) ?? 0))
  }

  /// Lets everything succeed again.
  func heal() { faulty_disk_fail(disk, 0, 0, 0, 0) }
}
