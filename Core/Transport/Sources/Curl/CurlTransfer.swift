import TenonFoundation

#if os(Linux)
  import CTransport
  import FoundationEssentials
  import TenonCore
  import TenonHTTP
  import TenonTransportInterop

  /// One request and its response, without redirects: the side of the engine's thread. It is used on that
  /// thread only.
  ///
  /// libcurl calls back with a pointer to the transfer, which must therefore exist until its easy handle has
  /// been removed from the multi handle. ``CurlLoop`` retains it as long.
  ///
  /// A callback can only request that libcurl end the transfer, which libcurl then reports with its own code.
  /// The callback's reason is kept in `failure`, which takes precedence over that code.
  final class CurlTransfer {
    /// What the exchange is waiting for, which decides on the timeout that applies.
    ///
    /// The stages follow each other in the order of their declaration. A request whose body is sent with the
    /// head, or that has none, isn't in `sending`, and a server may respond before it has received the body.
    /// A request that is sent again on another connection returns to `sending` or `waiting`.
    enum Stage {
      /// A connection. `HTTPTimeouts.connecting` applies, from the beginning of the transfer.
      case connecting
      /// The server, which is receiving the request's body. `HTTPTimeouts.inactivity` applies, from the last
      /// bytes that were sent.
      case sending
      /// The first byte of the response. `HTTPTimeouts.firstByte` applies, from the end of the request.
      case waiting
      /// The rest of the response. `HTTPTimeouts.inactivity` applies, from the last bytes that were received.
      case receiving
    }

    /// The side of the caller's tasks, which receives the response. The loop ends it with the outcome.
    let exchange: CurlExchange
    /// The easy handle, which belongs to the loop. It is used for this transfer until it has been removed
    /// from the multi handle.
    let easy: UnsafeMutableRawPointer
    /// The number of bytes that have been received and that a waiting reader hasn't been handed.
    private var undelivered = 0
    /// The number of these bytes that had been received when ``deliver()`` was last called.
    private var pending = 0
    /// The number of bytes since the last call of ``deliver()`` from which more can be expected soon: 32 KiB.
    private static let manyBytes = 32 << 10
    /// The size of libcurl's buffer for a body that is collected: 100 KiB.
    private static let collectedBufferSize = 100 << 10
    /// The size of libcurl's buffer for a body that is streamed: its maximum, 512 KiB. Memory is used only as
    /// far as bytes arrive together.
    private static let streamedBufferSize = 512 << 10
    /// The head of the response.
    private var reader: ResponseHeadReader
    /// The request's body.
    var body = CurlBody.none
    /// The reason for which a callback has ended the transfer; `nil` if none has.
    private var failure: TransportError?
    /// The list of header lines, which libcurl reads during the transfer; `nil` if it is empty. The transfer
    /// frees it.
    private var lines: UnsafeMutableRawPointer?
    /// libcurl's description of an error: a buffer of `TENON_CURL_ERROR_SIZE` bytes, into which libcurl
    /// writes a C string during the transfer. It is empty if there is no error.
    private let description: UnsafeMutablePointer<CChar>
    /// Set by OpenSSL when it receives `close_notify`; see ``watchEnd(of:)``. `nil` if the response doesn't
    /// end with its connection, or if the connection can't be watched.
    private var hasEnded: UnsafeMutablePointer<Bool>?
    /// The directions that have been paused, as bits of `tenon_curl_pause`.
    var paused: Int32 = 0
    /// The number of times that the request has been sent on a connection. It remains 0 with versions of
    /// libcurl before 7.80, which have no callback for it
    /// (https://curl.se/libcurl/c/CURLOPT_PREREQFUNCTION.html).
    private var attempts = 0

    /// When the transfer began, from which the timeout of connecting is counted.
    let start = ContinuousClock.now
    /// The current stage.
    var stage = Stage.connecting
    /// When the stage began, or when bytes were last transferred in it.
    var progressTime: ContinuousClock.Instant
    /// The progress of both bodies, before decompression.
    private var progress = HTTPProgress()
    /// The number of bytes, of both bodies, that was last reported; 0 before the first report.
    private var reported: Int64 = 0
    /// The number of bytes, of both bodies, after which progress is reported: 128 KiB.
    private static let reportedStep: Int64 = 128 << 10

    /// Creates a transfer, whose timeout of connecting begins. See ``prepare(_:hasRequestCallback:)``.
    ///
    /// - Parameters:
    ///   - exchange: the exchange, which hasn't ended.
    ///   - easy: an easy handle whose options have their defaults.
    init(_ exchange: CurlExchange, _ easy: UnsafeMutableRawPointer) {
      self.exchange = exchange
      self.easy = easy
      reader = ResponseHeadReader(exchange.request.limits, host: exchange.origin.host)
      progressTime = start
      // Checked: a constant of libcurl.
      description = .allocate(capacity: Int(TENON_CURL_ERROR_SIZE))
      description.pointee = 0
    }

    /// Frees what libcurl reads and writes during the transfer. The easy handle must have been removed
    /// before.
    deinit {
      tenon_curl_list_free(lines)
      description.deallocate()
      hasEnded?.deallocate()
    }

    /// Returns the transfer of an easy handle. It must not have been released.
    ///
    /// - Parameter easy: a handle for which ``prepare(_:hasRequestCallback:)`` has been called.
    /// - Returns: the transfer; `nil` if the handle has none.
    static func of(_ easy: UnsafeMutableRawPointer) -> CurlTransfer? {
      tenon_curl_context(easy).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: - Preparation

    /// Sets the options of the easy handle. It is called once, before the handle is added to the multi
    /// handle.
    ///
    /// libcurl's own redirects, `.netrc` files, HTTP/0.9 and signals are disabled, and so are all protocols
    /// but `http` and `https`. It doesn't limit the duration: the deadlines of ``CurlLoop`` do.
    ///
    /// - Parameters:
    ///   - configuration: how to connect to the server.
    ///   - hasRequestCallback: whether libcurl may be asked to call back before a request.
    /// - Throws: `TransportError` with `invalidRequest` if the body is a file that can't be read.
    func prepare(
      _ configuration: TransportConfiguration, hasRequestCallback: Bool
    ) throws(TransportError) {
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
      set(
        TENON_CURL_OPT_BUFFERSIZE, exchange.isCollected ? Self.collectedBufferSize : Self.streamedBufferSize)
      if tenon_curl_set_pointer(easy, Int32(TENON_CURL_OPT_PROTOCOLS_STR), "http,https") != TENON_CURL_OK {
        set(TENON_CURL_OPT_PROTOCOLS, TENON_CURL_PROTOCOL_HTTP_AND_HTTPS)
      }
      prepareConnection(configuration)
      prepareRequest()
      prepareCallbacks(me, hasRequestCallback)
    }

    /// Sets the options of the connection: the version of HTTP, certificates, the socket and the proxy.
    ///
    /// HTTP/2 is only used over TLS, where the handshake negotiates it (RFC 9113, section 3.2). Certificates
    /// are verified, which is libcurl's default.
    ///
    /// - Parameter configuration: how to connect to the server. Connections to loopback addresses don't use a
    ///   proxy.
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
    ///
    /// The request's own `Content-Length` is left out, because libcurl states the length of the body that it
    /// sends. A path is sent as it is, without resolving `..`. libcurl copies a body that is sent with the
    /// head, and reads other bodies with a callback.
    private func prepareRequest() {
      let request = exchange.request
      // The parts are those that the origin was determined from. libcurl doesn't parse a user, a password or
      // a fragment.
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
      // Without a value, libcurl leaves out a field that it would add itself. A server that doesn't know
      // `Expect` would delay the body by a second.
      append("Expect:")
      if request.headers["Content-Type"] == nil { append("Content-Type:") }
      for field in request.headers.fields where field.name.lowercased() != "content-length" {
        append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
      }
      if exchange.acceptsCoding { append("Accept-Encoding: gzip") }
      set(TENON_CURL_OPT_HTTPHEADER, lines)
    }

    /// Appends a header line, which libcurl copies. A line for which there is no memory is left out.
    ///
    /// - Parameter line: the name, a colon and the value; the name and a semicolon for an empty value; the
    ///   name and a colon for a field that libcurl must not add itself
    ///   (https://curl.se/libcurl/c/CURLOPT_HTTPHEADER.html).
    private func append(_ line: String) { lines = tenon_curl_list_append(lines, line) ?? lines }

    /// Sets an option of the easy handle to a number. An option that this version of libcurl doesn't have is
    /// ignored.
    private func set(_ option: some BinaryInteger, _ value: some BinaryInteger) {
      tenon_curl_set_number(easy, Int32(clamping: option), Int(clamping: value))
    }

    /// Sets an option of the easy handle to a pointer. An option that this version of libcurl doesn't have is
    /// ignored.
    ///
    /// - Parameters:
    ///   - option: the option, which decides on the type of the value.
    ///   - value: a C string, which libcurl copies, or a pointer that must be valid during the transfer.
    private func set(_ option: some BinaryInteger, _ value: UnsafeRawPointer?) {
      tenon_curl_set_pointer(easy, Int32(clamping: option), value)
    }
  }

  // MARK: - Callbacks

  extension CurlTransfer {
    /// Sets the callbacks, each of which calls a function of this transfer on the engine's thread.
    ///
    /// - Parameters:
    ///   - me: the pointer to this transfer, which libcurl passes to the callbacks. It doesn't retain the
    ///     transfer.
    ///   - hasRequestCallback: whether to set the callback before a request, which libcurl has since version
    ///     7.80.
    private func prepareCallbacks(_ me: UnsafeMutableRawPointer, _ hasRequestCallback: Bool) {
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
      let isSet =
        hasRequestCallback
        && tenon_curl_set_prereq_callback(easy) { context, _, _, _, _ in CurlTransfer.at(context).connected()
        }
          == TENON_CURL_OK
      // libcurl repeats a request only if it was sent on a connection that had been kept open. Where nothing
      // can prevent that, a request that must not be repeated has its own connection.
      if !isSet, !exchange.request.method.isIdempotent { set(TENON_CURL_OPT_FRESH_CONNECT, 1) }
    }

    /// Returns the transfer of a callback.
    ///
    /// - Parameter context: the pointer that `prepareCallbacks` has set.
    private static func at(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
      // `prepareCallbacks` has set this pointer, and `CurlLoop` keeps the transfer until libcurl has removed
      // it.
      Unmanaged.fromOpaque(context!).takeUnretainedValue()
    }

    /// Handles a connection that is ready for the request.
    ///
    /// When a connection that was kept open turns out to be closed, libcurl sends the request again on a new
    /// one. The server may have processed the first one, so that is allowed for idempotent methods only (RFC
    /// 9110, section 9.2.2).
    ///
    /// - Returns: whether to send the request, as a value of `CURLOPT_PREREQFUNCTION`. If not, the transfer
    ///   ends with `connectionLost`.
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
    ///
    /// If the body is collected and its stated length exceeds the limit, the transfer ends before any of the
    /// body is received.
    ///
    /// - Parameter line: the line with its end.
    /// - Returns: the number of bytes; any other number, here 0, ends the transfer.
    private func receivedLine(_ line: UnsafeRawBufferPointer) -> Int {
      enter(.receiving)
      let wasComplete = reader.isComplete
      do throws(TransportError) {
        guard let head = try reader.read(line), !wasComplete else { return line.count }
        progress.totalToReceive = reader.contentLength
        watchEnd(of: head)
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

    /// Has OpenSSL report the end of the connection, if the end of the response depends on it. A connection
    /// that is closed without the alert `close_notify` was cut (RFC 9112, section 9.8).
    private func watchEnd(of head: ResponseHead) {
      guard reader.endsWithConnection, exchange.origin.scheme == "https", exchange.request.method != .head,
        head.status != 204, head.status != 304
      else { return }
      let flag = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
      flag.initialize(to: false)
      if tenon_curl_watch_end(easy, flag) { hasEnded = flag } else { flag.deallocate() }
    }

    /// Handles bytes of the body.
    ///
    /// - Parameter bytes: the bytes, which are valid during the call only.
    /// - Returns: the number of bytes; `TENON_CURL_WRITE_PAUSE` if the reader is slow, and then libcurl
    ///   offers the same bytes again after ``continueReceiving()``; any other number ends the transfer.
    private func received(_ bytes: UnsafeRawBufferPointer) -> Int {
      switch exchange.received(bytes) {
      case .taken:
        undelivered += bytes.count
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
    ///
    /// - Parameter buffer: where to write them.
    /// - Returns: the number of bytes; 0 at the end of the body; `TENON_CURL_READ_PAUSE` if the caller hasn't
    ///   provided more, until ``continueSending()``; `TENON_CURL_READ_ABORT` to end the transfer.
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
        // Checked: bytes that were sent.
        progress.sent += Int64(clamping: count)
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

    /// Handles the end of the request's body, from which the timeout of the first byte is counted. It may be
    /// called more than once.
    private func sent() {
      if stage == .sending { enter(.waiting) }
      report(isFinal: true)
    }

    /// Returns to an earlier position of the request's body, before libcurl sends it again.
    ///
    /// - Parameters:
    ///   - offset: the number of bytes from the origin.
    ///   - origin: the origin: 0 for the beginning of the body (`SEEK_SET`). libcurl uses no other one.
    /// - Returns: `TENON_CURL_SEEK_OK`, or `TENON_CURL_SEEK_FAIL` if the body can't be repeated, which ends
    ///   the transfer.
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

    /// Sets the reason for which the transfer ends. The callback has to return the value that ends it.
    private func fail(_ code: TransportError.Code, _ message: String) {
      failure = TransportError(code, message)
    }

    /// Reports the progress if enough bytes have been transferred since the last report, or if their number
    /// has decreased because the body is sent again. The function of the request is called on the engine's
    /// thread, which all transfers share, so it must not block.
    ///
    /// - Parameter isFinal: whether a body is complete, so that any number of bytes is reported.
    private func report(isFinal: Bool = false) {
      guard let onProgress = exchange.request.onProgress else { return }
      let total = progress.sent + progress.received
      guard isFinal ? total != reported : total - reported >= Self.reportedStep || total < reported else {
        return
      }
      reported = total
      onProgress(progress)
    }

    /// Hands the bytes that have been received to the reader, unless many more can be expected soon: waking a
    /// reader costs more than receiving what it is woken for.
    ///
    /// - Returns: whether to call this again after libcurl has received what there is, without waiting.
    func deliver() -> Bool {
      guard undelivered > 0, !exchange.isCollected else { return false }
      let arrived = undelivered - pending
      pending = undelivered
      if arrived >= Self.manyBytes, undelivered < CurlExchange.bufferSize { return true }
      (undelivered, pending) = (0, 0)
      if exchange.deliver() { continueReceiving() }
      return undelivered > 0
    }

    // MARK: - Pausing

    /// Continues to offer bytes of the body. Has no effect unless a callback has paused receiving.
    func continueReceiving() { resume(Int32(TENON_CURL_PAUSE_RECEIVING)) }

    /// Continues to request bytes of the request's body. Has no effect unless a callback has paused sending.
    func continueSending() { resume(Int32(TENON_CURL_PAUSE_SENDING)) }

    /// Continues one direction. The other one remains as it is. The timeout of inactivity starts over.
    ///
    /// - Parameter direction: the bit of `tenon_curl_pause`.
    private func resume(_ direction: Int32) {
      guard paused & direction != 0 else { return }
      paused &= ~direction
      progressTime = .now
      // This may call back, and pause again.
      tenon_curl_pause(easy, paused)
    }

    // MARK: - The end

    /// Has libcurl close the connection when the transfer is removed, unless other transfers use the
    /// connection as well.
    func forbidReuse() { set(TENON_CURL_OPT_FORBID_REUSE, 1) }

    /// Sends the frames that wait on an HTTP/2 connection, if this transfer uses one. Has no effect if
    /// receiving is paused.
    ///
    /// libcurl sends them when a window changes. Pausing and continuing immediately changes it there and
    /// back.
    func flushConnection() {
      guard paused & Int32(TENON_CURL_PAUSE_RECEIVING) == 0 else { return }
      tenon_curl_pause(easy, paused | Int32(TENON_CURL_PAUSE_RECEIVING))
      tenon_curl_pause(easy, paused)
    }

    /// Returns the outcome of a transfer that libcurl has ended.
    ///
    /// - Parameter code: libcurl's code.
    /// - Returns: the error that a callback has kept, or else that of the code. The outcome is a success only
    ///   if the head is complete as well; the last progress is reported then.
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
            .connectionLost, "\(exchange.origin.host) closed the connection in the head of its response.")
        )
      }
      guard hasEnded?.pointee != false else {
        return .failure(
          TransportError(
            .connectionLost,
            "The connection to \(exchange.origin.host) was cut before the end of the response."))
      }
      report(isFinal: true)
      return .success(())
    }
  }
#endif
