import TenonCore
import TenonFoundation
import TenonHashes
import TenonTransport
import TenonTransportInterop

/// An upload in one request: metadata and content as `multipart/related` (RFC 2387).
struct MultipartUpload {
  /// The header fields that describe the body.
  let headers: HTTPHeaders
  /// The body: the metadata as JSON, then the content.
  let data: Data
  /// The size of the content.
  private let size: Int64
  /// The digest of the content.
  private let digest: ContentDigest

  /// Creates the body. The content is copied once.
  ///
  /// - Parameters:
  ///   - metadata: the settings of the object. The media type is `application/octet-stream` if they contain
  ///     none.
  ///   - content: the content of the object.
  /// - Throws: `EncodingError` if the metadata can't be encoded.
  init(metadata: StorageMetadata, content: Data) throws {
    // The boundary has 122 random bits, so the content can't contain it by accident.
    let boundary = "tenon-\(UUID())"
    headers = HTTPHeaders([
      HTTPHeader(name: "X-Goog-Upload-Protocol", value: "multipart"),
      HTTPHeader(name: "Content-Type", value: "multipart/related; boundary=\(boundary)"),
    ])
    var data = Data("--\(boundary)\r\nContent-Type: application/json; charset=utf-8\r\n\r\n".utf8)
    data += try metadata.uploadJSON.serialized
    let type = metadata.contentType ?? "application/octet-stream"
    data += Data("\r\n--\(boundary)\r\nContent-Type: \(type)\r\n\r\n".utf8)
    data += content
    data += Data("\r\n--\(boundary)--".utf8)
    self.data = data
    size = Int64(content.count)
    var digest = ContentDigest()
    digest.update(content)
    self.digest = digest
  }

  /// Sends the request, and sends it again after temporary failures and pauses.
  ///
  /// - Parameter upload: the object, its settings and the control.
  /// - Returns: the metadata of the stored object.
  /// - Throws: ``StorageError``; Auth's error; `CancellationError`.
  func run(_ upload: Upload) async throws -> StorageMetadata {
    var retries = UploadRetries(upload.reference)
    var end = upload.reference.storage.transferEnd
    var request = TransportRequest(
      .post, try upload.client.url(of: upload.reference, .upload), headers: headers, body: .data(data))
    // The first part is counted at the end.
    let head = Int64(data.count) - size
    request.onProgress = { [control = upload.control, size] progress in
      control.report(min(max(0, progress.sent - head), size), of: size)
    }
    retries.begin()
    while true {
      let pause = try await upload.control.waitWhilePaused(upload.time)
      end += pause
      retries.paused(for: pause)
      do {
        var limit = retries.limit(until: end)
        limit.isWhole = false
        let response = try await upload.control.interruptible { [limit, request] in
          try await upload.attempt(request, within: limit)
        }
        guard let response else { continue }
        if let error = StorageError(response, upload.reference, createsObject: true) { throw error }
        let stored = try upload.reference.verified(
          StorageClient.json(response, upload.reference), digest)
        upload.control.report(size, of: size)
        return stored
      } catch let failure as UploadFailure {
        let delay = try retries.delay(after: failure, until: end)
        _ = try await upload.control.interruptible { try await upload.time.sleep(delay) }
      } catch let error as StorageError where error.code == .retryLimitExceeded {
        throw retries.explained(error, until: end)
      }
    }
  }
}
