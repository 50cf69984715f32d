public import TenonFoundation

/// How a transport connects to servers.
///
/// Everything applies to libcurl, the engine on Linux. On other platforms, connections follow the settings of
/// the system, and only ``maxConnectionsPerHost`` applies.
///
/// ```swift
/// let configuration = TransportConfiguration(maxConnectionsPerHost: 8, proxy: .none)
/// let transport = SystemTransport(configuration: configuration)
/// ```
public struct TransportConfiguration: Sendable, Hashable {
  /// The proxies of a transport.
  public enum Proxy: Sendable, Hashable {
    /// Proxies from the environment: `https_proxy`, `http_proxy`, `all_proxy`, and `no_proxy` for exceptions.
    case environment
    /// Direct connections only.
    case none
    /// One proxy for all hosts, for example `http://proxy.example.com:3128` or `socks5h://127.0.0.1:1080`.
    case url(URL)
  }

  /// The maximum number of simultaneous connections to one host; 64 by default. Further requests to that host
  /// wait for a connection. Over HTTP/2, one connection serves many requests.
  public var maxConnectionsPerHost: Int
  /// The proxies; those of the environment by default. Requests to loopback addresses never use one.
  public var proxy: Proxy
  /// A file of certificates in PEM format that are trusted instead of the system's, for servers with
  /// certificates of one's own; `nil`, the default, for the system's.
  public var certificateAuthorities: URL?
  /// A Unix domain socket to which all connections are made, whatever the host of the URL; `nil`, the
  /// default, for TCP.
  public var unixSocket: URL?

  /// Creates a configuration. See the properties for the defaults.
  public init(
    maxConnectionsPerHost: Int = 64,
    proxy: Proxy = .environment,
    certificateAuthorities: URL? = nil,
    unixSocket: URL? = nil
  ) {
    self.maxConnectionsPerHost = maxConnectionsPerHost
    self.proxy = proxy
    self.certificateAuthorities = certificateAuthorities
    self.unixSocket = unixSocket
  }
}
