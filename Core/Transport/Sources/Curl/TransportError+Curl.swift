#if os(Linux)
  import CTransport
  import FoundationEssentials
  import TenonHTTP
  import TenonTransportInterop

  /// An error of libcurl: the underlying error of a `TransportError`. Its text is libcurl's, in English.
  struct CurlError: Error, CustomStringConvertible, LocalizedError {
    /// The number of the error (https://curl.se/libcurl/c/libcurl-errors.html).
    let code: Int32
    /// libcurl's description of this case, or else of the code.
    let message: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: the code with which libcurl has ended a transfer.
    ///   - description: the description of this case; if it is empty, that of the code is used. It is copied.
    init(_ code: Int32, description: UnsafePointer<CChar>) {
      self.code = code
      let text = String(cString: description)
      message = text.isEmpty ? String(cString: tenon_curl_description(code)) : text
    }

    /// The description and the code, for example `libcurl: Could not resolve host: a.invalid (6)`.
    var description: String { "libcurl: \(message) (\(code))" }
    /// The same text as ``description``.
    var errorDescription: String? { description }
  }

  extension TransportError {
    /// Creates a transport error from an error of libcurl.
    ///
    /// - A host or proxy that can't be found or connected to is `unreachable`, and so is libcurl's own
    ///   timeout, which only concerns connecting.
    /// - A failed handshake, a certificate that isn't accepted, and a file of certificates that can't be read
    ///   are errors of `tls`.
    /// - A URL that libcurl refuses is an `invalidRequest`.
    /// - A response that isn't HTTP is an `invalidResponse`. libcurl has its own limits, on the length of a
    ///   line and of a trailer field; an error for which they are the reason has the corresponding limit.
    /// - Everything else, in particular a connection that ends early, is a `connectionLost`.
    ///
    /// Errors that the callbacks of a transfer cause don't reach this: the transfer reports their reason
    /// instead.
    ///
    /// - Parameters:
    ///   - error: libcurl's error. It becomes the underlying error.
    ///   - host: the origin of the request. The message names its host, and its port if there is no
    ///     connection.
    ///   - headArrived: whether the head of the response had arrived. Before, a lack of memory means that a
    ///     header line is too long.
    init(_ error: CurlError, host origin: Origin, headArrived: Bool) {
      let host = origin.host
      switch Int(clamping: error.code) {
      case Int(TENON_CURL_COULDNT_RESOLVE_HOST):
        self.init(
          .unreachable, "There is no host \(host). Check its name and the network.", underlying: error)
      case Int(TENON_CURL_COULDNT_CONNECT):
        self.init(
          .unreachable,
          "\(host) can't be reached at port \(origin.port). Check that it runs and the network.",
          underlying: error)
      case Int(TENON_CURL_COULDNT_RESOLVE_PROXY), Int(TENON_CURL_PROXY):
        self.init(
          .unreachable, "\(host) can't be reached through the proxy. Check the proxy's settings.",
          underlying: error)
      case Int(TENON_CURL_OPERATION_TIMEDOUT):
        self.init(
          .unreachable, "\(host) doesn't answer. Check the network and the address.", timeout: .connecting,
          underlying: error)
      case Int(TENON_CURL_SSL_CONNECT_ERROR), Int(TENON_CURL_PEER_FAILED_VERIFICATION),
        Int(TENON_CURL_SSL_CERTPROBLEM),
        Int(TENON_CURL_SSL_CIPHER), Int(TENON_CURL_SSL_CACERT_BADFILE), Int(TENON_CURL_SSL_ISSUER_ERROR),
        Int(TENON_CURL_SSL_PINNEDPUBKEYNOTMATCH), Int(TENON_CURL_SSL_INVALIDCERTSTATUS),
        Int(TENON_CURL_SSL_CLIENTCERT),
        Int(TENON_CURL_USE_SSL_FAILED):
        self.init(
          .tls, "No secure connection to \(host): \(error.tlsReason(for: host))", underlying: error)
      case Int(TENON_CURL_URL_MALFORMAT):
        self.init(.invalidRequest, "The request to \(host) can't be sent as it is.", underlying: error)
      case Int(TENON_CURL_OUT_OF_MEMORY) where !headArrived, 100:
        // libcurl limits the length of a line as well.
        self.init(
          .invalidResponse, "The response of \(host) has a header line that is too long.",
          limit: .headerLineBytes,
          underlying: error)
      case Int(TENON_CURL_BAD_FUNCTION_ARGUMENT):
        // The head begins with a continued header line. Later versions report a weird reply.
        self.init(.invalidResponse, "The response of \(host) violates HTTP.", underlying: error)
      case Int(TENON_CURL_UNSUPPORTED_PROTOCOL), Int(TENON_CURL_WEIRD_SERVER_REPLY),
        Int(TENON_CURL_BAD_CONTENT_ENCODING):
        self.init(.invalidResponse, "The response of \(host) violates HTTP.", underlying: error)
      case _ where Self.concernsChunks(error) && error.message.lowercased().contains("out of memory"):
        // libcurl limits the length of a trailer field to 4 KiB.
        self.init(
          .invalidResponse, "The response of \(host) has a trailer field that is too long.", limit: .trailers,
          underlying: error)
      case _ where Self.concernsChunks(error):
        self.init(.invalidResponse, "The chunks of \(host)'s response violate HTTP.", underlying: error)
      default:
        self.init(
          .connectionLost, "The connection to \(host) broke before the response was complete.",
          underlying: error)
      }
    }

    /// Returns whether an error concerns the chunked transfer coding. libcurl has no separate code for that;
    /// its text is searched instead, in any case. A text that isn't recognized makes the error a lost
    /// connection.
    private static func concernsChunks(_ error: CurlError) -> Bool {
      let text = error.message.lowercased()
      return text.contains("chunked-encod") || text.contains("chunk hex")
    }
  }
#endif
