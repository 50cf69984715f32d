#if os(Linux)
  import CTransport
  import FoundationEssentials
  import TenonHTTP
  import TenonTransportInterop

  /// Removes the content coding of a body (RFC 9110, section 8.4.1): gzip (RFC 1952) or deflate, which is
  /// zlib's format (RFC 1950).
  ///
  /// It runs in the reader's task, piece by piece as the reader requests it: a small body that decompresses
  /// to a large one costs no memory, and stops at the limits of the request.
  ///
  /// A decoder isn't thread-safe; ``CurlResponseBody`` owns it. After an error, it must not be used.
  /// Checksums and sizes at the end of a compressed stream are verified by zlib.
  final class ContentDecoder {
    /// Whether zlib can be loaded. It is loaded at the first access, once for the process. Thread-safe.
    static var isAvailable: Bool { tenon_inflate_is_available() }

    /// The state of zlib, which the decoder owns and frees.
    private let stream: OpaquePointer
    /// The compressed bytes that haven't been read.
    private var input = Data()
    /// Whether the end of a compressed stream has been read, and no other has begun behind it.
    private var isAtEnd = true
    /// Whether a compressed stream has begun.
    private var hasBegun = false
    /// The number of compressed bytes that have been read, and of decompressed bytes, of all compressed
    /// streams.
    private var counts = (compressed: 0, decompressed: 0)
    /// The maximum ratio of decompressed to compressed bytes, from the limits of the request.
    private let ratio: Int
    /// The host, for error messages.
    private let host: String

    /// The largest piece that is returned, in bytes: 64 KiB.
    private static let pieceSize = 64 << 10
    /// The number of bytes that may be decompressed whatever the ratio: 1 MiB. Small texts can have a high
    /// ratio.
    private static let freeBytes = 1 << 20

    /// Creates the decoder of a response, and removes the fields from its head that describe the coded body.
    ///
    /// A body that the server has coded is decoded whether or not a coding was requested. The names of
    /// codings are compared without regard to case, and `x-gzip` is `gzip` (RFC 9110, section 8.4.1.3).
    ///
    /// - Parameters:
    ///   - head: the head of the response. `Content-Encoding` and `Content-Length` are removed if there is a
    ///     decoder.
    ///   - request: the request, with the limit on the ratio.
    ///   - host: the host, for error messages.
    /// - Returns: `nil` if the body isn't coded, or if there can be none: in response to HEAD, or with the
    ///   status 204 or 304.
    /// - Throws: `TransportError` with `invalidResponse` if it has another coding, or several, or if zlib
    ///   can't be used.
    static func make(
      for head: inout ResponseHead, of request: TransportRequest, host: String
    ) throws(TransportError) -> ContentDecoder? {
      let codings = head.headers.values(of: "Content-Encoding").flatMap { $0.split(separator: ",") }
        .map { String($0).trimmed.lowercased() }.filter {
          $0 != "identity" && !$0.isEmpty
        }
      // A response to HEAD, or with one of these statuses, has no body (RFC 9112, section 6.3).
      guard !codings.isEmpty, request.method != .head, ![204, 304].contains(head.status) else { return nil }
      guard codings.count == 1, ["gzip", "x-gzip", "deflate"].contains(codings[0]),
        let stream = tenon_inflate_new()
      else {
        throw TransportError(
          .invalidResponse,
          "The body of \(host)'s response is in a coding that wasn't requested (Content-Encoding).")
      }
      head.headers["Content-Encoding"] = nil
      head.headers["Content-Length"] = nil
      return ContentDecoder(stream, ratio: request.limits.decompressionRatio, host: host)
    }

    /// Creates a decoder that owns the state of zlib.
    private init(_ stream: OpaquePointer, ratio: Int, host: String) {
      self.stream = stream
      self.ratio = ratio
      self.host = host
    }

    deinit { tenon_inflate_free(stream) }

    /// Appends compressed bytes. Complexity: O(1) if the previous ones have been decoded, which is the case
    /// when ``next()`` has returned `nil`; otherwise O(*n*) in the number of bytes.
    ///
    /// - Parameter bytes: the bytes, in the order in which they were received. A piece may end anywhere.
    func append(_ bytes: Data) { input = input.isEmpty ? bytes : input + bytes }

    /// Returns the next piece of the body; `nil` if more compressed bytes are needed.
    ///
    /// - Returns: a piece of 1 to ``pieceSize`` bytes. `nil` doesn't mean the end of the body; see
    ///   ``finish()``.
    /// - Throws: `TransportError` with `invalidResponse` if the compressed bytes aren't in the coding, or,
    ///   with the limit `decompressionRatio`, if they exceed the ratio.
    /// - Complexity: O(*n*) in the number of bytes that are read and returned.
    func next() throws(TransportError) -> Data? {
      while !input.isEmpty {
        if isAtEnd, hasBegun {
          // Several streams may follow each other (RFC 1952, section 2.2). Zeros behind the last one are
          // padding.
          input = input.drop { $0 == 0 }
          guard !input.isEmpty else { return nil }
          tenon_inflate_reset(stream)
        }
        hasBegun = true
        var piece = Data(count: Self.pieceSize)
        var (read, written) = (input.count, piece.count)
        let status = input.withUnsafeBytes { input in
          piece.withUnsafeMutableBytes { piece in
            tenon_inflate_next(
              stream, input.bindMemory(to: UInt8.self).baseAddress, &read,
              piece.bindMemory(to: UInt8.self).baseAddress,
              &written)
          }
        }
        // Checked: a number of bytes that zlib has read.
        input = input.dropFirst(read)
        isAtEnd = Int64(clamping: status) == Int64(clamping: TENON_INFLATE_END)
        guard Int64(clamping: status) != Int64(clamping: TENON_INFLATE_DAMAGED) else {
          throw damaged("isn't")
        }
        counts.compressed += read
        counts.decompressed += written
        try checkRatio()
        // Checked: a number of bytes that zlib has written.
        if written > 0 { return piece.prefix(written) }
        if read == 0, !isAtEnd { return nil }
      }
      return nil
    }

    /// Checks that the body is complete, after its last byte has been decoded. An empty body is complete.
    ///
    /// - Throws: `TransportError` with `invalidResponse` if it ends within a compressed stream.
    func finish() throws(TransportError) { if !isAtEnd { throw damaged("ends before it is complete") } }

    /// Checks the ratio of what has been decompressed so far, after each piece.
    ///
    /// - Throws: `TransportError` with `invalidResponse` and the limit `decompressionRatio` if more than
    ///   ``freeBytes`` have been decompressed and they exceed ``ratio`` times the compressed bytes.
    private func checkRatio() throws(TransportError) {
      let (allowed, overflows) = counts.compressed.multipliedReportingOverflow(by: ratio)
      guard !overflows, counts.decompressed > Self.freeBytes, counts.decompressed > allowed else { return }
      throw TransportError(
        .invalidResponse, "The body of \(host)'s response decompresses to more than \(ratio) times its size.",
        limit: .decompressionRatio)
    }

    /// Returns the error of a body that isn't in its coding.
    ///
    /// - Parameter text: the verb of the message: `isn't`, or `ends before it is complete`.
    private func damaged(_ text: String) -> TransportError {
      TransportError(
        .invalidResponse,
        "The body of \(host)'s response \(text == "isn't" ? "isn't" : "\(text)") in the coding that its head names "
          + "(Content-Encoding)."
      )
    }
  }
#endif
