import TenonCore
import TenonTransport
import TenonTransportInterop

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An upload of a file in chunks (the protocol `X-Goog-Upload: resumable`).
///
/// After a failure, the client queries how many bytes the server has received and continues from there.
struct ResumableUpload {
  /// The size of a chunk in bytes. It must be a multiple of 256 KiB, the server's granularity.
  static let chunkSize = 8 << 20
  /// The number of consecutive failures after which the upload fails.
  private static let failureLimit = 5

  /// The object to write.
  let reference: StorageReference
  /// The source of the content.
  let file: LocalFile
  /// The settings of the object.
  let metadata: StorageMetadata

  /// The client of the app.
  private var client: StorageClient { reference.storage.client }
  /// When the whole upload ends at the latest.
  let end: ContinuousClock.Instant

  /// Runs the upload and returns the metadata of the stored object.
  ///
  /// - Parameter onProgress: called after each chunk that the server has stored.
  /// - Throws: ``StorageError``, after ``failureLimit`` consecutive failures that of the last one; Auth's error;
  ///   `CancellationError`.
  func run(onProgress: (@Sendable (StorageProgress) -> Void)?) async throws -> StorageMetadata {
    let total = try await client.mapping(reference, limit: "Storage.maxTransferTime") {
      try await file.size()
    }
    let session = try await start(total: total)
    var offset: Int64 = 0
    var confirmed: Int64 = -1
    var failures = 0
    while true {
      let position = offset
      let chunk = try await client.mapping(reference, limit: "Storage.maxTransferTime") {
        try await file.read(at: position, count: Self.chunkSize)
      }
      let isLast = offset + Int64(chunk.count) >= total
      let response: HTTPResponse
      do {
        response = try await send(chunk, at: offset, isLast: isLast, to: session)
      } catch let error as StorageError where error.code == .unavailable || error.code == .retryLimitExceeded
      {
        failures += 1
        guard failures < Self.failureLimit, client.http.time.now() < end else { throw error }
        switch try await state(of: session) {
        case .complete: return try await reference.getMetadata()
        case .received(let count):
          // Checked: the size of a file.
          guard (0...total).contains(count) else {
            throw StorageError(
              .unknown,
              "\(reference): the server reports \(count) of \(total) bytes. Start the upload again."
            )
          }
          offset = count
        }
        continue
      }
      offset += Int64(chunk.count)
      // Only progress resets the count: with a server that loses bytes again and again, the upload must end.
      if offset > confirmed {
        (confirmed, failures) = (offset, 0)
        onProgress?(StorageProgress(completedUnitCount: offset, totalUnitCount: total))
      }
      if isLast {
        return try StorageMetadata(StorageClient.json(response, reference), of: reference)
      }
    }
  }

  /// Starts the upload and returns the URL of its session, to which the chunks are sent.
  ///
  /// - Parameter total: the size of the file in bytes.
  /// - Throws: ``StorageError``, with ``StorageError/Code/unknown`` if the response contains no URL, and with
  ///   ``StorageError/Code/untrustedOrigin`` if the URL doesn't belong to the service; Auth's error; `CancellationError`.
  private func start(total: Int64) async throws -> URL {
    let headers = HTTPHeaders([
      HTTPField(name: "X-Goog-Upload-Protocol", value: "resumable"),
      HTTPField(name: "X-Goog-Upload-Command", value: "start"),
      HTTPField(name: "X-Goog-Upload-Header-Content-Length", value: "\(total)"),
      HTTPField(
        name: "X-Goog-Upload-Header-Content-Type",
        value: metadata.contentType ?? "application/octet-stream"
      ),
      HTTPField(name: "Content-Type", value: "application/json; charset=utf-8"),
    ])
    let response = try await client.send(
      .post,
      reference,
      at: .upload,
      headers: headers,
      body: .data(try metadata.uploadJSON.serialized),
      repeatable: true,
      within: .upload(reference.storage, until: end)
    )
    guard let session = response.headers["X-Goog-Upload-URL"] else {
      throw StorageError(.unknown, "\(reference): the server started no upload.")
    }
    return try client.checked(session, reference)
  }

  /// Sends a chunk.
  ///
  /// - Parameters:
  ///   - chunk: the bytes; only the last chunk may have another size than ``chunkSize``.
  ///   - offset: the position of the chunk in the file.
  ///   - isLast: whether the upload is complete with this chunk.
  ///   - session: the URL of the upload, from the server.
  /// - Throws: ``StorageError``.
  private func send(_ chunk: Data, at offset: Int64, isLast: Bool, to session: URL) async throws
    -> HTTPResponse
  {
    let headers = HTTPHeaders([
      HTTPField(name: "X-Goog-Upload-Command", value: isLast ? "upload, finalize" : "upload"),
      HTTPField(name: "X-Goog-Upload-Offset", value: "\(offset)"),
    ])
    return try await client.send(
      HTTPRequest(.post, session, headers: headers, body: .data(chunk)),
      reference,
      repeatable: false,
      within: .content(reference.storage, until: end)
    )
  }

  /// The state of an upload on the server.
  private enum SessionState {
    /// The server has received this number of bytes.
    case received(Int64)
    /// The server has stored the object.
    case complete
  }

  /// Queries the state of an upload on the server.
  ///
  /// - Throws: ``StorageError``, with ``StorageError/Code/unknown`` if the server has discarded the upload, or reports
  ///   its size in another form than a decimal number.
  private func state(of session: URL) async throws -> SessionState {
    let headers = HTTPHeaders([HTTPField(name: "X-Goog-Upload-Command", value: "query")])
    let response = try await client.send(
      HTTPRequest(.post, session, headers: headers),
      reference,
      repeatable: true,
      within: .upload(reference.storage, until: end)
    )
    switch response.headers["X-Goog-Upload-Status"] {
    case "final": return .complete
    case "active":
      guard let text = response.headers["X-Goog-Upload-Size-Received"] else { return .received(0) }
      guard let count = Int64(decimal: text) else {
        throw StorageError(
          .unknown,
          "\(reference): the server's number of received bytes is \(text.prefix(100).debugDescription). Start the upload "
            + "again.")
      }
      return .received(count)
    default:
      throw StorageError(.unknown, "\(reference): the server has discarded the upload. Start it again.")
    }
  }
}
