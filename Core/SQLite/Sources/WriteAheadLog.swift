internal import TenonChecksums

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(ucrt)
  import ucrt
#endif

/// The write-ahead log of a database: the file that holds its most recent transactions
/// (https://sqlite.org/fileformat2.html#walformat).
///
/// SQLite recovers a log up to the first frame whose checksum doesn't match, because a power failure can
/// leave the last transaction incomplete, and the frames of a rolled-back transaction are overwritten. It
/// does the same when the file was damaged in the middle, and then silently drops all later transactions. Two
/// observations distinguish damage from an incomplete transaction:
///
/// - The mark beside the log (`tenon_log_mark`) records how far the log was valid after the last commit that
///   reached the disk.
/// - Each frame's checksum continues the checksum of the frame before it, and a transaction is appended only
///   after the previous one was acknowledged. If two transactions end in consecutive frames behind a frame
///   that doesn't match, the first of them was acknowledged and lost.
struct WriteAheadLog {
  /// The size of the log's header, in bytes.
  private static let headerSize = 32
  /// The size of the header of a frame, in bytes. The page follows it.
  private static let frameHeaderSize = 24
  /// The number of frames to read at a time.
  private static let framesPerRead = 64

  /// The path of the log.
  let path: String

  /// Creates a value for the log of a database. Neither file has to exist.
  ///
  /// - Parameter database: the path of the database.
  init(of database: String) { path = database + "-wal" }

  /// The size of the log in bytes; 0 if there is no log.
  var size: Int { Self.size(of: path) }

