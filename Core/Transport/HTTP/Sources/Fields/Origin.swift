package import TenonFoundation

/// The origin of a URL: scheme, host and port (RFC 6454, section 4).
///
/// Credentials that were intended for one origin must not be sent to another.
///
/// Two origins are equal if their parts are (section 5). Hosts are compared as text: two spellings of one
/// IPv6 address, or a name with and without a final dot, are different hosts. At worst, a request thus lacks
/// credentials.
///
/// ```swift
/// Origin(URL(string: "https://A.example/x")!) == Origin(URL(string: "https://a.example:443/y")!)  // → true
/// ```
package struct Origin: Hashable, Sendable {
  /// The scheme in lower case, `http` or `https`.
  package let scheme: String
  /// The host in lower case; an IPv6 address without its brackets.
  package let host: String
  /// The port; the scheme's default port, 443 or 80, if the URL specifies none.
  package let port: Int

  /// Creates the origin of a URL.
  ///
  /// - Parameter url: the URL. Its path, query and credentials are ignored.
  /// - Returns: `nil` if the URL isn't an absolute `http` or `https` URL with a host.
  package init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      let host = url.host()?.lowercased(), !host.isEmpty
    else { return nil }
    self.scheme = scheme
    self.host = host.trimmed { $0 == "[" || $0 == "]" }
    port = url.port ?? (scheme == "https" ? 443 : 80)
  }

  /// Whether the host is this machine: `localhost` or a name below it (RFC 6761, section 6.3), an address in
  /// 127.0.0.0/8 (RFC 1122, section 3.2.1.3) or `::1` (RFC 4291, section 2.5.3).
  ///
  /// The decision is made from the text alone. No name is resolved: a name that resolves to a loopback
  /// address doesn't count as one, nor do other spellings of addresses such as `127.1`, `127.+1.0.1` and
  /// `127.0.0.01`.
  package var isLoopback: Bool {
    if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy(Self.isDecimalByte)
  }

  /// Returns whether a text is a number from 0 to 255 in the form of an IPv4 address (`dec-octet` of RFC
  /// 3986, section 3.2.2): digits only, without a sign and without leading zeros, which some resolvers take
  /// for an octal number.
  private static func isDecimalByte(_ text: Substring) -> Bool {
    // Checked: text; the initializer is failable.
    UInt8(text).map { "\($0)" == text } ?? false
  }

  /// Whether credentials may be sent to this origin: the connection is encrypted or doesn't leave this
  /// machine. Addresses of the local network aren't trustworthy without encryption.
  package var isTrustworthy: Bool { scheme == "https" || isLoopback }

  /// Returns whether two origins are the same service: they are equal, or they differ only in the name of the
  /// loopback host (`localhost`, `127.0.0.1`, `::1`).
  ///
  /// An emulator is one service under each of these names. Scheme and port must agree.
  ///
  /// - Parameter other: the origin to compare with.
  package func isSame(as other: Origin) -> Bool {
    self == other || (isLoopback && other.isLoopback && scheme == other.scheme && port == other.port)
  }
}
