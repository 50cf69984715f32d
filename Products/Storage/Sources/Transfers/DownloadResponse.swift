import TenonCore
import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// The answer to a request for a content.
enum DownloadAnswer {
  /// The content, or a part of it, follows.
  case content(DownloadResponse)
  /// The range is outside of the content (status 416).
  ///
  /// - size: the size of the content; `nil` if the server doesn't state it.
  case unsatisfiable(size: Int64?)
}

/// A response whose body is a content or a part of it.
struct DownloadResponse {
  /// The version of the object.
  let version: ObjectVersion
  /// The offset in the content of the next byte.
  private(set) var offset: Int64
  /// The offset behind the last byte of the body; `nil` if it isn't known.
  private let end: Int64?
  /// The chunks of the body.
  private var chunks: AsyncThrowingStream<Data, any Error>.AsyncIterator

  /// Checks the head of a response.
  ///
  /// - Parameters:
  ///   - response: the response, with status 2xx.
  ///   - range: the field `Range` of the request; `nil` if it had none.
  ///   - reference: the object, for error messages.
  /// - Throws: a final error if the response isn't one to such a request.
  init(
    _ response: TransportStreamingResponse, to range: String?, _ reference: StorageReference
  ) throws(DownloadFailure) {
    let headers = response.headers
    chunks = response.body.makeAsyncIterator()
    let length = headers["Content-Length"].flatMap { Int64(decimal: $0) }.flatMap { $0 < 0 ? nil : $0 }
    switch response.status {
    case 200:
      // With a coding that the transport hasn't removed, the length is that of the stored bytes, which
      // follow.
      version = ObjectVersion(headers, size: length)
      (offset, end) = (0, length)
    case 206:
      guard range != nil, let part = ContentRange(headers["Content-Range"] ?? ""),
        length.map({ $0 == part.end - part.start }) ?? true
      else {
        let said = headers["Content-Range"].map { "Content-Range: \($0.prefix(80))" } ?? "no Content-Range"
        throw .final(reference.unexpected("a part of the object with \(said)"))
      }
      version = ObjectVersion(headers, size: part.size)
      (offset, end) = (part.start, part.end)
    default: throw .final(reference.unexpected("status \(response.status) instead of the content"))
    }
  }

  /// Returns the next chunk, and moves behind it; `nil` at the end of the body.
  mutating func next(of reference: StorageReference) async throws(DownloadFailure) -> Data? {
    let chunk: Data?
    do {
      chunk = try await chunks.next(isolation: #isolation)
      // The stream of a cancelled task ends without an error.
      if chunk == nil { try Task.checkCancellation() }
    } catch { throw DownloadFailure(error, reference) }
    guard let chunk else {
      guard let end, offset < end else { return nil }
      throw DownloadFailure(
        TransportError(.connectionLost, "The body ended at byte \(offset) of \(end). Try again."), reference)
    }
    offset += Int64(chunk.count)
    if let end, offset > end {
      throw .final(reference.unexpected("more bytes than it had stated"))
    }
    return chunk
  }
}

/// The value of a field `Content-Range` with bytes (RFC 9110, section 14.4).
struct ContentRange: Sendable, Hashable {
  /// The offset of the first byte.
  let start: Int64
  /// The offset behind the last byte, greater than ``start``.
  let end: Int64
  /// The size of the whole content, at least ``end``; `nil` if it isn't stated.
  let size: Int64?

  /// Parses a field. Returns `nil` if it is malformed or states no bytes.
  init?(_ field: String) {
    guard let match = field.wholeMatch(of: /bytes (\d{1,18})-(\d{1,18})\/(\d{1,18}|\*)/.asciiOnlyDigits()),
      let first = Int64(decimal: match.1), let last = Int64(decimal: match.2), first <= last
    else { return nil }
    let size = match.3 == "*" ? nil : Int64(decimal: match.3)
    guard size.map({ last < $0 }) ?? true else { return nil }
    // Checked: at most 18 digits.
    (start, end, self.size) = (first, last + 1, size)
  }
}

extension DownloadFailure {
  /// Classifies an error: only failures of the network and timeouts are temporary.
  init(_ error: any Error, _ reference: StorageReference) {
    switch error {
    case let error as DownloadFailure: self = error
    case let error as TransportError:
      let reason = StorageError(error, reference, limit: "Storage.maxTransferTime")
      let isTemporary =
        [.unreachable, .connectionLost].contains(error.code)
        || error.code == .timedOut && error.timeout != .exchange
      self = isTemporary ? .temporary(reason, retryAfter: nil) : .final(reason)
    case let error as RequestSigner.TokenTimeout: self = .final(StorageError(error, reference))
    case let error as StorageError: self = .final(error)
    default: self = .other(error)
    }
  }
}

extension StorageClient {
  /// The beginning of a response to a download.
  private enum DownloadStart: Sendable {
    /// The content follows.
    case content(TransportStreamingResponse)
    /// The server has rejected the request; the body is the beginning of its explanation.
    case refusal(TransportResponse)