  /// Returns the size of a file in bytes; 0 if there is no such file.
  ///
  /// The file isn't opened: closing it again would release the POSIX locks that SQLite holds on it in this
  /// process (https://sqlite.org/howtocorrupt.html, section 2.2).
  static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(clamping: status.st_size) : 0
  }

  /// Returns a sentence that describes the damage to the log.
  ///
  /// Reads the whole log, at most ``framesPerRead`` frames at a time. No connection may write to the log
  /// during this.
  ///
  /// - Returns: `nil` if the log is intact, doesn't exist or can't be read.
  func damage() -> String? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    let head = Self.read(Self.headerSize, from: file)
    guard head.count == Self.headerSize, head.contains(where: { $0 != 0 }) else { return nil }
    guard let header = head.withUnsafeBytes({ Header($0) }) else {
      // An empty mark means that a new log was begun. If its header was written in part, nothing in the log
      // before it is needed any more.
      return recordedMark?.isEmpty == true ? nil : "the header of its write-ahead log \(path) is damaged"
    }
    let frameSize = Self.frameHeaderSize + header.pageSize
    var scan = FrameScan(header, mark)
    while true {
      let frames = Self.read(frameSize * Self.framesPerRead, from: file)
      guard frames.count >= frameSize else { break }
      frames.withUnsafeBytes { frames in
        for start in stride(from: 0, through: frames.count - frameSize, by: frameSize) {
          // Checked: the size of a frame is positive.
          scan.verify(UnsafeRawBufferPointer(rebasing: frames[start..<start + frameSize]))
        }
      }
    }
    guard let number = scan.damagedFrame else { return nil }
    return "its write-ahead log \(path) is damaged at page \(number) of \(scan.count)"
  }

  /// Reads the next bytes of a file; fewer than `count` at its end.
  private static func read(_ count: Int, from file: UnsafeMutablePointer<FILE>) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
      filled = fread(bytes.baseAddress, 1, count, file)
    }
  }

  /// The bytes of the mark; `nil` if there is no mark. A valid one has `TENON_LOG_MARK_SIZE` bytes.
  private var recordedMark: [UInt8]? {
    guard let file = fopen(path + TENON_LOG_MARK_SUFFIX, "rb") else { return nil }
    defer { fclose(file) }
    return Self.read(Int(TENON_LOG_MARK_SIZE), from: file)
  }

  /// The mark; `nil` if there is none or its checksum doesn't match.
  private var mark: tenon_log_mark? {
    var mark = tenon_log_mark()
    guard let bytes = recordedMark else { return nil }
    return tenon_decode_log_mark(bytes, bytes.count, &mark) != 0 ? mark : nil
  }

  /// Verifies the frames of a log in their order.
  private struct FrameScan {
    /// The number of frames that were verified.
    private(set) var count = 0
    private let header: Header
    /// The mark of this log; `nil` if none was recorded for it.
    private let mark: tenon_log_mark?
    /// Whether the frame that the mark names was found, with its checksum, before any mismatch.
    private var isMarkReached = false
    /// The checksum of the previous frame: as its header states it, and as computed from its bytes. The next
    /// frame may continue either one; they differ if the bytes of the previous frame were changed.
    private var (stored, computed): (LogChecksum, LogChecksum)
    /// The index of the first frame that doesn't match, counted from 0.
    private var firstMismatch: Int?
    /// For the consecutive matching frames up to the present one: the number of commits among them, and
    /// whether one of the frames has the salts of this log.
    private var (commits, hasFramesOfThisLog) = (0, false)
    /// Whether two transactions end behind the first mismatch.
    private var hasLaterTransactions = false

    /// Creates a scan that has verified no frame yet.
    ///
    /// - Parameters:
    ///   - header: the header of the log.
    ///   - mark: the mark beside the log. It is ignored if its salts aren't those of the log.
    init(_ header: Header, _ mark: tenon_log_mark?) {
      self.header = header
      self.mark = mark.flatMap { LogChecksum($0.salts) == header.salts ? $0 : nil }
      (stored, computed) = (header.checksum, header.checksum)
    }

    /// Verifies the next frame.
    ///
    /// - Parameter frame: the frame's header and page, of the size that the log's header states.
    mutating func verify(_ frame: UnsafeRawBufferPointer) {
      let own = LogChecksum(frame, at: 16)
      let expected = stored.adding(frame, header)
      let follows = expected == own || (stored != computed && computed.adding(frame, header) == own)
      (computed, stored) = (expected, own)
      let hasSalts = LogChecksum(frame, at: 8) == header.salts
      if !follows || (firstMismatch == nil && !hasSalts) {
        firstMismatch = firstMismatch ?? count
        (commits, hasFramesOfThisLog) = (0, false)
      }
      // Frames that an earlier log left in the file have other salts.
      if hasSalts { hasFramesOfThisLog = true }
      // The header of a commit frame has the size of the database; that of any other frame has 0.
      if frame.word(4) != 0 { commits += 1 }
      if firstMismatch != nil, hasFramesOfThisLog, commits > 1 { hasLaterTransactions = true }
      count += 1
      if let mark, firstMismatch == nil, count == mark.frames, own == LogChecksum(mark.sums) {
        isMarkReached = true
      }
    }

    /// The number of the frame, counted from 1, at which an acknowledged transaction was lost; `nil` if none
    /// was.
    var damagedFrame: Int? {
      guard hasLaterTransactions || (mark != nil && !isMarkReached) else { return nil }
      return (firstMismatch ?? count) + 1
    }
  }

  /// The header of a log.
  private struct Header {
    /// Whether checksums read the log as big-endian words; otherwise as little-endian ones.
    let isBigEndian: Bool
    /// The size of a page in bytes.
    let pageSize: Int
    /// Two random numbers that every frame of this log repeats.
    let salts: LogChecksum
    /// The checksum of the header, which the first frame continues.
    private(set) var checksum = LogChecksum()

    /// Decodes a header.
    ///
    /// - Returns: `nil` if the bytes aren't a valid header: wrong magic number, checksum or page size.
    init?(_ log: UnsafeRawBufferPointer) {
      let magic = log.word(0)
      guard magic & ~1 == 0x377F_0682 else { return nil }
      isBigEndian = magic & 1 == 1
      pageSize = Int(clamping: log.word(8))
      salts = LogChecksum(log, at: 16)
      checksum.add(log, 0..<24, isBigEndian: isBigEndian)
      guard checksum == LogChecksum(log, at: 24), (512...65_536).contains(pageSize), pageSize % 8 == 0 else {
        return nil
      }
    }
  }

  /// A pair of 32-bit words: the cumulative checksum of a log
  /// (https://sqlite.org/fileformat2.html#checksum_algorithm), or the salts of a log.
  private struct LogChecksum: Equatable {
    private var (first, second): (UInt32, UInt32) = (0, 0)

    /// Creates the checksum of no bytes.
    init() {}

    /// Reads a pair of big-endian words from a log.
    init(_ log: UnsafeRawBufferPointer, at offset: Int) {
      (first, second) = (log.word(offset), log.word(offset + 4))
    }

    /// Reads a pair of big-endian words from eight bytes, which C imports as a tuple.
    init<Bytes>(_ bytes: Bytes) { self = withUnsafeBytes(of: bytes) { LogChecksum($0, at: 0) } }

    /// Adds bytes to the checksum. Their number must be a multiple of 8.
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

    /// Returns the checksum of a frame that continues this one: of the first 8 bytes of its header, and its
    /// page.
    func adding(_ frame: UnsafeRawBufferPointer, _ header: Header) -> LogChecksum {
      var sums = self
      sums.add(frame, 0..<8, isBigEndian: header.isBigEndian)
      // Checked: a frame has a header and a page.
      sums.add(frame, frameHeaderSize..<frame.count, isBigEndian: header.isBigEndian)
      return sums
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the big-endian 32-bit word at an offset, which need not be aligned.
  fileprivate func word(_ offset: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
