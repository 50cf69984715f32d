#if os(Linux)
  import CTransport
  import Foundation
  import TenonCore
  import TenonHTTP
  import TenonTransportInterop

  /// One request and its response, without redirects: the side of the engine's thread. It is used on that thread only.
  ///
  /// libcurl calls back with a pointer to the transfer, which must therefore exist until its easy handle has been removed from
  /// the multi handle.
  final class CurlTransfer {
    /// What the exchange is waiting for.
    private enum Stage {
      /// A connection.
      case connecting
      /// The server, which is receiving the request's body.
      case sending
      /// The first byte of the response.
      case waiting
      /// The rest of the response.
      case receiving
    }

    let exchange: CurlExchange
    let easy: UnsafeMutableRawPointer
    /// Whether bytes have been received that the reader hasn't been offered.
    private var hasBytes = false
    /// The head of the response.
    private var reader: ResponseHeadReader
    /// The request's body.
    private var body = CurlBody.none
    /// The reason for which a callback has ended the transfer.
    private var failure: TransportError?
    /// The list of header lines, which libcurl reads during the transfer.
    private var lines: UnsafeMutableRawPointer?
    /// libcurl's description of an error.
    private let description: UnsafeMutablePointer<CChar>
    /// The directions that have been paused, as bits of `tenon_curl_pause`.
    private var paused: Int32 = 0
    /// The number of times that the request has been sent on a connection.
    private var attempts = 0

    private let start = ContinuousClock.now
    private var stage = Stage.connecting
    /// When the stage began, or when bytes were last transferred in it.
    private var progressTime: ContinuousClock.Instant
    private var progress = HTTPProgress()
    /// The progress that was last reported.
    private var reported: Int64 = 0
    /// The number of bytes after which progress is reported.
    private static let reportedStep: Int64 = 128 << 10

    init(_ exchange: CurlExchange, _ easy: UnsafeMutableRawPointer) {
      self.exchange = exchange
      self.easy = easy
      reader = ResponseHeadReader(exchange.request.limits, host: exchange.origin.host)
      progressTime = start
      description = .allocate(capacity: Int(TENON_CURL_ERROR_SIZE))
      description.pointee = 0
    }

    deinit {
      tenon_curl_list_free(lines)
      description.deallocate()
    }

    /// Returns the transfer of an easy handle.
    static func of(_ easy: UnsafeMutableRawPointer) -> CurlTransfer? {
      tenon_curl_context(easy).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: - Preparation

    /// Sets the options of the easy handle.
    ///
    /// - Throws: `TransportError` with `invalidRequest`.
    func prepare(_ configuration: TransportConfiguration) throws(TransportError) {
      body = try CurlBody(exchange)
      progress.totalToSend = body.size
      let me = Unmanaged.passUnretained(self).toOpaque()
      set(TENON_CURL_OPT_PRIVATE, me)
      set(TENON_CURL_OPT_ERRORBUFFER, description)
      set(TENON_CURL_OPT_NOSIGNAL, 1)
      set(TENON_CURL_OPT_NETRC, 0)
      set(TENON_CURL_OPT_FOLLOWLOCATION, 0)
      set(TENON_CURL_OPT_HTTP09_ALLOWED, 0)
      set(TENON_CURL_OPT_SUPPRESS_CONNECT_HEADERS, 1)
      // Cancelling doesn't wait for the thread that looks up the name.
      set(TENON_CURL_OPT_QUICK_EXIT, 1)
      // The engine's own deadline comes first.
      set(TENON_CURL_OPT_CONNECTTIMEOUT_MS, 365 * 24 * 3_600 * 1_000)
      set(TENON_CURL_OPT_BUFFERSIZE, 100 << 10)
      if tenon_curl_set_pointer(easy, Int32(TENON_CURL_OPT_PROTOCOLS_STR), "http,https") != TENON_CURL_OK {
        set(TENON_CURL_OPT_PROTOCOLS, TENON_CURL_PROTOCOL_HTTP_AND_HTTPS)
      }
      prepareConnection(configuration)
      prepareRequest()
      prepareCallbacks(me)
    }

    /// Sets the options of the connection.
    private func prepareConnection(_ configuration: TransportConfiguration) {
      let origin = exchange.origin
      let isSecure = origin.scheme == "https"
      set(TENON_CURL_OPT_HTTP_VERSION, isSecure ? TENON_CURL_HTTP_VERSION_2TLS : TENON_CURL_HTTP_VERSION_1_1)
      // Until it is known whether the server offers HTTP/2, further requests wait for the first connection.
      set(TENON_CURL_OPT_PIPEWAIT, isSecure ? 1 : 0)
      if let file = configuration.certificateAuthorities { set(TENON_CURL_OPT_CAINFO, file.path) }
      if let socket = configuration.unixSocket { set(TENON_CURL_OPT_UNIX_SOCKET_PATH, socket.path) }
      switch configuration.proxy {
      // Plain text that is allowed because it doesn't leave the machine must not be sent to a proxy.
      case _ where origin.isLoopback: set(TENON_CURL_OPT_NOPROXY, "*")
      case .environment: break
      case .none: set(TENON_CURL_OPT_NOPROXY, "*")
      case .url(let url):
        set(TENON_CURL_OPT_PROXY, url.absoluteString)
        set(TENON_CURL_OPT_NOPROXY, "")
      }
    }

    /// Sets the request's method, target and header fields.
    private func prepareRequest() {
      let request = exchange.request
      // The parts are those that the origin was determined from. libcurl doesn't parse a user, a password or a fragment.
      let host = exchange.origin.host
      var url =
        "\(exchange.origin.scheme)://\(host.contains(":") ? "[\(host)]" : host):\(exchange.origin.port)"
      let path = request.url.path(percentEncoded: true)
      url += path.hasPrefix("/") ? path : "/\(path)"
      if let query = request.url.query(percentEncoded: true) { url += "?\(query)" }
      set(TENON_CURL_OPT_URL, url)
      set(TENON_CURL_OPT_PATH_AS_IS, 1)
      switch body {
      case .none where request.method == .head: set(TENON_CURL_OPT_NOBODY, 1)
      case .none: set(TENON_CURL_OPT_HTTPGET, 1)
      case .posted(let data):
        set(TENON_CURL_OPT_POST, 1)
        tenon_curl_set_size(easy, Int32(TENON_CURL_OPT_POSTFIELDSIZE_LARGE), Int64(data.count))
        data.withUnsafeBytes { bytes in
          // A null pointer would mean that the body is read by a callback.
          if let start = bytes.baseAddress {
            set(TENON_CURL_OPT_COPYPOSTFIELDS, start)
          } else {
            set(TENON_CURL_OPT_COPYPOSTFIELDS, "")
          }
        }
      case .memory, .file, .stream:
        set(TENON_CURL_OPT_UPLOAD, 1)
        set(TENON_CURL_OPT_UPLOAD_BUFFERSIZE, 128 << 10)
        tenon_curl_set_size(easy, Int32(TENON_CURL_OPT_INFILESIZE_LARGE), body.size ?? -1)
      }
      if request.method != .get, request.method != .head {
        set(TENON_CURL_OPT_CUSTOMREQUEST, request.method.rawValue)
      }
      // Without a value, libcurl leaves out a field that it would add itself. A server that doesn't know `Expect` would delay
      // the body by a second.
      append("Expect:")
      if request.headers["Content-Type"] == nil { append("Content-Type:") }
      for field in request.headers.fields where field.name.lowercased() != "content-length" {
        append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
      }
      if exchange.acceptsCoding { append("Accept-Encoding: gzip") }
      set(TENON_CURL_OPT_HTTPHEADER, lines)
    }

    /// Appends a header line.
    private func append(_ line: String) { lines = tenon_curl_list_append(lines, line) ?? lines }

    private func set(_ option: some BinaryInteger, _ value: some BinaryInteger) {
      tenon_curl_set_number(easy, Int32(option), Int(value))
    }

    private func set(_ option: some BinaryInteger, _ value: UnsafeRawPointer?) {
      tenon_curl_set_pointer(easy, Int32(option), value)
    }
  }

  // MARK: - Callbacks

  extension CurlTransfer {
    private func prepareCallbacks(_ me: UnsafeMutableRawPointer) {
      for option in [
        TENON_CURL_OPT_WRITEDATA, TENON_CURL_OPT_HEADERDATA, TENON_CURL_OPT_READDATA, TENON_CURL_OPT_SEEKDATA,
        TENON_CURL_OPT_PREREQDATA,
      ] { set(option, me) }
      tenon_curl_set_data_callback(easy, Int32(TENON_CURL_OPT_HEADERFUNCTION)) {
        bytes, size, count, context in
        CurlTransfer.at(context).receivedLine(UnsafeRawBufferPointer(start: bytes, count: size * count))
      }
      tenon_curl_set_data_callback(easy, Int32(TENON_CURL_OPT_WRITEFUNCTION)) { bytes, size, count, context in
        CurlTransfer.at(context).received(UnsafeRawBufferPointer(start: bytes, count: size * count))
      }
      tenon_curl_set_data_callback(easy, Int32(TENON_CURL_OPT_READFUNCTION)) { bytes, size, count, context in
        CurlTransfer.at(context).provide(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
      }
      tenon_curl_set_seek_callback(easy) { context, offset, origin in
        CurlTransfer.at(context).seek(to: offset, from: origin)
      }
      tenon_curl_set_prereq_callback(easy) { context, _, _, _, _ in CurlTransfer.at(context).connected() }
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
      // `prepareCallbacks` has set this pointer, and `CurlLoop` keeps the transfer until libcurl has removed it.
      Unmanaged.fromOpaque(context!).takeUnretainedValue()
    }

    /// Handles a connection that is ready for the request.
    ///
    /// When a connection that was kept open turns out to be closed, libcurl sends the request again on a new one. The server may
    /// have processed the first one, so that is allowed for idempotent methods only (RFC 9110, section 9.2.2).
    private func connected() -> Int32 {
      attempts += 1
      guard attempts == 1 || exchange.request.method.isIdempotent else {
        fail(
          .connectionLost,
          "\(exchange.origin.host) closed the connection. The request may have been processed, so it isn't sent again."
        )
        return Int32(TENON_CURL_PREREQ_ABORT)
      }
      enter(body.isRead ? .sending : .waiting)
      return Int32(TENON_CURL_PREREQ_OK)
    }

    /// Handles a line of the head or a trailer field.
    private func receivedLine(_ line: UnsafeRawBufferPointer) -> Int {
      enter(.receiving)
      let wasComplete = reader.isComplete
      do throws(TransportError) {
        guard let head = try reader.read(line), !wasComplete else { return line.count }
        progress.totalToReceive = reader.contentLength
        if exchange.isCollected, exchange.request.method != .head, let length = reader.contentLength,
          length > exchange.request.limits.bodyBytes
        {
          throw tooLarge
        }
        exchange.received(head)
        return line.count
      } catch {
        failure = error
        return 0
      }
    }

    /// Handles bytes of the body.
    private func received(_ bytes: UnsafeRawBufferPointer) -> Int {
      switch exchange.received(bytes) {
      case .taken:
        hasBytes = true
        progressTime = .now
        progress.received += Int64(bytes.count)
        report()
        return bytes.count
      case .full:
        paused |= Int32(TENON_CURL_PAUSE_RECEIVING)
        return Int(TENON_CURL_WRITE_PAUSE)
      case .refused:
        if exchange.isCollected { failure = tooLarge }
        return bytes.isEmpty ? 1 : 0
      }
    }

    /// Provides bytes of the request's body.
    private func provide(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
      if stage == .connecting { enter(.sending) }
      let provision: CurlExchange.Provision
      do throws(TransportError) {
        provision = try body.provide(to: buffer, of: exchange)
      } catch {
        failure = error
        return Int(TENON_CURL_READ_ABORT)
      }
      switch provision {
      case .bytes(let count):
        progressTime = .now
        progress.sent += Int64(count)
        if progress.sent == progress.totalToSend { sent() } else { report() }
        return count
      case .later:
        paused |= Int32(TENON_CURL_PAUSE_SENDING)
        return Int(TENON_CURL_READ_PAUSE)
      case .complete:
        sent()
        return 0
      }
    }

    /// Handles the end of the request's body.
    private func sent() {
      if stage == .sending { enter(.waiting) }
      report(isFinal: true)
    }

    /// Returns to an earlier position of the request's body, before libcurl sends it again.
    private func seek(to offset: Int64, from origin: Int32) -> Int32 {
      guard origin == 0, body.seek(to: offset) else { return Int32(TENON_CURL_SEEK_FAIL) }
      progress.sent = offset
      return Int32(TENON_CURL_SEEK_OK)
    }

    /// The error of a body that exceeds its limit.
    private var tooLarge: TransportError {
      TransportError(
        .invalidResponse,
        "The response of \(exchange.origin.host) has more than \(exchange.request.limits.bodyBytes) bytes.",
        limit: .bodyBytes)
    }

    private func fail(_ code: TransportError.Code, _ message: String) {
      failure = TransportError(code, message)
    }

    /// Reports the progress if enough bytes have been transferred since the last report.
    private func report(isFinal: Bool = false) {
      guard let onProgress = exchange.request.onProgress else { return }
      let total = progress.sent + progress.received
      guard isFinal ? total != reported : total - reported >= Self.reportedStep || total < reported else {
        return
      }
      reported = total
      onProgress(progress)
    }

    /// Hands the bytes that have been received to the reader.
    ///
    /// - Returns: whether more bytes have been received in the meantime.
    func deliver() -> Bool {
      guard hasBytes, !exchange.isCollected else { return false }
      hasBytes = false
      if exchange.deliver() { continueReceiving() }
      return hasBytes
    }

    // MARK: - Pausing

    /// Continues to offer bytes of the body.
    func continueReceiving() { resume(Int32(TENON_CURL_PAUSE_RECEIVING)) }

    /// Continues to request bytes of the request's body.
    func continueSending() { resume(Int32(TENON_CURL_PAUSE_SENDING)) }

    private func resume(_ direction: Int32) {
      guard paused & direction != 0 else { return }
      paused &= ~direction
      progressTime = .now
      // This may call back, and pause again.
      tenon_curl_pause(easy, paused)
    }

    // MARK: - The end

    /// Returns the outcome of a transfer that libcurl has ended.
    func result(_ code: Int32) -> Result<Void, any Error> {
      if let failure { return .failure(failure) }
      guard code == TENON_CURL_OK else {
        return .failure(
          TransportError(
            CurlError(code, description: description), host: exchange.origin, headArrived: reader.isComplete))
      }
      // libcurl takes a head that ends early for complete.
      guard reader.isComplete else {
        return .failure(
          TransportError(
            .connectionLost, "\(exchange.origin.host) closed the connection within the head of its response.")
        )
      }
      report(isFinal: true)
      return .success(())
    }

    // MARK: - Deadlines

    private func enter(_ stage: Stage) {
      progressTime = .now
      self.stage = stage
    }

    /// Returns the next time at which a deadline may have been missed; `nil` if there is none.
    ///
    /// The exchange may enter another phase before, so this is no later than the end of a phase that would begin now.
    func nextCheck(after now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
      let timeouts = exchange.request.timeouts
      let phases = [timeouts.firstByte, timeouts.inactivity].compactMap { $0.map { now + $0.limited } }
      return (phases + [exchange.deadline, phaseDeadline?.time].compactMap(\.self)).min()
    }

    /// The deadline of the current phase.
    private var phaseDeadline: (time: ContinuousClock.Instant, timeout: TransportError.Timeout)? {
      let timeouts = exchange.request.timeouts
      switch stage {
      case .connecting: return timeouts.connecting.map { (start + $0.limited, .connecting) }
      case .waiting: return timeouts.firstByte.map { (progressTime + $0.limited, .firstByte) }
      // The caller's side is slow, not the server.
      case .sending, .receiving:
        return paused != 0 ? nil : timeouts.inactivity.map { (progressTime + $0.limited, .inactivity) }
      }
    }

    /// Returns the error of a deadline that has passed; `nil` if none has.
    func missedDeadline(_ now: ContinuousClock.Instant) -> TransportError? {
      // Versions of libcurl before 7.80 don't report when the connection is ready.
      if stage == .connecting, case let time = tenon_curl_pretransfer_time(easy), time > 0 {
        stage = body.isRead ? .sending : .waiting
        progressTime = start + .microseconds(time)
      }
      let host = exchange.origin.host
      if let deadline = exchange.deadline, now >= deadline {
        return TransportError(
          .timedOut, "\(host) didn't answer in time. Try again, or allow more time.", timeout: .exchange)
      }
      guard let (time, timeout) = phaseDeadline, now >= time else { return nil }
      switch timeout {
      case .connecting:
        return TransportError(
          .unreachable, "\(host) doesn't answer. Check the network and the address.", timeout: .connecting)
      case .firstByte:
        return TransportError(
          .timedOut, "\(host) received the request and doesn't answer.", timeout: .firstByte)
      default:
        return TransportError(
          .timedOut, "\(host) has stopped in the middle of the transfer.", timeout: .inactivity)
      }
    }
  }

  extension HTTPMethod {
    /// Whether a request can be sent twice with the effect of one (RFC 9110, section 9.2.2).
    var isIdempotent: Bool {
      let others = [HTTPMethod(rawValue: "TRACE")]
      return [.get, .head, .put, .delete, .options].contains(self) || others.contains(self)
    }
  }
#endif
