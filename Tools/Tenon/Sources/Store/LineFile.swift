import Foundation
import TenonFoundation

/// Writes a file that appears when it is complete, or standard output.
struct LineFile {
  private let handle: FileHandle
  /// The file, and the one that is renamed to it; `nil` for standard output.
  private let files: (target: URL, draft: URL)?
  private var buffer: [UInt8] = []

  /// The number of bytes that are written at a time.
  private static let size = 1 << 18

  /// - Parameter path: the file; `nil` or `-` for standard output. Only its owner may read it, because the
  ///   database is private as well.
  init(_ path: String?) throws {
    guard let path, path != "-" else {
      (handle, files) = (.standardOutput, nil)
      return
    }
    let draft = "\(path).part-\(ProcessInfo.processInfo.processIdentifier)"
    guard
      FileManager.default.createFile(atPath: draft, contents: nil, attributes: [.posixPermissions: 0o600]),
      let handle = FileHandle(forWritingAtPath: draft)
    else {
      throw CommandError(
        "\(path) can't be written. Name a file in a directory that exists and can be written.")
    }
    (self.handle, files) = (handle, (URL(filePath: path), URL(filePath: draft)))
  }

  /// Writes a line.
  mutating func write(_ line: [UInt8]) throws {
    buffer += line
    buffer.append(10)
    if buffer.count >= Self.size { try flush() }
  }

  private mutating func flush() throws {
    do { try handle.write(contentsOf: buffer) } catch {
      throw CommandError("The output can't be written: \(error.systemReason).")
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes the rest. The file has its name from now on.
  mutating func finish() throws {
    try flush()
    guard let files else { return }
    do {
      try handle.synchronize()
      try handle.close()
      try OpenFile.replace(files.target, with: files.draft)
    } catch { throw CommandError("\(files.target.path) can't be written: \(error.systemReason).") }
  }

  /// Deletes an incomplete file.
  func discard() {
    guard let files else { return }
    try? FileManager.default.removeItem(at: files.draft)
  }
}

/// Reads the lines of a file, one at a time.
struct LineReader {
  private let handle: FileHandle
  private var buffer = Data()
  private var isAtEnd = false
  /// The number of the line that was read last, counted from 1.
  private(set) var number: Int64 = 0
  /// The greatest length of a line.
  private let limit: Int
  /// Receives what is read.
  var onRead: (Data) throws -> Void = { _ in }

  private static let size = 1 << 18

  init(_ handle: FileHandle, limit: Int) { (self.handle, self.limit) = (handle, limit) }

  /// Returns the next line without its end; `nil` at the end of the file.
  ///
  /// - Throws: ``CommandError`` if the file can't be read, or a line is too long.
  mutating func next() throws -> Data? {
    var searched = buffer.startIndex
    while true {
      if let end = buffer[searched...].firstIndex(of: 10) {
        let line = buffer[buffer.startIndex..<end]
        buffer = buffer[(end + 1)...]
        return finished(line)
      }
      searched = buffer.endIndex
      if isAtEnd {
        guard !buffer.isEmpty else { return nil }
        defer { buffer = Data() }
        return finished(buffer)
      }
      guard buffer.count <= limit else {
        throw CommandError("Line \(number + 1) has more than \(limit >> 20) MB, which no document has.")
      }
      let count = buffer.count
      let more: Data
      do { more = try handle.read(upToCount: Self.size) ?? Data() } catch {
        throw CommandError("The input can't be read: \(error.systemReason).")
      }
      isAtEnd = more.isEmpty
      try onRead(more)
      // A new buffer, because the old one still begins with the lines that were returned.
      buffer = Data(buffer) + more
      searched = buffer.startIndex + count
    }
  }

  private mutating func finished(_ line: Data) -> Data {
    number += 1
    return line.last == 13 ? line.dropLast() : line
  }
}
