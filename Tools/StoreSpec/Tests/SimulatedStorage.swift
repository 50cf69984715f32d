import Foundation
import SQLiteFaults
import TenonFoundation
import TenonSQLite
import TenonStoreEngine

@testable import store_spec

/// The files of a simulated device, on a disk that fails when the test says so.
final class SimulatedStorage {
  private static let lastDirectory = Lock(0)
  /// In memory if possible: a simulation doesn't have to survive a power failure.
  private static let root: URL = {
    let memory = URL(filePath: "/dev/shm")
    let isWritable = FileManager.default.isWritableFile(atPath: memory.path)
    return isWritable ? memory : FileManager.default.temporaryDirectory
  }()

  private let disk = FaultyDisk()
  private let directory: URL
  private var generation = 0

  init() throws {
    let number = Self.lastDirectory.withLock { last in
      last += 1
      return last
    }
    let name = "tenon-simulation-\(ProcessInfo.processInfo.processIdentifier)-\(number)"
    directory = Self.root.appending(path: name)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  private var path: String { directory.appending(path: "\(generation).sqlite").path }

  /// Opens the database.
  func open() throws -> Connection {
    try Connection.open(path, migrations: LocalSchema.migrations, disk: disk.name)
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
    disk.fail(
      operations.randomElement(using: &random) ?? 0, failures.randomElement(using: &random) ?? 0,
      after: .random(in: 0..<20, using: &random), times: .random(in: 1..<8, using: &random))
  }

  /// Lets everything succeed again.
  func heal() { disk.heal() }
}
