import Foundation
import TenonCore

/// A file on this machine, read and written on a thread of its own.
actor LocalFile {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let executor = QueueExecutor(label: "tenon-storage-file")
  private let url: URL
  private var handle: FileHandle?

  init(_ url: URL) { self.url = url }

  /// The file's size in bytes.
  func size() throws -> Int64 {
    let handle = try opened()
    return Int64(try handle.seekToEnd())
  }

  /// Up to `count` bytes from a place on.
  func read(at offset: Int64, count: Int) throws -> Data {
    let handle = try opened()
    try handle.seek(toOffset: UInt64(offset))
    return try handle.read(upToCount: count) ?? Data()
  }

  /// Makes the file, empty.
  func create() throws {
    try Data().write(to: url)
    handle = try FileHandle(forWritingTo: url)
  }

  func append(_ content: Data) throws { try handle?.write(contentsOf: content) }

  /// Puts the file in another one's place, when its content is on the disk.
  func move(to other: URL) throws {
    try handle?.synchronize()
    try handle?.close()
    handle = nil
    // rename(2) replaces in one step.
    guard rename(url.path, other.path) == 0 else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: other.path])
    }
  }

  func remove() {
    try? handle?.close()
    handle = nil
    try? FileManager.default.removeItem(at: url)
  }

  private func opened() throws -> FileHandle {
    if let handle { return handle }
    let handle = try FileHandle(forReadingFrom: url)
    self.handle = handle
    return handle
  }
}
