import Foundation
import TenonTransportInterop

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportError {
  /// Translates what `URLSession` reports.
  ///
  /// On Linux it has no codes for a truncated answer and for TLS failures (both are `unknown`): what came after
  /// the head is a lost connection, unless the content can't be decoded; what came before it on https is the handshake.
  init(_ error: any Error, url: URL, headArrived: Bool) {
    let host = url.host() ?? url.absoluteString
    let code = (error as? URLError)?.code ?? .unknown
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
    // What `URLSession` on Linux says when the peer hangs up without a word.
    case .badServerResponse where !headArrived:
      self.init(.connectionLost, "\(host) hung up without an answer.", underlying: error)
    case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
      self.init(.invalidResponse, "The answer of \(host) breaks HTTP.", underlying: error)
    case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
      .clientCertificateRequired:
      self.init(.tls, Self.handshake(with: host), underlying: error)
    case .unknown where Self.isOfCoding(error):
      self.init(
        .invalidResponse,
        "The content of \(host)'s answer isn't in the coding that its head names (Content-Encoding, Transfer-Encoding).",
        underlying: error
      )
    case .unknown where !headArrived && url.scheme?.lowercased() == "https":
      self.init(.tls, Self.handshake(with: host), underlying: error)
    default:
      self.init(
        .connectionLost,
        "The connection to \(host) broke before its answer was complete.",
        underlying: error
      )
    }
  }

  /// Whether libcurl, whose text is all that `URLSession` on Linux hands on, complains of a content or transfer coding.
  private static func isOfCoding(_ error: any Error) -> Bool {
    let text = (error as NSError).localizedDescription.lowercased()
    let complaints = [
      "content encoding", "content unencoding", "transfer encoding", "transfer-encoding", "chunked-encod",
    ]
    return complaints.contains { text.contains($0) }
  }

  private static func handshake(with host: String) -> String {
    "No secure connection to \(host): its certificate isn't trusted, or the handshake failed."
  }

  private static func port(of url: URL) -> String {
    Origin(url).map { "port \($0.port)" } ?? url.absoluteString
  }
}
