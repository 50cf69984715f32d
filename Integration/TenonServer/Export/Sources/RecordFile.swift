package import TenonFoundation
import TenonHashes

/// The form of files with records: blocks of 32 KiB, each with fragments of records, which have a checksum, a
/// length and a type before them (https://github.com/google/leveldb/blob/main/doc/log_format.md).
enum RecordForm {
  static let blockSize = 32_768
  static let headSize = 7

  /// The types of fragments.
  enum Fragment: UInt8 { case full = 1, first, middle, last }

  /// Returns the checksum of a fragment. It is rotated and moved, because records may contain checksums.
  static func checksum(_ type: UInt8, _ content: some Collection<UInt8>) -> UInt32 {
    var crc = CRC32C()
    crc.update([type])
    crc.update(content)
    // Checked: the sum wraps around.
    return (crc.value >> 15 | crc.value << 17) &+ 0xA282_EAD8
  }
}

/// Writes records into a new file. Its calls block.
package final class RecordWriter {
  private let file: OpenFile
  private let path: String
  private var buffer = Data()
  /// The number of bytes of the current block.
  private var used = 0
  /// The number of bytes that have been written.
  package private(set) var size: Int64 = 0

  /// Creates a file.
  ///
  /// - Throws: ``ExportProblem``.
  package init(_ url: URL) throws(ExportProblem) {
    path = url.path
    file = try ExportProblem.naming(path) { try OpenFile(creating: url) }
  }

  /// Appends a record.
  ///
  /// - Throws: ``ExportProblem``.
  package func append(_ record: [UInt8]) throws(ExportProblem) {
    var rest = record[...]
    var isFirst = true
    repeat {
      if RecordForm.blockSize - used < RecordForm.headSize {
        put([UInt8](repeating: 0, count: RecordForm.blockSize - used))
      }
      let part = rest.prefix(RecordForm.blockSize - used - RecordForm.headSize)
      rest = rest.dropFirst(part.count)
      let type: RecordForm.Fragment =
        rest.isEmpty ? (isFirst ? .full : .last) : (isFirst ? .first : .middle)
      put(Self.head(type, part))
      put(part)
      isFirst = false
    } while !rest.isEmpty
    if buffer.count >= 1 << 18 { try flush() }
  }

  private static func head(_ type: RecordForm.Fragment, _ part: ArraySlice<UInt8>) -> [UInt8] {
    let checksum = RecordForm.checksum(type.rawValue, part)
    let length = UInt16(clamping: part.count)
    return [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: checksum >> UInt32($0)) }
      + [UInt8(truncatingIfNeeded: length), UInt8(truncatingIfNeeded: length >> 8), type.rawValue]
  }

  private func put(_ bytes: some Collection<UInt8>) {
    buffer.append(contentsOf: bytes)
    used = (used + bytes.count) % RecordForm.blockSize
    size += Int64(bytes.count)
  }

  private func flush() throws(ExportProblem) {
    let content = buffer
    buffer = Data()
    try ExportProblem.naming(path) { try file.append(content) }
  }

  /// Writes what is left, and flushes the file to the disk.
  ///
  /// - Throws: ``ExportProblem``.
  package func finish() throws(ExportProblem) {
    try flush()
    try ExportProblem.naming(path) { try file.synchronize() }
  }
}

/// Reads the records of a file. Its calls block.
package final class RecordReader {
  private let file: OpenFile
  private let path: String
  private var block: [UInt8] = []
  private var position = 0
  /// The number of bytes before the block.
  private var start: Int64 = 0
  private var isAtEnd = false
  /// The greatest size of a record, in bytes.
  private let longest: Int

  /// Opens a file.
  ///
  /// - Parameter longest: the greatest size of a record.
  /// - Throws: ``ExportProblem``.
  package init(_ url: URL, longest: Int = 32 << 20) throws(ExportProblem) {
    path = url.path
    self.longest = longest
    file = try ExportProblem.naming(path) { try OpenFile(reading: url) }
  }

  /// The number of bytes before the next record.
  package var place: Int64 { start + Int64(position) }

  /// Returns the next record; `nil` at the end.
  ///
  /// - Throws: ``ExportProblem`` for a file that is damaged or ends within a record.
  package func next() throws(ExportProblem) -> [UInt8]? {
    var record: [UInt8]?
    while let (type, content, place) = try fragment() {
      switch (type, record) {
      case (.full, nil): return Array(content)
      case (.first, nil): record = Array(content)
      case (.middle, var found?), (.last, var found?):
        guard found.count + content.count <= longest else {
          throw ExportProblem(path, at: place, "A record has more than \(longest) bytes.")
        }
        found += content
        if type == .last { return found }
        record = found
      default:
        throw ExportProblem(
          path, at: place, "The parts of a record aren't in their order, so the file is damaged.")
      }
    }
    if record != nil { throw ExportProblem(path, at: place, "The file ends within a record.") }
    return nil
  }

  private func fragment() throws(ExportProblem) -> (RecordForm.Fragment, ArraySlice<UInt8>, Int64)? {
    while true {
      if block.count - position < RecordForm.headSize {
        guard try readBlock() else { return nil }
        continue
      }
      let head = block[position..<position + RecordForm.headSize]
      // What is left of a block is zero, which reading the next one verifies.
      if head.allSatisfy({ $0 == 0 }) {
        guard try readBlock() else { return nil }
        continue
      }
      let place = place
      let length = Int(head[position + 4]) | Int(head[position + 5]) << 8
      let checksum = (0..<4).reduce(UInt32(0)) { $0 | UInt32(head[position + $1]) << UInt32(8 * $1) }
      let content = position + RecordForm.headSize
      guard length <= block.count - content, let type = RecordForm.Fragment(rawValue: head[position + 6])
      else {
        throw ExportProblem(
          path, at: place, "This isn't a part of a record, so the file is damaged or incomplete.")
      }
      let part = block[content..<content + length]
      guard RecordForm.checksum(type.rawValue, part) == checksum else {
        throw ExportProblem(path, at: place, "The checksum of a record is wrong, so the file is damaged.")
      }
      position = content + length
      return (type, part, place)
    }
  }

  private func readBlock() throws(ExportProblem) -> Bool {
    let left = block[position...]
    guard left.allSatisfy({ $0 == 0 }) else {
      throw ExportProblem(path, at: place, "The rest of a block isn't zero, so the file is damaged.")
    }
    start += Int64(block.count)
    (block, position) = ([], 0)
    guard !isAtEnd else { return false }
    let next = try ExportProblem.naming(path) { try file.bytes(upTo: RecordForm.blockSize) }
    isAtEnd = next.count < RecordForm.blockSize
    block = Array(next)
    return !block.isEmpty
  }
}
