import Foundation
import TenonHTTP
import TenonTransportInterop

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportError {
  /// Creates a transport error from an error of `URLSession`.
  ///
  /// - A host that can't be found or connected to is `unreachable`, and so is a timeout before the head has
  ///   arrived.
  /// - A request that the session can't send, for example because its file can't be read, is an
  ///   `invalidRequest`.
  /// - A response that isn't HTTP, or whose body can't be decoded, is an `invalidResponse`.
  /// - A failed handshake or a certificate that isn't accepted is an error of `tls`.
  /// - Everything else is a `connectionLost`.
  ///
  /// On Linux, `URLSession` reports both truncated responses and TLS failures as `unknown`. After the head
  /// has arrived, such an error is a lost connection, unless the body can't be decoded; before, on `https`,
  /// it is a failed handshake.
  ///
  /// - Parameters:
  ///   - error: the session's error. It becomes the underlying error, without the URLs that it contains. One
  ///     that isn't a `URLError` is treated as `unknown`.
  ///   - url: the target of the request. The message names its host.
  ///   - headArrived: whether the head of the response had arrived.
  init(_ error: any Error, url: URL, headArrived: Bool) {
    let host = url.host() ?? ""
    let code = (error as? URLError)?.code ?? .unknown
    let reason = error
    let error = Self.withoutURLs(error)
    switch code {
    case .timedOut where !headArrived:
      self.init(.unreachable, "\(host) doesn't answer. Check the network and the address.", underlying: error)
    case .cannotFindHost, .dnsLookupFailed:
      self.init(.unreachable, "There is no host \(host). Check its name and the network.", underlying: error)
    case .cannotConnectToHost, .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed:
      self.init(
        .unreachable,
        "\(host) can't be reached at \(Self.port(of: url)). Check that it runs and the network.",
        underlying: error
      )
    case .badURL, .unsupportedURL, .dataLengthExceedsMaximum, .fileDoesNotExist, .noPermissionsToReadFile,
      .fileIsDirectory, .requestBodyStreamExhausted:
      self.init(.invalidRequest, "The request to \(host) can't be sent as it is.", underlying: error)
    // `URLSession` on Linux reports this when the peer closes the connection without a response.
    case .badServerResponse where !headArrived:
      self.init(.connectionLost, "\(host) closed the connection without a response.", underlying: error)
    case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
      self.init(.invalidResponse, "The response of \(host) violates HTTP.", underlying: error)
    case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
      .clientCertificateRequired:
      self.init(.tls, Self.handshake(with: host), underlying: error)
    case .unknown where Self.isOfCoding(reason):
      self.init(
        .invalidResponse,
        "The body of \(host)'s response isn't in the coding that its head names (Content-Encoding, Transfer-Encoding).",
        underlying: error
      )
    case .unknown where !headArrived && url.scheme?.lowercased() == "https":
      self.init(.tls, Self.handshake(with: host), underlying: error)
    default:
      self.init(
        .connectionLost,
        "The connection to \(host) broke before the response was complete.",
        underlying: error
      )
    }
  }

  /// Returns an error that can be logged: a `URLError` with the same code and text, without the rest of its
  /// `userInfo`, which contains the URL of the request. Its query may contain credentials: an API key, the ID
  /// of an upload, a download token.
  ///
  /// - Parameter error: the session's error. Other types than `URLError` are returned unchanged.
  private static func withoutURLs(_ error: any Error) -> any Error {
    guard let error = error as? URLError else { return error }
    return URLError(error.code, userInfo: error.userInfo.filter { $0.key == NSLocalizedDescriptionKey })
  }

  /// Returns whether an error concerns a content or transfer coding. On Linux, only libcurl's message shows
  /// this.
  ///
  /// - Parameter error: the session's error. Its description is searched for phrases of libcurl, in any case,
  ///   which aren't localized and may differ between versions: an error that isn't recognized is treated like
  ///   other unknown ones.
  private static func isOfCoding(_ error: any Error) -> Bool {
    let text = (error as NSError).localizedDescription.lowercased()
    let complaints = [
      "content encoding", "content unencoding", "transfer encoding", "transfer-encoding", "chunked-encod",
    ]
    return complaints.contains { text.contains($0) }
  }

  /// Returns the message of a failed TLS handshake. `URLSession` on Linux doesn't report which part of it
  /// failed.
  private static func handshake(with host: String) -> String {
    "No secure connection to \(host): its certificate isn't trusted, or the handshake failed."
  }

  /// Returns the port of a URL for a message.
  private static func port(of url: URL) -> String { Origin(url).map { "port \($0.port)" } ?? "any port" }
}
