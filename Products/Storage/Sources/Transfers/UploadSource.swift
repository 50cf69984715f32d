import TenonFoundation
import TenonHashes
import TenonTransport

/// The content of an upload, of which one task reads pieces.
protocol UploadSource {
  /// The size in bytes; `nil` if it isn't known before the end.
  var total: Int64? { get }
  /// Whether all of the content can be read again, however much of it the server has stored.
  var isRepeatable: Bool { get }

  /// Returns bytes of the content.
  ///
  /// - Parameters:
  ///   - offset: the position of the first byte. The server has stored the bytes before, so they may be
  ///     forgotten.
  ///   - count: the number of bytes, at least 1.
  /// - Returns: `count` bytes, or fewer at the end; and whether nothing follows for certain.
  /// - Throws: ``StorageError``, also if the bytes can't be repeated; `LocalFile.Failure`; the error of a
  ///   stream.
  mutating func read(at offset: Int64, count: Int) async throws -> (bytes: Data, isLast: Bool)
}

/// Content in memory.
struct DataSource: UploadSource {
  /// The content.
  let content: Data
  var total: Int64? { Int64(content.count) }
  var isRepeatable: Bool { true }

  func read(at offset: Int64, count: Int) -> (bytes: Data, isLast: Bool) {
    let start = Int(clamping: offset)
    // Checked: the callers' offsets are from 0 to the size.
    let bytes = content.dropFirst(start).prefix(count)
    return (bytes, start &+ bytes.count >= content.count)
  }
}

/// The content of a file, which must not change during the upload. The next piece is read while the current
/// one is being sent.
struct FileSource: UploadSource {
  /// The object, for error messages.
  let reference: StorageReference
  /// The file.
  let file: LocalFile
  /// What the file was at the beginning.
  let identity: LocalFile.Identity
  /// The piece that is being read in advance, with its position and size.
  private var ahead: (offset: Int64, count: Int, piece: Task<Data, any Error>)?

  /// Creates the source of a file.
  ///
  /// - Parameters:
  ///   - file: the file, which is opened.
  ///   - reference: the object, for error messages.
  /// - Throws: `LocalFile.Failure` if the file can't be read.
  init(_ file: LocalFile, _ reference: StorageReference) async throws {
    self.file = file
    self.reference = reference
    identity = try await file.identity()
  }

  var total: Int64? { identity.size }
  var isRepeatable: Bool { true }

  mutating func read(at offset: Int64, count: Int) async throws -> (bytes: Data, isLast: Bool) {
    let bytes: Data
    if let ahead, ahead.offset == offset, ahead.count == count {
      bytes = try await ahead.piece.value
    } else {
      bytes = try await Self.piece(of: file, at: offset, count: count)
    }
    ahead = nil
    // The check comes after reading: a file that changes later was read as it was.
    let rest = max(0, identity.size - offset)
    guard try await file.identity() == identity, bytes.count == min(rest, Int64(clamping: count)) else {
      throw StorageError(
        .fileError,
        "\(reference): the file changed during the upload. Upload it again when nothing writes to it.")
    }
    let next = offset &+ Int64(bytes.count)
    if next < identity.size {
      ahead = (next, count, Task { [file] in try await Self.piece(of: file, at: next, count: count) })
    }
    return (bytes, next >= identity.size)
  }

  /// Returns bytes of a file.
  private static func piece(of file: LocalFile, at offset: Int64, count: Int) async throws -> Data {
    try await file.read(at: offset, count: count)
  }
}

/// Content that is produced while it is being uploaded. It keeps what the server hasn't confirmed.
struct StreamSource<Content: AsyncSequence>: UploadSource where Content.Element == Data {
  /// The object, for error messages.
  private let reference: StorageReference
  /// Produces the content.
  private var iterator: Content.AsyncIterator
  /// The bytes that were produced, without those that the server has confirmed.
  private var kept = Data()
  /// The position of the first byte of ``kept``.
  private var start: Int64 = 0
  /// Whether the content has ended.
  private var isOver = false
  let total: Int64?
  var isRepeatable: Bool { false }

  /// Creates the source of a stream.
  ///
  /// - Parameters:
  ///   - content: the content, in pieces of any size.
  ///   - total: its size in bytes; `nil` if it isn't known.
  ///   - reference: the object, for error messages.
  init(_ content: Content, total: Int64?, _ reference: StorageReference) {
    iterator = content.makeAsyncIterator()
    self.total = total
    self.reference = reference
  }

  mutating func read(at offset: Int64, count: Int) async throws -> (bytes: Data, isLast: Bool) {
    let end = start &+ Int64(kept.count)
    guard offset >= start, offset <= end else {
      throw StorageError(
        .unknown,
        "\(reference): the server has \(offset) bytes, and the stream can be repeated only from byte \(start). "
          + "Start the upload again.")
    }
    if offset > start {
      let confirmed = Int(clamping: offset &- start)
      // A copy doesn't keep the memory of the bytes before.
      // Checked: within the kept bytes.
      kept = Data(kept.dropFirst(confirmed))
      start = offset
    }
    while kept.count < count, !isOver {
      let piece = try await iterator.next(isolation: #isolation)
      // The stream of a cancelled task ends early.
      try Task.checkCancellation()
      if let piece { kept += piece } else { isOver = true }
      try check(produced: start &+ Int64(kept.count))
    }
    // Checked: at least 1, by contract.
    let bytes = kept.prefix(count)
    let position = start &+ Int64(bytes.count)
    if let total, position == total, !isOver {
      // Nothing may follow.
      while !isOver {
        let piece = try await iterator.next(isolation: #isolation)
        try Task.checkCancellation()
        if let piece { try check(produced: position &+ Int64(piece.count)) } else { isOver = true }
      }
    }
    return (bytes, isOver && bytes.count == kept.count)
  }

  /// Checks the number of bytes that were produced against the size.
  ///
  /// - Throws: ``StorageError/Code/invalidArgument``.
  private func check(produced count: Int64) throws(StorageError) {
    guard let total, isOver ? count != total : count > total else { return }
    throw StorageError(
      .invalidArgument,
      "\(reference): the stream has \(isOver ? "\(count)" : "more than \(total)") bytes, but the size is \(total). "
        + "Nothing was stored. Pass the right size, or nil.")
  }
}

extension ContentDigest {
  /// Returns the digest after further content. Long content is processed in parts, between which other tasks
  /// run.
  ///
  /// - Parameters:
  ///   - bytes: a piece of the content. What has been processed already is skipped.
  ///   - offset: the position of the piece, at most ``size``.
  @concurrent func extended(by bytes: Data, at offset: Int64) async -> ContentDigest {
    var digest = self
    // Checked: not negative, by contract; larger numbers leave nothing.
    var rest = bytes.dropFirst(Int(clamping: max(0, digest.size - offset)))
    while !rest.isEmpty {
      digest.update(rest.prefix(256 << 10))
      rest = rest.dropFirst(256 << 10)
      await Task.yield()
    }
    return digest
  }
}
