#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The file beside a database that holds its newest transactions (https://sqlite.org/fileformat2.html#walformat).
///
/// SQLite reads it up to the first frame that doesn't fit, because a loss of power may leave the last transaction
/// unfinished, and one that was given up is written over. It does so too when the file was damaged in the middle, and drops
/// all transactions from there on without a word. The cases differ: frames follow one another by their checksums, and a
/// transaction follows one that was acknowledged. So where two transactions end in frames that follow one another behind
/// one that doesn't fit, the first of them was lost.
struct WriteAheadLog {
  private static let headerSize = 32
  private static let frameHeaderSize = 24

  let path: String

  /// The log of a database.
  init(of database: String) { path = database + "-wal" }

  /// The size in bytes; 0 when there is none.
  var size: Int { Self.size(of: path) }

  static func size(of path: String) -> Int {
    let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size]
    // A number of Foundation's on Apple platforms, a plain one elsewhere.
    return (size as? any BinaryInteger).map { Int($0) } ?? size as? Int ?? 0
  }

  /// What is wrong with the log, as a sentence; `nil` when nothing is, or it can't be read at all. Nobody may write to it
  /// meanwhile.
  func damage() -> String? {
    guard let log = try? Data(contentsOf: URL(filePath: path), options: .mappedIfSafe) else { return nil }
    return log.withUnsafeBytes { damage(in: $0) }
  }

  private func damage(in log: UnsafeRawBufferPointer) -> String? {
    guard log.count >= Self.headerSize, log[..<Self.headerSize].contains(where: { $0 != 0 }) else {
      return nil
    }
    guard let header = Header(log) else { return "the head of its write-ahead log \(path) is damaged" }

    let frameSize = Self.frameHeaderSize + header.pageSize
    let count = (log.count - Self.headerSize) / frameSize
    // What a frame follows by: the sums that the one before says it has, or has.
    var (said, found) = (header.sums, header.sums)
    var broken: Int?
    // Of the frames that follow one another, up to the present one.
    var (ends, isOfThisLog) = (0, false)
    for number in 0..<count {
      let start = Self.headerSize + number * frameSize
      func sums(after previous: Checksums) -> Checksums {
        var sums = previous
        sums.add(log, start..<start + 8, isBigEndian: header.isBigEndian)
        sums.add(log, start + Self.frameHeaderSize..<start + frameSize, isBigEndian: header.isBigEndian)
        return sums
      }
      let own = Checksums(log.word(start + 16), log.word(start + 20))
      let usual = sums(after: said)
      let follows = usual == own || (said != found && sums(after: found) == own)
      (found, said) = (usual, own)
      let hasSalts = Checksums(log.word(start + 8), log.word(start + 12)) == header.salts
      if !follows || (broken == nil && !hasSalts) {
        broken = broken ?? number
        (ends, isOfThisLog) = (0, false)
      }
      // Frames of older logs have other salts.
      if hasSalts { isOfThisLog = true }
      // A frame that ends a transaction tells the size of the database.
      if log.word(start + 4) != 0 { ends += 1 }
      if let broken, isOfThisLog, ends > 1 {
        return "its write-ahead log \(path) is damaged at page \(broken + 1) of \(count)"
      }
    }
    return nil
  }

  private struct Header {
    let isBigEndian: Bool
    let pageSize: Int
    let salts: Checksums
    let sums: Checksums

    /// `nil` when the bytes are no header.
    init?(_ log: UnsafeRawBufferPointer) {
      let magic = log.word(0)
      guard magic & ~1 == 0x377F_0682 else { return nil }
      isBigEndian = magic & 1 == 1
      pageSize = Int(log.word(8))
      salts = Checksums(log.word(16), log.word(20))
      var sums = Checksums(0, 0)
      sums.add(log, 0..<24, isBigEndian: isBigEndian)
      self.sums = sums
      guard sums == Checksums(log.word(24), log.word(28)), (512...65_536).contains(pageSize) else {
        return nil
      }
    }
  }

  /// Two numbers: the sums that go on from frame to frame, or the salts that tell this log's frames from older ones.
  private struct Checksums: Equatable {
    var first: UInt32
    var second: UInt32

    init(_ first: UInt32, _ second: UInt32) { (self.first, self.second) = (first, second) }

    /// Adds bytes, which are words in pairs.
    mutating func add(_ log: UnsafeRawBufferPointer, _ range: Range<Int>, isBigEndian: Bool) {
      for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
        let left = log.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        let right = log.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
        first &+= (isBigEndian ? UInt32(bigEndian: left) : UInt32(littleEndian: left)) &+ second
        second &+= (isBigEndian ? UInt32(bigEndian: right) : UInt32(littleEndian: right)) &+ first
      }
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The big-endian number at an offset.
  fileprivate func word(_ offset: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
