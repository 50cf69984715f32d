import TenonTransport
import TenonTransportInterop
import TenonURLSession

/// The engines of the transport, for tests that all of them must pass.
enum Engine: String, CaseIterable, Sendable {
  /// `URLSession`, the engine of other platforms, which must work on Linux as well.
  case urlSession
  #if os(Linux)
    /// libcurl, the engine of Linux.
    case curl
  #endif

  /// The transport that tests share.
  var shared: any CountingTransport {
    switch self {
    case .urlSession: URLSessionTransport.shared
    #if os(Linux)
      case .curl: CurlTransport.shared
    #endif
    }
  }

  /// Returns a transport with its own connections.
  func transport(_ configuration: TransportConfiguration = TransportConfiguration()) -> any CountingTransport
  {
    switch self {
    case .urlSession: URLSessionTransport(configuration: configuration)
    #if os(Linux)
      case .curl: CurlTransport(configuration: configuration)
    #endif
    }
  }
}

/// A transport that counts its exchanges.
protocol CountingTransport: TransportInterop {
  var openExchanges: Int { get }
}

extension URLSessionTransport: CountingTransport {}
#if os(Linux)
  extension CurlTransport: CountingTransport {}
#endif
