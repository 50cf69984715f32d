import TenonCore
import TenonFoundation
import TenonHashes
import TenonTransport
import TenonTransportInterop

/// An upload in chunks (the protocol `X-Goog-Upload: resumable`).
///
/// After a failure or a pause, the client queries how many bytes the server has received and continues from
/// there. If the server has discarded the upload, the client starts it again, unless the content can't be
/// repeated.
struct ResumableUpload {
  /// The size of a chunk in bytes, by default.
  static let chunkSize = 4 << 20
  /// The largest size of a chunk, and the largest granularity that a server may demand. Chunks are kept in
  /// memory.
  static let largestChunk = 32 << 20

  /// How often an upload that the server has discarded is started again, so that it ends with a server that
  /// discards all of them.
  static let mostRestarts = 3

  /// An upload that the server knows.
  struct Session: Sendable {
    /// The URL to which the chunks are sent, a secret.
    let url: URL
    /// The size in bytes of all chunks but the last.
    let chunkSize: Int
  }

  /// The object, its settings and the control.
  private let upload: Upload
  /// The content.
  private var source: any UploadSource
  /// What the file is; `nil` if the upload can't be continued later.
  private let file: LocalFile.Identity?
  /// The upload on the server; `nil` before it has started.
  private var session: Session?
  /// The digest of the content up to the largest position that was sent.
  private var digest = ContentDigest()
  /// The position of the next chunk.
  private var offset: Int64 = 0
  /// The largest number of bytes that the server has confirmed.
  private var confirmed: Int64 = 0
  /// The largest number of bytes that the server can have.
  private var sent: Int64 = 0
  /// Whether the server has to be asked for the position before anything else is sent.
  private var isDoubtful = false
  /// How often the upload was started again.
  private var restarts = 0
  /// Decides whether and when to continue after failures.
  private var retries: UploadRetries
  /// When the upload ends at the latest.
  private var end: ContinuousClock.Instant

  private var control: TransferControl { upload.control }
  private var reference: StorageReference { upload.reference }

  /// Creates an upload that hasn't started.
  ///
  /// - Parameters:
  ///   - upload: the object, its settings and the control.
  ///   - source: the content.
  ///   - file: what the file is; `nil` for other content.
  init(_ upload: Upload, _ source: any UploadSource, file: LocalFile.Identity?) {
    self.upload = upload
    self.source = source
    self.file = file
    retries = UploadRetries(upload.reference)
    end = upload.reference.storage.transferEnd
  }

  /// Creates an upload that continues.
  ///
  /// - Parameters:
  ///   - upload: the object and the control.
  ///   - source: the content of the file.
  ///   - token: the state of the upload.
  ///   - url: the URL in the token, which has been checked.
  init(_ upload: Upload, _ source: any UploadSource, continuing token: StorageUploadToken, at url: URL) {
    self.init(upload, source, file: token.file)
    session = Session(url: url, chunkSize: token.chunkSize)
    digest = token.digest
    // Another process may have sent anything.
    sent = token.size
    isDoubtful = true
  }

  /// Runs the upload and returns the metadata of the stored object.
  ///
  /// - Throws: ``StorageError``; Auth's error; the error of a stream; `CancellationError`.
  mutating func run() async throws -> StorageMetadata {
    publishToken()
    while true {
      let pause = try await control.waitWhilePaused(upload.time)
      end += pause
      retries.paused(for: pause)
      do {
        if let stored = try await step() { return stored }
      } catch let failure as UploadFailure {
        isDoubtful = session != nil
        let delay = try retries.delay(after: failure, until: end)
        _ = try await control.interruptible { [time = upload.time] in try await time.sleep(delay) }
      } catch let error as StorageError where error.code == .retryLimitExceeded {
        throw retries.explained(error, until: end)
      }
    }
  }

  /// Takes the next step: starts the upload, queries its position, or sends a chunk.
  ///
  /// - Returns: the metadata of the stored object; `nil` if further steps follow, also after a pause.
  /// - Throws: ``UploadFailure`` if the step failed and the next one may succeed.
  private mutating func step() async throws -> StorageMetadata? {
    guard let session else {
      try await start()
      return nil
    }
    if isDoubtful { return try await recover(session) }
    // After a restart, the server may have more than what was processed.
    while digest.size < offset {
      let position = digest.size
      // Checked: at most the size of a chunk.
      let count = Int(clamping: min(offset - position, Int64(session.chunkSize)))
      let (bytes, _) = try await read(at: position, count: count)
      digest = await digest.extended(by: bytes, at: position)
    }
    return try await sendChunk(session)
  }

