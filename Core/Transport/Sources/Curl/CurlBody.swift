#if os(Linux)
  import Foundation
  import TenonTransportInterop

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// The body of a request, as libcurl obtains it.
  enum CurlBody {
    /// There is none, and the head doesn't state a length.
    case none
    /// A small body, which libcurl copies and sends together with the head.
    case posted(Data)
    /// A body in memory, and the position of the next byte.
    case memory(Data, sent: Int)
    /// An open file.
    case file(BodyFile)
    /// The caller's stream. The exchange has what isn't sent.
    case stream(length: Int64?, sent: Int64)

    /// The largest body that is sent together with the head.
    private static let largestPosted = 32 << 10

    /// Opens the body of a request.
    ///
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

    /// The size in bytes; `nil` if it isn't known in advance.
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
    /// - Throws: `TransportError` with `invalidRequest` if the body doesn't have the size that was stated.
    mutating func provide(
      to buffer: UnsafeMutableRawBufferPointer, of exchange: CurlExchange
    ) throws(TransportError) -> CurlExchange.Provision {
      switch self {
      case .none, .posted: return .complete
      case .memory(let data, let sent):
        let count = min(buffer.count, data.count - sent)
        guard count > 0 else { return .complete }
        let start = data.startIndex + sent
        data.copyBytes(to: buffer, from: start..<(start + count))
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
          let total = sent + Int64(count)
          if let length, total > length { throw Self.unexpected(total, length, exchange) }
          self = .stream(length: length, sent: total)
        }
        return provision
      }
    }

    /// Moves to another position.
    ///
    /// - Returns: whether this is possible.
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

    private static func unexpected(_ size: Int64, _ length: Int64, _ exchange: CurlExchange) -> TransportError
    {
      TransportError(
        .invalidRequest,
        "The stream of the body of the request to \(exchange.origin.host) has \(size < length ? "only" : "at least") \(size) "
          + "bytes instead of \(length)."
      )
    }
  }

  /// An open file that is the body of a request.
  final class BodyFile {
    /// The size in bytes when the file was opened.
    let size: Int64
    private let url: URL
    private let descriptor: Int32
    /// The number of bytes that have been read.
    private var offset: Int64 = 0

    /// Opens a file.
    ///
    /// - Throws: `TransportError` with `invalidRequest` if it can't be read or isn't a regular file.
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
      size = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    /// Copies the next bytes to a buffer.
    ///
    /// - Throws: `TransportError` with `invalidRequest` if the file can't be read or has become shorter.
    func provide(to buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> CurlExchange.Provision {
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
      offset += Int64(count)
      return .bytes(count)
    }

    /// Moves to another position.
    func seek(to offset: Int64) -> Bool {
      guard (0...size).contains(offset) else { return false }
      self.offset = offset
      return true
    }
  }
#endif
