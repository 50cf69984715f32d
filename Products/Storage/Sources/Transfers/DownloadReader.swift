import TenonFoundation
import TenonHashes
import TenonTransport
import TenonTransportInterop

/// Receives the content of an object, or a part of it, in as many requests as the network makes necessary.
///
/// A request that fails is repeated for the bytes that are missing, until ``Storage/maxDownloadRetryTime``
/// has passed without a further byte. If the object has changed in between, the content begins again.
struct DownloadReader {
  /// What ``next()`` returns.
  enum Event {
    /// The content begins. What was received before belongs to another version and is void.
    ///
    /// - size: the number of bytes that follow; `nil` if the server doesn't state it.
    case begins(size: Int64?)
    /// The next bytes, at least one.
    case bytes(Data)
  }

  /// The object.
  let reference: StorageReference
  /// When the download ends at the latest.
  let end: ContinuousClock.Instant
  /// The offsets of the bytes to receive.
  private let range: Range<Int64>
  /// Whether ``range`` is the whole object.
  private let isWhole: Bool
  /// The offset of the next byte.
  private(set) var position: Int64
  /// The version that the bytes before ``position`` belong to; `nil` before the first response.
  private(set) var version: ObjectVersion?
  /// The response that is being received; `nil` if the next bytes have to be requested.
  private var response: DownloadResponse?
  /// Whether bytes of ``response`` have been returned.
  private var hasDelivered = false
  /// The number of failures since the last byte.
  private var failures = 0
  /// How often the content has begun again.
  private var restarts = 0
  /// The last failure after which the missing bytes were requested again; `nil` if there was none.
  private var lastFailure: StorageError?
  /// When the last byte arrived, or the download began.
  private var lastProgress: ContinuousClock.Instant

  /// The number of versions of an object that a download begins to receive, so that one that changes all the
  /// time ends it.
  private static let restartLimit = 10

  /// The client of the app.
  private var client: StorageClient { reference.storage.client }
  /// The clock.
  private var time: TimeSource { client.http.time }

  /// Creates a reader. Nothing is sent yet.
  ///
  /// - Parameters:
  ///   - reference: the object.
  ///   - range: the part of the content; `nil` for all of it.
  /// - Throws: ``StorageError`` if the reference or the range is invalid.
  init(_ reference: StorageReference, range: Range<Int64>? = nil) throws(StorageError) {
    if let range, range.isEmpty || range.lowerBound < 0 {
      throw StorageError(
        .invalidArgument, "\(reference): the range \(range) is empty or has negative offsets. Correct it.")
    }
    try reference.checkObject()
    self.range = range ?? 0..<Int64.max
    isWhole = range == nil
    self.reference = reference
    position = self.range.lowerBound
    end = reference.storage.transferEnd
    lastProgress = reference.storage.client.http.time.now()
  }

  /// Creates a reader of the bytes that are missing of a whole content. Nothing is sent yet.
  ///
  /// - Parameters:
  ///   - reference: the object.
  ///   - position: the number of bytes that are known.
  ///   - version: the version that they belong to; `nil` if there are none.
  ///   - end: when the download ends at the latest.
  init(
    _ reference: StorageReference, from position: Int64, of version: ObjectVersion?,
    until end: ContinuousClock.Instant
  ) {
    self.reference = reference
    self.end = end
    range = 0..<Int64.max
    isWhole = true
    self.position = position
    self.version = version
    lastProgress = reference.storage.client.http.time.now()
  }

  /// Returns the next event; `nil` when everything has been received. Only ``verify(_:)`` checks what was
  /// received.
  ///
  /// - Throws: ``StorageError``; Auth's error; `CancellationError`.
  mutating func next() async throws -> Event? {
    while true {
      do throws(DownloadFailure) {
        if response == nil {
          if let size = version?.size, position >= min(size, range.upperBound) { return nil }
          if let event = try await open() { return event }
          // The range ended, or the server's state has to be asked again.
          continue
        }
        if let chunk = try await receive() {
          reference.count(chunk.count, of: .download)
          return .bytes(chunk)
        }
        if position >= range.upperBound || version?.size.map({ position >= $0 }) ?? true { return nil }
        // A server may send less than it was asked for, but not nothing.
        guard hasDelivered else {
          throw .temporary(reference.unexpected("no byte from offset \(position)"), retryAfter: nil)
        }
      } catch {
        response = nil
        try await wait(after: error)
      }
    }
  }