  /// Returns bytes of the content, as the source does.
  private mutating func read(at offset: Int64, count: Int) async throws -> (bytes: Data, isLast: Bool) {
    do { return try await source.read(at: offset, count: count) } catch let failure as LocalFile.Failure {
      throw StorageError(.fileError, failure.message, underlying: failure.underlying)
    }
  }

  // MARK: - Steps

  /// Starts the upload on the server, which supplies the URL for the chunks.
  ///
  /// - Throws: ``StorageError``, with ``StorageError/Code/unknown`` if the response contains no URL, and with
  ///   ``StorageError/Code/untrustedOrigin`` if the URL doesn't belong to the service; ``UploadFailure``;
  ///   Auth's error; `CancellationError`.
  private mutating func start() async throws {
    var headers = HTTPHeaders([
      HTTPHeader(name: "X-Goog-Upload-Protocol", value: "resumable"),
      HTTPHeader(name: "X-Goog-Upload-Command", value: "start"),
    ])
    if let total = source.total { headers.add("X-Goog-Upload-Header-Content-Length", "\(total)") }
    headers.add(
      "X-Goog-Upload-Header-Content-Type", upload.metadata.contentType ?? "application/octet-stream")
    headers.add("Content-Type", "application/json; charset=utf-8")
    let request = TransportRequest(
      .post, try upload.client.url(of: reference, .upload), headers: headers,
      body: .data(try upload.metadata.uploadJSON.serialized))
    retries.begin()
    let limit = retries.limit(until: end)
    let response = try await control.interruptible { [upload] in
      try await upload.attempt(request, within: limit)
    }
    guard let response else { return }
    if let error = StorageError(response, reference, createsObject: true) { throw error }
    guard let url = response.headers["X-Goog-Upload-URL"] else {
      throw StorageError(
        .unknown, "\(reference): the server started no upload. Check that the app uses the intended backend.")
    }
    let granularity = max(
      1, response.headers["X-Goog-Upload-Chunk-Granularity"].flatMap { Int(decimal: $0) } ?? 256 << 10)
    guard granularity <= Self.largestChunk else {
      throw StorageError(
        .unknown,
        "\(reference): the server demands chunks of \(granularity) bytes. At most \(Self.largestChunk) are possible."
      )
    }
    let wanted = min(Int(clamping: max(1, reference.storage.uploadChunkSizeBytes)), Self.largestChunk)
    // Both are at most 32 MiB.
    let chunkSize = max(wanted / granularity, 1) &* granularity
    session = Session(url: try upload.client.checked(url, reference), chunkSize: chunkSize)
    retries.succeeded()
    publishToken()
  }

  /// Sends the next chunk, while its digest is computed.
  private mutating func sendChunk(_ session: Session) async throws -> StorageMetadata? {
    let (bytes, isLast) = try await read(at: offset, count: session.chunkSize)
    try Task.checkCancellation()
    let next = offset &+ Int64(bytes.count)
    var headers = HTTPHeaders()
    // A command without content, if the server has all of it.
    let command = isLast ? (bytes.isEmpty ? "finalize" : "upload, finalize") : "upload"
    headers.add("X-Goog-Upload-Command", command)
    headers.add("X-Goog-Upload-Offset", "\(offset)")
    var request = TransportRequest(
      .post, session.url, headers: headers, body: bytes.isEmpty ? .none : .data(bytes))
    request.onProgress = { [control, offset, total = source.total] progress in
      control.report(min(offset + max(0, progress.sent), next), of: total)
    }
    sent = max(sent, next)
    let hashing = Task { [digest, offset] in await digest.extended(by: bytes, at: offset) }
    var limit = StorageClient.TimeLimit.content(reference.storage, until: end)
    if let last = retries.end {
      limit.duration = min(limit.duration, max(.zero, last - upload.time.now()))
    }
    let result: Result<TransportResponse?, any Error>
    do {
      result = .success(
        try await control.interruptible { [upload, limit, request] in
          try await upload.attempt(request, within: limit, repeatsTimeouts: true)
        })
    } catch { result = .failure(error) }
    digest = await hashing.value
    guard let response = try result.get() else {
      isDoubtful = true
      return nil
    }
    return try await settle(response, next: next, isLast: isLast)
  }

