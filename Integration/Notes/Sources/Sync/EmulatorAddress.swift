import Foundation

/// The address of a Firestore emulator or of `tenon-server`, as `host:port`.
struct EmulatorAddress: Sendable, Equatable, CustomStringConvertible {
  let description: String

  /// A text that isn't an address.
  struct Malformed: Error, CustomStringConvertible {
    let description: String
  }

  /// - Throws: ``Malformed`` with the reason and what to write instead.
  init(_ text: String) throws(Malformed) {
    let example = "Write the server's host and port, for example 127.0.0.1:8080."
    guard !text.contains("://") else {
      throw Malformed(description: "It is a URL. \(example)")
    }
    guard let colon = text.lastIndex(of: ":") else {
      throw Malformed(description: "It has no port. \(example)")
    }
    let (host, port) = (text[..<colon], text[text.index(after: colon)...])
    guard port.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), let number = Int(port),
      (1...65_535).contains(number)
    else { throw Malformed(description: "Its port isn't a number from 1 to 65535. \(example)") }
    let isName = host.wholeMatch(of: /[A-Za-z0-9._-]+/) != nil
    let isIPv6 = host.wholeMatch(of: /\[[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*\]/) != nil
    guard isName || isIPv6 else {
      let reason = host.isEmpty ? "It has no host." : "Its host is neither a name nor an IP address."
      let hint = host.contains(":") ? " Put an IPv6 address in brackets, for example [::1]:8080." : ""
      throw Malformed(description: "\(reason) \(example)\(hint)")
    }
    description = "\(host):\(number)"
  }

  /// Returns the URL of a path of the server.
  func url(_ path: String) throws -> URL {
    guard let url = URL(string: "http://\(description)\(path)") else {
      throw Failure("--emulator \(description) isn't the address of a server.")
    }
    return url
  }
}
