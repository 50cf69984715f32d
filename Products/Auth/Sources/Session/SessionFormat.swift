import TenonFoundation
import TenonHashes
import TenonJSON

/// The stored form of a session: a JSON object whose last member, `checksum`, is the CRC-32C of all bytes
/// before that member. A change of any bit is noticed, and so is a missing end.
///
/// Version 1, of Tenon 0.1 and 0.2, had no checksum. It is read, and replaced by the present version.
enum SessionFormat {
  /// The present version.
  static let version = 2

  /// What stored content is.
  enum Content: Sendable {
    /// Nothing is stored.
    case none
    /// A session, which may have an earlier version of the format.
    case session(StoredSession, isPresentVersion: Bool)
    /// The session of a later version, which this one can't read.
    case later
    /// No session, or not the one that was stored.
    case damaged
  }

  /// The version, which every format has.
  private struct Version: Decodable {
    var version: Int
  }

  /// Encodes a session.
  static func encode(_ session: StoredSession) throws -> Data {
    var session = session
    session.version = version
    // An object with members, whose closing brace follows the checksum.
    var content = Data(try JSONEncoder().encode(session).dropLast())
    content += checksum(of: content).utf8
    return content
  }

  /// Decodes stored content, and checks that the tokens belong to the user. Errors of the decoder aren't
  /// passed on, because they may quote the content, which is secret.
  static func decode(_ data: Data?) -> Content {
    guard let data else { return .none }
    let parts = divided(data)
    if let parts, checksum(of: parts.content) != String(decoding: parts.checksum, as: UTF8.self) {
      return .damaged
    }
    guard let version = try? JSON.decode(Version.self, from: data).version else { return .damaged }
    // Version 1 has no checksum, and the others do.
    guard version > Self.version || (version == 1) == (parts == nil) else { return .damaged }
    guard version <= Self.version else { return .later }
    guard (1...Self.version).contains(version),
      var session = try? JSON.decode(StoredSession.self, from: data),
      session.tokens.belong(to: session.profile)
    else { return .damaged }
    session.version = Self.version
    return .session(session, isPresentVersion: version == Self.version)
  }

  private static let prefix = #","checksum":""#
  private static let suffix = "\"}"
  /// The length of the member `checksum` with the closing brace, in bytes.
  private static let length = prefix.utf8.count + 8 + suffix.utf8.count

  /// Returns the end of the content: the member `checksum`, and the closing brace.
  private static func checksum(of content: Data) -> String {
    var sum = CRC32C()
    sum.update(content)
    let digits = String(sum.value, radix: 16)
    // Checked: at least 0.
    return prefix + String(repeating: "0", count: max(0, 8 - digits.count)) + digits + suffix
  }

  /// Returns the content and its end; `nil` if it doesn't end with a checksum.
  private static func divided(_ data: Data) -> (content: Data, checksum: Data)? {
    // Checked: a constant.
    guard data.count > length, data.suffix(length).starts(with: prefix.utf8) else { return nil }
    // Checked: a constant.
    return (data.dropLast(length), data.suffix(length))
  }
}