  /// Continues according to the response to a chunk.
  ///
  /// - Parameters:
  ///   - response: the response.
  ///   - next: the position behind the chunk.
  ///   - isLast: whether the upload is complete with the chunk.
  private mutating func settle(
    _ response: TransportResponse, next: Int64, isLast: Bool
  ) async throws -> StorageMetadata? {
    let status = response.headers["X-Goog-Upload-Status"]
    if let error = StorageError(response, reference) {
      if response.status == 404 || response.status == 410 { return try startAgain() }
      // Both sides disagree about the position.
      let isRefusal = [401, 402, 403].contains(response.status)
      guard status == "active", !isRefusal else { throw error }
      throw UploadFailure(error: error, isConflict: true)
    }
    switch status {
    case "cancelled": return try startAgain()
    case "final" where !isLast || response.body.isEmpty: return try await storedObject()
    case "final": return try await finished(StorageClient.json(response, reference))
    case nil where isLast: return try await finished(StorageClient.json(response, reference))
    default: break
    }
    let received = try received(response) ?? next
    // Checked: a position that was sent.
    guard (offset...next).contains(received) else { throw impossible("\(received)") }
    let hasProgress = received > offset
    offset = received
    confirm()
    if isLast || !hasProgress {
      let lack = isLast && received == next ? "the end of the upload" : "all bytes"
      throw UploadFailure(
        error: StorageError(.unavailable, "\(reference): the server didn't confirm \(lack). Try again."),
        isConflict: true)
    }
    return nil
  }

  /// Queries the position of the upload, and continues there.
  private mutating func recover(_ session: Session) async throws -> StorageMetadata? {
    let headers = HTTPHeaders([HTTPHeader(name: "X-Goog-Upload-Command", value: "query")])
    retries.begin()
    let limit = retries.limit(until: end)
    let response = try await control.interruptible { [upload] in
      try await upload.attempt(TransportRequest(.post, session.url, headers: headers), within: limit)
    }
    guard let response else { return nil }
    if let error = StorageError(response, reference) {
      if response.status == 404 || response.status == 410 { return try startAgain() }
      throw error
    }
    switch response.headers["X-Goog-Upload-Status"] {
    case "final": return try await storedObject()
    case "active": break
    default: return try startAgain()
    }
    let received = try received(response) ?? 0
    // Checked: the largest position that was sent.
    guard (0...sent).contains(received) else { throw impossible("\(received)") }
    offset = received
    isDoubtful = false
    confirm()
    return nil
  }

  /// Starts an upload again that the server has discarded.
  ///
  /// - Returns: `nil`, because further steps follow.
  /// - Throws: ``StorageError/Code/sessionExpired`` if the content can't be repeated, and after
  ///   ``mostRestarts``.
  private mutating func startAgain() throws(StorageError) -> StorageMetadata? {
    guard source.isRepeatable, restarts < Self.mostRestarts else { throw expired }
    restarts += 1
    session = nil
    digest = ContentDigest()
    (offset, confirmed, sent) = (0, 0, 0)
    isDoubtful = false
    return nil
  }

  // MARK: - Results

  /// Notes what the server has confirmed. Only progress resets the count of failures: with a server that
  /// loses bytes again and again, the upload must end.
  private mutating func confirm() {
    guard offset > confirmed else { return }
    confirmed = offset
    retries.succeeded()
    control.report(confirmed, of: source.total)
    publishToken()
  }

  /// Offers the token with which the upload can be continued later.
  private func publishToken() {
    guard let file, let session else { return }
    upload.tokens?.send(
      StorageUploadToken(
        reference, session: session.url, chunkSize: session.chunkSize, file: file, digest: digest))
  }

  /// Returns the verified metadata of an object whose description wasn't part of a response.
  private mutating func storedObject() async throws -> StorageMetadata {
    try await finished(upload.client.json(.get, reference, repeatable: true))
  }

  /// Returns the verified metadata of the stored object.
  private mutating func finished(_ answer: JSON) async throws -> StorageMetadata {
    // After a restart, the rest may not have been processed.
    while let total = source.total, digest.size < total, let chunkSize = session?.chunkSize {
      let position = digest.size
      let (bytes, _) = try await read(at: position, count: chunkSize)
      digest = await digest.extended(by: bytes, at: position)
      try Task.checkCancellation()
    }
    let stored = try reference.verified(answer, digest)
    control.report(digest.size, of: digest.size)
    return stored
  }

  /// Returns the number of bytes that a response states; `nil` if it states none.
  ///
  /// - Throws: ``StorageError/Code/unknown`` if it isn't a decimal number.
  private func received(_ response: TransportResponse) throws(StorageError) -> Int64? {
    guard let text = response.headers["X-Goog-Upload-Size-Received"] else { return nil }
    guard let count = Int64(decimal: text) else { throw impossible(text.prefix(100).debugDescription) }
    return count
  }

  /// The error for a number of bytes that the server can't have.
  private func impossible(_ count: String) -> StorageError {
    StorageError(
      .unknown, "\(reference): the server reports \(count) of \(sent) bytes. Start the upload again.")
  }

  /// The error for an upload that the server doesn't know any more.
  private var expired: StorageError {
    StorageError(
      .sessionExpired,
      "\(reference): the server has discarded the upload, or doesn't know it. Start it again from the beginning."
    )
  }
}