  // MARK: - Responses

  /// Requests the missing bytes.
  ///
  /// - Returns: an event if the content begins; `nil` if it continues or has to be requested again.
  private mutating func open() async throws(DownloadFailure) -> Event? {
    // Without a size, the body may have been decompressed on the way, and offsets in it mean nothing to the
    // server.
    let isPart = !isWhole || position > 0 && version?.size != nil
    let field =
      isPart ? "bytes=\(position)-\(range.upperBound == .max ? "" : "\(range.upperBound - 1)")" : nil
    let answer = try await client.content(of: reference, range: field, until: end, since: lastProgress)
    switch answer {
    case .unsatisfiable(let size):
      guard isPart else { throw .final(reference.unexpected("status 416 to a request without a range")) }
      guard position > range.lowerBound else {
        throw .final(
          StorageError(
            .invalidArgument,
            "\(reference): the range begins at offset \(position), but the object has \(size.map { "\($0)" } ?? "fewer") bytes."
          ))
      }
      // The object is shorter than before.
      try restart()
      return nil
    case .content(let new): return try accept(new)
    }
  }

  /// Checks that a response contains the missing bytes, and makes it the current one.
  private mutating func accept(_ new: DownloadResponse) throws(DownloadFailure) -> Event? {
    hasDelivered = false
    let isFirst = version == nil
    let isSame = version.map { $0.isSame(as: new.version) } ?? false
    guard new.offset <= position || !isFirst && !isSame else {
      throw .final(reference.unexpected("bytes from offset \(new.offset) instead of \(position)"))
    }
    if isFirst || isSame {
      if isSame, let size = version?.size, let stated = new.version.size, stated != size {
        throw .final(reference.unexpected("\(stated) bytes instead of \(size) of the same version"))
      }
      response = new
      if isFirst { version = new.version }
      return isFirst ? .begins(size: size) : nil
    }
    // The object was replaced. A response from the beginning already has its new content.
    try restart()
    guard new.offset <= position else { return nil }
    (response, version) = (new, new.version)
    return .begins(size: size)
  }

  /// The number of bytes to receive; `nil` if the server doesn't state it.
  private var size: Int64? {
    version?.size.map { max(0, min($0, range.upperBound) - range.lowerBound) }
  }

  /// Discards what was received, because the object has changed.
  private mutating func restart() throws(DownloadFailure) {
    let isIdentified = version?.isIdentified ?? true
    position = range.lowerBound
    version = nil
    restarts += 1
    guard restarts < Self.restartLimit else {
      if !isIdentified, let lastFailure {
        throw .final(
          StorageError(
            lastFailure.code,
            "\(lastFailure.message) The download began again \(restarts) times, because the server doesn't say which version of the "
              + "object it sends.", underlying: lastFailure.underlying))
      }
      throw .final(
        StorageError(
          .unavailable,
          "\(reference) was replaced \(restarts) times while it was being downloaded. Try again later."))
    }
  }

  /// Returns the next bytes of the current response that belong to the range; `nil` at its end.
  private mutating func receive() async throws(DownloadFailure) -> Data? {
    while true {
      guard time.now() < end else {
        throw .final(StorageError(late: reference, limit: "Storage.maxTransferTime"))
      }
      guard var current = response else { return nil }
      response = nil
      guard position < range.upperBound else { return nil }
      guard var chunk = try await current.next(of: reference) else {
        // Without a stated size, the end of the body is that of the content.
        if version?.size == nil { version?.size = current.offset }
        if !isWhole, position == range.lowerBound, let size = version?.size, size <= position {
          throw .final(
            StorageError(
              .invalidArgument,
              "\(reference): the range begins at offset \(position), but the object has \(size) bytes."))
        }
        return nil
      }
      response = current
      let begin = current.offset - Int64(chunk.count)
      // Checked: the position is greater.
      if begin < position { chunk = chunk.dropFirst(Int(clamping: position - begin)) }
      if current.offset > range.upperBound {
        // Checked: the offset behind the chunk is greater.
        chunk = chunk.dropLast(Int(clamping: current.offset - range.upperBound))
      }
      guard !chunk.isEmpty else { continue }
      position += Int64(chunk.count)
      (hasDelivered, failures, lastProgress) = (true, 0, time.now())
      return chunk
    }
  }

