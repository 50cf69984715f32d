internal import TenonChecksums

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file beside a database that holds its newest transactions (https://sqlite.org/fileformat2.html#walformat).
///
/// SQLite reads it up to the first frame that doesn't match its checksum, because a loss of power may leave the last
/// transaction unfinished, and a transaction that was rolled back is overwritten. It does the same when the file was damaged
/// in the middle, and drops all later transactions silently. Two things tell damage from an unfinished transaction:
///
/// - The mark beside the log says how far it was valid when a commit last reached the disk.
/// - Frames follow one another by their checksums, and a transaction follows one that was acknowledged. So if two transactions
///   end in frames that follow one another behind one that doesn't match, the first of them was lost.
struct WriteAheadLog {
  private static let headerSize = 32
  private static let frameHeaderSize = 24
  /// How many frames are read at a time.
  private static let framesPerRead = 64

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
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    let head = Self.read(Self.headerSize, from: file)
    guard head.count == Self.headerSize, head.contains(where: { $0 != 0 }) else { return nil }
    guard let header = head.withUnsafeBytes({ Header($0) }) else {
      // An empty mark says that a new log was begun. If its head was written in part, SQLite needs nothing of the log before.
      return recordedMark?.isEmpty == true ? nil : "the head of its write-ahead log \(path) is damaged"
    }
    let frameSize = Self.frameHeaderSize + header.pageSize
    var scan = Scan(header, mark)
    while true {
      let frames = Self.read(frameSize * Self.framesPerRead, from: file)
      guard frames.count >= frameSize else { break }
      frames.withUnsafeBytes { frames in
        for start in stride(from: 0, through: frames.count - frameSize, by: frameSize) {
          scan.take(UnsafeRawBufferPointer(rebasing: frames[start..<start + frameSize]))
        }
      }
    }
    guard let number = scan.damagedFrame else { return nil }
    return "its write-ahead log \(path) is damaged at page \(number) of \(scan.count)"
  }

  private static func read(_ count: Int, from file: UnsafeMutablePointer<FILE>) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
      filled = fread(bytes.baseAddress, 1, count, file)
    }
  }

  /// The bytes of the mark; `nil` when there is none.
  private var recordedMark: Data? { FileManager.default.contents(atPath: path + TENON_LOG_MARK_SUFFIX) }

  /// What was recorded of the log, as far as that can be read.
  private var mark: tenon_log_mark? {
    var mark = tenon_log_mark()
    guard let bytes = recordedMark else { return nil }
    return bytes.withUnsafeBytes { tenon_decode_log_mark($0.baseAddress, $0.count, &mark) } != 0 ? mark : nil
  }

  /// Looks at one frame after the other.
  private struct Scan {
    /// How many frames there are.
    private(set) var count = 0
    private let header: Header
    /// `nil` when nothing is recorded of this log.
    private let mark: tenon_log_mark?
    private var isMarkReached = false
    /// What a frame follows by: the sums that the one before says it has, or has.
    private var (said, found): (LogSums, LogSums)
    /// The first frame that doesn't match, from 0 on.
    private var broken: Int?
    /// Of the frames that follow one another, up to the present one.
    private var (ends, isOfThisLog) = (0, false)
    /// Whether two transactions end behind the broken frame.
    private var hasLaterTransactions = false

    init(_ header: Header, _ mark: tenon_log_mark?) {
      self.header = header
      self.mark = mark.flatMap { LogSums($0.salts) == header.salts ? $0 : nil }
      (said, found) = (header.sums, header.sums)
    }

    mutating func take(_ frame: UnsafeRawBufferPointer) {
      let own = LogSums(frame, at: 16)
      let usual = said.adding(frame, header)
      let follows = usual == own || (said != found && found.adding(frame, header) == own)
      (found, said) = (usual, own)
      let hasSalts = LogSums(frame, at: 8) == header.salts
      if !follows || (broken == nil && !hasSalts) {
        broken = broken ?? count
        (ends, isOfThisLog) = (0, false)
      }
      // Frames of older logs have other salts.
      if hasSalts { isOfThisLog = true }
      // A frame that ends a transaction tells the size of the database.
      if frame.word(4) != 0 { ends += 1 }
      if broken != nil, isOfThisLog, ends > 1 { hasLaterTransactions = true }
      count += 1
      if let mark, broken == nil, count == mark.frames, own == LogSums(mark.sums) { isMarkReached = true }
    }

    /// The number of the frame, from 1 on, where a transaction was lost that had been acknowledged.
    var damagedFrame: Int? {
      guard hasLaterTransactions || (mark != nil && !isMarkReached) else { return nil }
      return (broken ?? count) + 1
    }
  }

  private struct Header {
    let isBigEndian: Bool
    let pageSize: Int
    let salts: LogSums
    private(set) var sums = LogSums()

    /// `nil` when the bytes are no header.
    init?(_ log: UnsafeRawBufferPointer) {
      let magic = log.word(0)
      guard magic & ~1 == 0x377F_0682 else { return nil }
      isBigEndian = magic & 1 == 1
      pageSize = Int(log.word(8))
      salts = LogSums(log, at: 16)
      sums.add(log, 0..<24, isBigEndian: isBigEndian)
      guard sums == LogSums(log, at: 24), (512...65_536).contains(pageSize), pageSize % 8 == 0 else {
        return nil
      }
    }
  }

  /// Two numbers: the sums that go on from frame to frame, or the salts that tell this log's frames from older ones.
  private struct LogSums: Equatable {
    private var (first, second): (UInt32, UInt32) = (0, 0)

    init() {}

    init(_ log: UnsafeRawBufferPointer, at offset: Int) {
      (first, second) = (log.word(offset), log.word(offset + 4))
    }

    /// Eight bytes as C imports them.
    init<Bytes>(_ bytes: Bytes) { self = withUnsafeBytes(of: bytes) { LogSums($0, at: 0) } }

    /// Adds bytes, which are words in pairs.
    mutating func add(_ log: UnsafeRawBufferPointer, _ range: Range<Int>, isBigEndian: Bool) {
      var sums = (first, second)
      let bytes = UnsafeRawBufferPointer(rebasing: log[range])
      withUnsafeMutableBytes(of: &sums) { sums in
        tenon_log_checksum(
          bytes.baseAddress, bytes.count, isBigEndian ? 1 : 0,
          sums.baseAddress?.assumingMemoryBound(to: UInt32.self))
      }
      (first, second) = sums
    }

    /// The sums of a frame that follows.
    func adding(_ frame: UnsafeRawBufferPointer, _ header: Header) -> LogSums {
      var sums = self
      sums.add(frame, 0..<8, isBigEndian: header.isBigEndian)
      sums.add(frame, frameHeaderSize..<frame.count, isBigEndian: header.isBigEndian)
      return sums
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The big-endian number at an offset.
  fileprivate func word(_ offset: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
