import Foundation
import TenonTransport
import TenonTransportInterop

/// Uploads a file in pieces (the protocol `X-Goog-Upload: resumable`). After a failure the server is asked how much it
/// has, and the upload goes on from there.
struct ResumableUpload {
  /// A multiple of the server's granularity, 256 KiB.
  static let pieceSize = 8 << 20
  /// How often in a row a piece may fail.
  private static let failureLimit = 5

  let reference: StorageReference
  let file: LocalFile
  let metadata: StorageMetadata

  private var client: StorageClient { reference.storage.client }
  private var time: Duration { reference.storage.maxUploadRetryTime }

  func run(progress: (@Sendable (TransferProgress) -> Void)?) async throws -> StorageMetadata {
    let total = try await file.size()
    let session = try await start(total: total)
    var offset: Int64 = 0
    var confirmed: Int64 = 0
    var failures = 0
    while true {
      let piece = try await file.read(at: offset, count: Self.pieceSize)
      let isLast = offset + Int64(piece.count) >= total
      let response: HTTPResponse
      do {
        response = try await send(piece, at: offset, isLast: isLast, to: session)
      } catch let error as StorageError where error.code == .unavailable || error.code == .deadlineExceeded {
        failures += 1
        guard failures < Self.failureLimit else { throw error }
        switch try await state(of: session) {
        case .complete: return try await reference.metadata()
        case .received(let count):
          guard (0...total).contains(count) else {
            throw StorageError(
              .unknown,
              "\(reference.url): the server says that it has \(count) of \(total) bytes. Begin the upload anew."
            )
          }
          offset = count
        }
        continue
      }
      offset += Int64(piece.count)
      // Only progress ends a row of failures: a server that forgets what it took must not keep the upload forever.
      if offset > confirmed { (confirmed, failures) = (offset, 0) }
      progress?(TransferProgress(completed: offset, total: total))
      if isLast {
        return try StorageMetadata(await client.mapping(reference) { try response.json() }, of: reference)
      }
    }
  }

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
      within: .whole(time)
    )
    guard let session = response.headers["X-Goog-Upload-URL"].flatMap({ URL(string: $0) }) else {
      throw StorageError(.unknown, "\(reference.url): the server began no upload.")
    }
    return session
  }

  private func send(_ piece: Data, at offset: Int64, isLast: Bool, to session: URL) async throws
    -> HTTPResponse
  {
    let headers = HTTPHeaders([
      HTTPField(name: "X-Goog-Upload-Command", value: isLast ? "upload, finalize" : "upload"),
      HTTPField(name: "X-Goog-Upload-Offset", value: "\(offset)"),
    ])
    return try await client.send(
      HTTPRequest(.post, session, headers: headers, body: .data(piece)),
      reference,
      repeatable: false,
      within: .transfer(time)
    )
  }

  private enum SessionState {
    case received(Int64)
    case complete
  }

  private func state(of session: URL) async throws -> SessionState {
    let headers = HTTPHeaders([HTTPField(name: "X-Goog-Upload-Command", value: "query")])
    let response = try await client.send(
      HTTPRequest(.post, session, headers: headers),
      reference,
      repeatable: true,
      within: .whole(time)
    )
    switch response.headers["X-Goog-Upload-Status"] {
    case "final": return .complete
    case "active":
      return .received(response.headers["X-Goog-Upload-Size-Received"].flatMap { Int64($0) } ?? 0)
    default:
      throw StorageError(.unknown, "\(reference.url): the server has given up the upload. Begin it anew.")
    }
  }
}