  // MARK: - Failures

  /// Waits before the next request.
  ///
  /// - Throws: the error of the failure if it is final; ``StorageError/Code/retryLimitExceeded`` if the time
  ///   for retries ends before; `CancellationError`.
  private mutating func wait(after failure: DownloadFailure) async throws {
    let error: StorageError
    let retryAfter: Duration?
    switch failure {
    case .final(let reason): throw reason
    case .other(let reason): throw reason
    case .late(let setting):
      // A failure before the last byte that arrived isn't the reason.
      let reason = failures > 0 ? lastFailure?.ended(by: setting) : nil
      throw reason ?? StorageError(late: reference, limit: setting)
    case .temporary(let reason, let delay): (error, retryAfter) = (reason, delay)
    }
    lastFailure = error
    try Task.checkCancellation()
    failures += 1
    let backoff = Backoff(first: .seconds(1), longest: .seconds(64), jitter: 0.5...1.5)
    let delay = max(backoff.delay(after: failures, random: time.random()), retryAfter ?? .zero)
    let window = reference.storage.maxDownloadRetryTime.limited
    let (limit, setting) =
      end < lastProgress + window
      ? (end, "Storage.maxTransferTime") : (lastProgress + window, "Storage.maxDownloadRetryTime")
    // A clock that stands still must not mean endless attempts.
    let longest = 8 &+ Int(clamping: window.components.seconds) / 64
    // Checked: a year at most.
    guard time.now() + delay < limit, failures <= longest else {
      throw error.ended(by: setting)
    }
    try await time.sleep(delay)
  }

  // MARK: - Checksums

  /// Checks a whole content that was received.
  ///
  /// Checksums are those of the stored content. If that is compressed and was decompressed on the way, they
  /// don't apply, and the decompression has checked it.
  ///
  /// - Parameter digest: the checksums of what was received.
  /// - Throws: ``StorageError/Code/nonMatchingChecksum``; what the request for the metadata throws.
  func verify(_ digest: ContentDigest) async throws {
    guard let version, !version.isDecoded else { return }
    if let size = version.size, size != digest.size {
      throw StorageError(
        .nonMatchingChecksum,
        "\(reference): \(digest.size) bytes arrived instead of \(size). Download it again.")
    }
    guard !version.hashes.match(digest) else { return }
    // A server that compresses a response may not say so in a form that has survived the transport.
    if !version.hasStatedSize, let coding = try await reference.getMetadata().contentEncoding,
      coding.lowercased() != "identity", !coding.isEmpty
    {
      return
    }
    throw StorageError(
      .nonMatchingChecksum,
      "\(reference): the received content doesn't match the checksum that the server reports. "
        + "It was discarded; download it again."
    )
  }
}

/// Why a request of a download failed.
enum DownloadFailure: Error {
  /// Another attempt may succeed.
  ///
  /// - retryAfter: the delay that the server asks for; `nil` if it asks for none.
  case temporary(StorageError, retryAfter: Duration?)
  /// The time that a setting allows was over before the server answered.
  case late(String)
  /// No other attempt is made.
  case final(StorageError)
  /// An error of another module, or a cancellation.
  case other(any Error)
}

extension StorageReference {
  /// The error of a response to a download that contains something else than was requested.
  ///
  /// - Parameter content: what the response contains.
  func unexpected(_ content: String) -> StorageError {
    StorageError(
      .unknown,
      "\(self): the server sent \(content). Try again, and check that the app uses the intended backend.")
  }
}
