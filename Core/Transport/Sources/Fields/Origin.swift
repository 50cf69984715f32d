package import Foundation

/// What RFC 6454 calls the origin of a URL: scheme, host and port.
package struct Origin: Hashable, Sendable {
  package let scheme: String
  package let host: String
  package let port: Int

  /// `nil` when the URL is not an absolute `http` or `https` URL with a host.
  package init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      let host = url.host()?.lowercased(), !host.isEmpty
    else { return nil }
    self.scheme = scheme
    self.host = host.trimmingCharacters(in: ["[", "]"])
    port = url.port ?? (scheme == "https" ? 443 : 80)
  }

  /// Whether what is sent there never leaves the machine (RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291).
  package var isLoopback: Bool {
    if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Whether credentials may be sent there: encrypted, or within the machine.
  package var isTrustworthy: Bool { scheme == "https" || isLoopback }
}
