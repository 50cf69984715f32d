import Foundation
import TenonTransportInterop

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportError {
  /// Translates what `URLSession` reports.
  ///
  /// On Linux it has no codes for a truncated answer and for TLS failures (both are `unknown`): what came after
  /// the head is a lost connection, what came before it on https is the handshake.
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

  private static func handshake(with host: String) -> String {
    "No secure connection to \(host): its certificate isn't trusted, or the handshake failed."
  }

  private static func port(of url: URL) -> String {
    Origin(url).map { "port \($0.port)" } ?? url.absoluteString
  }
}
