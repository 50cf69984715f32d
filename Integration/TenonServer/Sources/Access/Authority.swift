/// A host with a port, as in the `Host` field (RFC 9110, section 7.2).
struct Authority: Sendable, Hashable {
  /// The host in lower case. An IPv6 address is in brackets.
  let host: String
  let port: UInt16?

  /// - Returns: `nil` if the text contains anything else, for example a user name.
  init?(_ text: some StringProtocol) {
    let text = text.lowercased()
    var rest = text[...]
    if rest.hasPrefix("[") {
      guard let end = rest.firstIndex(of: "]") else { return nil }
      host = String(rest[...end])
      rest = rest[rest.index(after: end)...]
      guard host.dropFirst().dropLast().utf8.allSatisfy(Self.isAddressByte) else { return nil }
    } else {
      host = String(rest.prefix { $0 != ":" })
      rest = rest.dropFirst(host.count)
      guard host.utf8.allSatisfy(Self.isNameByte) else { return nil }
    }
    guard !host.isEmpty else { return nil }
    guard !rest.isEmpty else {
      port = nil
      return
    }
    let digits = rest.dropFirst()
    guard rest.first == ":", digits.utf8.allSatisfy(Self.isDigit) else { return nil }
    port = UInt16(digits)
    guard port != nil || digits.isEmpty else { return nil }
  }

  /// Whether the host is this machine by its name or address (RFC 6761, section 6.3). Other names that
  /// resolve to this machine are excluded, because their owners decide what they resolve to.
  var isLoopback: Bool {
    if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  private static func isAddressByte(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
      || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
  }
}

/// The origin of a web page (RFC 6454), as in the `Origin` field.
struct WebOrigin: Sendable, Hashable {
  let scheme: String
  let authority: Authority

  /// - Returns: `nil` for `null` and for any text that isn't a scheme with a host and an optional port.
  init?(_ text: some StringProtocol) {
    let text = text.lowercased()
    guard let mark = text.firstRange(of: "://"), let authority = Authority(text[mark.upperBound...]),
      !text[..<mark.lowerBound].isEmpty
    else { return nil }
    scheme = String(text[..<mark.lowerBound])
    self.authority = authority
  }

  var isLoopback: Bool { ["http", "https"].contains(scheme) && authority.isLoopback }
}
