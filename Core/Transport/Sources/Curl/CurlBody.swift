#if os(Linux)
  import FoundationEssentials
  import TenonTransportInterop

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// The body of a request, as libcurl obtains it: with the head, or by callbacks on the engine's thread
  /// while it sends.
  ///
  /// A ``CurlTransfer`` owns it and uses it on that thread only. Only the body of a stream is shared with
  /// other threads, by the exchange.
  enum CurlBody {
    /// There is none, and the head doesn't state a length.
    case none
    /// A small body, which libcurl copies and sends together with the head. It may be empty: the head then
    /// states a length of 0.
    case posted(Data)
    /// A body in memory, and the position of the next byte.
    case memory(Data, sent: Int)
    /// An open file, which is read while it is being sent.
    case file(BodyFile)
    /// The caller's stream: its stated length, `nil` if there is none, and the number of bytes that have been
    /// sent. The exchange has what isn't sent.
    case stream(length: Int64?, sent: Int64)

    /// The largest body that is sent together with the head, in bytes: 32 KiB.
    private static let largestPosted = 32 << 10

    /// Opens the body of a request.
    ///
    /// - Parameter exchange: the exchange of the request. A stream isn't read here.
    /// - Throws: `TransportError` with `invalidRequest` if a file can't be read.
    init(_ exchange: CurlExchange) throws(TransportError) {
      switch exchange.request.body {
      // A request whose method expects a body states that there is none (RFC 9110, section 8.6).
      case .none where [.post, .put, .patch].contains(exchange.request.method): self = .posted(Data())
      case .none: self = .none
      case .data(let data): self = data.count <= Self.largestPosted ? .posted(data) : .memory(data, sent: 0)
      case .file(let url): self = .file(try BodyFile(url))
      case .stream(_, let length): self = .stream(length: length, sent: 0)
      }
    }

    /// The size in bytes; `nil` if it isn't known in advance, so that the body is sent in chunks or in frames
    /// of HTTP/2.
    var size: Int64? {
      switch self {
      case .none: 0
      case .posted(let data), .memory(let data, _): Int64(data.count)
      case .file(let file): file.size
      case .stream(let length, _): length
      }
    }

    /// Whether libcurl reads the body in parts.
    var isRead: Bool {
      switch self {
      case .none, .posted: false
      case .memory, .file, .stream: true
      }
    }

    /// Copies the next bytes to a buffer.
    ///
    /// - Parameters:
    ///   - buffer: the buffer of libcurl, whose size is the maximum number of bytes.
    ///   - exchange: the exchange, which has the chunks of a stream.
    /// - Returns: the number of bytes, at least 1; or that the body is complete; or, for a stream, that
    ///   nothing is available yet.
    /// - Throws: `TransportError` with `invalidRequest` if the body doesn't have the size that was stated, or
    ///   if a file can't be read.
    /// - Complexity: O(*n*) in the number of bytes that are copied.
    mutating func provide(
      to buffer: UnsafeMutableRawBufferPointer, of exchange: CurlExchange
    ) throws(TransportError) -> CurlExchange.Provision {
      switch self {
      case .none, .posted: return .complete
      case .memory(let data, let sent):
        let count = min(buffer.count, data.count - sent)
        guard count > 0 else { return .complete }
        let start = data.startIndex + sent
        // Checked: the size of a part of the data.
        data.copyBytes(to: buffer, from: start..<(start + count))
        // Checked: the size of a part of the data.
        self = .memory(data, sent: sent + count)
        return .bytes(count)
      case .file(let file): return try file.provide(to: buffer)
      case .stream(let length, let sent):
        let provision = exchange.provide(to: buffer)
        switch provision {
        case .later: break
        case .complete:
          if let length, sent < length { throw Self.unexpected(sent, length, exchange) }
        case .bytes(let count):
          // Checked: bytes in memory.
          let total = sent + Int64(clamping: count)
          if let length, total > length { throw Self.unexpected(total, length, exchange) }
          self = .stream(length: length, sent: total)
        }
        return provision
      }
    }

    /// Moves to another position, from which libcurl sends the body again on another connection.
    ///
    /// - Parameter offset: the number of bytes from the beginning.
    /// - Returns: whether this is possible. A stream can't be repeated; it only has its current position.
    mutating func seek(to offset: Int64) -> Bool {
      switch self {
      case .none, .posted: return true
      case .memory(let data, _):
        guard let offset = Int(exactly: offset), (0...data.count).contains(offset) else { return false }
        self = .memory(data, sent: offset)
        return true
      case .file(let file): return file.seek(to: offset)
      case .stream(_, let sent): return offset == sent
      }
    }

    /// Returns the error of a stream that doesn't have its stated length.
    ///
    /// - Parameters:
    ///   - size: the number of bytes: all of them if they are fewer than `length`, and those so far if they
    ///     are more.
    ///   - length: the stated length.
    ///   - exchange: the exchange, whose host the message names.
    private static func unexpected(_ size: Int64, _ length: Int64, _ exchange: CurlExchange) -> TransportError
    {
      TransportError(
        .invalidRequest,
        "The body of the request to \(exchange.origin.host) has \(size < length ? "only" : "at least") \(size) "
          + "bytes instead of \(length)."
      )
    }
  }

  /// An open file that is the body of a request. It is used on the engine's thread only; reading it blocks
  /// that thread.
  ///
  /// The file is opened before the request is sent, so that one that can't be read ends the exchange before a
  /// connection is used. Releasing the object closes the file.
  final class BodyFile {
    /// The size in bytes when the file was opened. Bytes that are appended later aren't sent.
    let size: Int64
    /// The location of the file, for error messages.
    private let url: URL
    /// The descriptor of the open file, which isn't inherited by other programs (`O_CLOEXEC`).
    private let descriptor: Int32
    /// The number of bytes that have been read, which is the position of the next one.
    private var offset: Int64 = 0

    /// Opens a file.
    ///
    /// - Parameter url: the location of the file. Symbolic links are followed.
    /// - Throws: `TransportError` with `invalidRequest` if it can't be read or isn't a regular file. The
    ///   message names its path.
    init(_ url: URL) throws(TransportError) {
      self.url = url
      // Without `O_NONBLOCK`, opening a pipe would block the engine.
      descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      var status = stat()
      guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        let reason = descriptor < 0 ? String(cString: strerror(errno)) : "it isn't a regular file"
        if descriptor >= 0 { close(descriptor) }
        throw TransportError(
          .invalidRequest, "The file \(url.path) can't be read, so it can't be sent: \(reason).")
      }
      size = Int64(clamping: status.st_size)
    }

    deinit { close(descriptor) }

    /// Copies the next bytes to a buffer.
    ///
    /// - Parameter buffer: the buffer, whose size is the maximum number of bytes.
    /// - Returns: the number of bytes; `complete` when as many as the file had at first have been read.
    /// - Throws: `TransportError` with `invalidRequest` if the file can't be read or has become shorter.
    ///   Other changes aren't noticed.
    func provide(to buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> CurlExchange.Provision {
      // Checked: positions in a file.
      let rest = Int(clamping: size - offset)
      guard rest > 0 else { return .complete }
      var count = pread(descriptor, buffer.baseAddress, min(buffer.count, rest), off_t(offset))
      while count < 0, errno == EINTR {
        count = pread(descriptor, buffer.baseAddress, min(buffer.count, rest), off_t(offset))
      }
      guard count > 0 else {
        throw TransportError(
          .invalidRequest, "The file \(url.path) was changed or can't be read while it was being sent.")
      }
      // Checked: positions in a file.
      offset += Int64(clamping: count)
      return .bytes(count)
    }

    /// Moves to another position.
    ///
    /// - Parameter offset: the number of bytes from the beginning.
    /// - Returns: whether the position is within the size of the file.
    func seek(to offset: Int64) -> Bool {
      // Checked: the size of a file.
      guard (0...size).contains(offset) else { return false }
      self.offset = offset
      return true
    }
  }
#endif