    /// Reads the beginning of an explanation, up to the chunk that contains its 10,000th byte.
    ///
    /// - Parameters:
    ///   - response: the response.
    ///   - secrets: what to hide in the explanation.
    init(_ response: TransportStreamingResponse, hiding secrets: [String]) async throws {
      guard !(200..<300).contains(response.status) else {
        self = .content(response)
        return
      }
      var content = Data()
      for try await chunk in response.body {
        content += chunk
        if content.count >= 10_000 { break }
      }
      let refusal = TransportResponse(status: response.status, headers: response.headers, body: content)
      self = .refusal(refusal.hiding(secrets))
    }
  }

  /// Requests the content of an object once, and returns as soon as the head of the response has arrived.
  ///
  /// The request asks for no content coding: servers decompress what is stored compressed, and offsets and
  /// lengths are those of what arrives.
  ///
  /// - Parameters:
  ///   - reference: the object.
  ///   - range: the field `Range`; `nil` for the whole content.
  ///   - end: when the download ends at the latest, with its content.
  ///   - lastProgress: when the time for retries began.
  /// - Throws: ``DownloadFailure``: also if the head of the response doesn't arrive within
  ///   ``Storage/maxDownloadRetryTime``.
  func content(
    of reference: StorageReference, range: String?, until end: ContinuousClock.Instant,
    since lastProgress: ContinuousClock.Instant
  ) async throws(DownloadFailure) -> DownloadAnswer {
    let retryEnd = lastProgress + reference.storage.maxDownloadRetryTime.limited
    let (deadline, setting) =
      end < retryEnd ? (end, "Storage.maxTransferTime") : (retryEnd, "Storage.maxDownloadRetryTime")
    let start: DownloadStart?
    do {
      let url = try url(of: reference, .object).appending(queryItems: [
        URLQueryItem(name: "alt", value: "media")
      ])
      var request = TransportRequest(.get, url)
      request.headers["Accept-Encoding"] = "identity"
      if let range { request.headers["Range"] = range }
      request = prepared(request, reference)
      let signed = try await signer.sign(request, for: origin, by: deadline)
      start = try await http.time.value(by: deadline) { [self, request] in
        try await begin(request, signed, until: end, by: deadline)
      }
    } catch { throw DownloadFailure(error, reference) }
    switch start {
    case .content(let response): return .content(try DownloadResponse(response, to: range, reference))
    case .refusal(let response):
      if response.status == 416, range != nil {
        let size = response.headers["Content-Range"].flatMap { field in
          field.hasPrefix("bytes */") ? Int64(decimal: field.dropFirst(8)) : nil
        }
        return .unsatisfiable(size: size)
      }
      let error = StorageError(response, reference) ?? reference.unexpected("status \(response.status)")
      guard [408, 429].contains(response.status) || response.status >= 500 else { throw .final(error) }
      throw .temporary(error, retryAfter: response.retryAfter(now: http.time.date()))
    case nil: throw .late(setting)
    }
  }

  /// Sends the request of a download, again if the token of an administrator was refused, and returns the
  /// beginning of the response.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - signed: the request with its tokens.
  ///   - end: when the download ends at the latest.
  ///   - deadline: when to stop waiting for tokens.
  private func begin(
    _ request: TransportRequest, _ signed: TransportRequest, until end: ContinuousClock.Instant,
    by deadline: ContinuousClock.Instant
  ) async throws -> DownloadStart {
    var signed = signed
    signed.deadline = max(.zero, end - http.time.now())
    var response = try await http.stream(signed)
    if var other = try await signer.signAgain(
      request, refused: signed, status: response.status, for: origin, by: deadline)
    {
      other.deadline = max(.zero, end - http.time.now())
      (signed, response) = (other, try await http.stream(other))
    }
    return try await DownloadStart(response, hiding: signed.credentials)
  }
}
