package import Foundation

/// The origin of a URL: scheme, host and port (RFC 6454, section 4).
package struct Origin: Hashable, Sendable {
  /// The scheme in lower case, `http` or `https`.
  package let scheme: String
  /// The host in lower case; an IPv6 address without its brackets.
  package let host: String
  /// The port; the scheme's default port if the URL has none.
  package let port: Int

  /// Returns `nil` if the URL is not an absolute `http` or `https` URL with a host.
  package init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      let host = url.host()?.lowercased(), !host.isEmpty
    else { return nil }
    self.scheme = scheme
    self.host = host.trimmingCharacters(in: ["[", "]"])
    port = url.port ?? (scheme == "https" ? 443 : 80)
  }

  /// Whether requests to the host never leave this machine (RFC 6761, section 6.3; RFC 1122, section 3.2.1.3; RFC 4291,
  /// section 2.5.3).
  package var isLoopback: Bool {
    if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Whether credentials may be sent to this origin: the connection is encrypted or stays on this machine.
  package var isTrustworthy: Bool { scheme == "https" || isLoopback }

  /// Whether two origins are the same service: they are equal, or differ only in the spelling of the loopback host
  /// (`localhost`, `127.0.0.1`, `::1`).
  package func isSame(as other: Origin) -> Bool {
    self == other || (isLoopback && other.isLoopback && scheme == other.scheme && port == other.port)
  }
}
