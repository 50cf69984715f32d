import TenonFoundation
import TenonHashes
import TenonTransport
import TenonTransportInterop

/// What all uploads need: the object, its settings, and who pauses, observes and ends the upload.
struct Upload: Sendable {
  /// The largest content that is sent in one request, in bytes. Larger content is sent in chunks, as by
  /// Firebase's SDK for JavaScript.
  static let largestSingleRequest = 256 << 10

  /// The object to write.
  let reference: StorageReference
  /// The settings of the object.
  let metadata: StorageMetadata
  /// Pauses, cancels and observes the upload.
  let control: TransferControl
  /// Receives the tokens with which the upload of a file can be continued later; `nil` if there are none.
  var tokens: LatestValue<StorageUploadToken>?

  /// The client of the app.
  var client: StorageClient { reference.storage.client }
  /// The clock.
  var time: TimeSource { client.http.time }

  /// Uploads the content of a source, in one request if it is small.
  ///
  /// - Parameters:
  ///   - source: the content.
  ///   - file: what the file is, whose upload can be continued later; `nil` for other content.
  /// - Returns: the metadata of the stored object, whose size and checksums are those of the content.
  /// - Throws: ``StorageError``; Auth's error; the error of a stream; `CancellationError`.
  func run(_ source: any UploadSource, file: LocalFile.Identity? = nil) async throws -> StorageMetadata {
    var source = source
    let limit = Self.largestSingleRequest
    if source.total.map({ $0 <= limit }) ?? true {
      // One byte more than there should be, so that longer content is noticed. The source can repeat it.
      let (content, isLast) = try await mapped { try await source.read(at: 0, count: limit + 1) }
      if isLast { return try await MultipartUpload(metadata: metadata, content: content).run(self) }
    }
    var resumable = ResumableUpload(self, source, file: file)
    return try await resumable.run()
  }

  /// Runs a body and translates the errors of the file into ``StorageError``.
  nonisolated(nonsending) func mapped<Value>(
    _ body: nonisolated(nonsending) () async throws -> Value
  ) async throws -> Value {
    try await client.mapping(reference, limit: "Storage.maxTransferTime", body)
  }

  /// Sends a request once.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - limit: its time limit.
  ///   - repeatsTimeouts: whether a request that receives no response in time is a temporary failure.
  /// - Returns: the response of any status that doesn't tell of a temporary failure.
  /// - Throws: ``UploadFailure`` if the request can't reach the server, or for the statuses 408, 429 and 5xx;
  ///   ``StorageError``; Auth's error; `CancellationError`.
  func attempt(
    _ request: TransportRequest, within limit: StorageClient.TimeLimit, repeatsTimeouts: Bool = false
  ) async throws -> TransportResponse {
    let response: TransportResponse
    do {
      response = try await client.exchange(request, reference, within: limit)
    } catch let error as StorageError {
      guard error.code == .unavailable || (repeatsTimeouts && error.code == .retryLimitExceeded) else {
        throw error
      }
      // The end of the whole upload is final.
      if let end = limit.end, time.now() >= end { throw error }
      throw UploadFailure(error: error)
    }
    if let error = StorageError(response, reference), error.code == .unavailable {
      throw UploadFailure(error: error, retryAfter: response.retryAfter(now: time.date()))
    }
    return response
  }
}
