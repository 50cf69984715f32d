import TenonJSON

/// What the server says about a new session: `["c", SID, host prefix, version, server version, keep-alive]`.
package struct ChannelHandshake: Sendable, Hashable, CustomStringConvertible {
  /// The version of the server that is stated; that of Google's emulator.
  private static let serverVersion: Int64 = 12
  /// The maximum length of a session's ID, or of a host prefix, in bytes.
  private static let maximumText = 1_024

  /// The ID of the session (SID). It is a credential for the session, so it isn't part of ``description``.
  package var sessionID: String
  /// The label to put before the host's name for back channels; `nil` if there is none. Its characters are
  /// letters, digits, hyphens and dots.
  package var hostPrefix: String?
  /// The longest time without bytes on a back channel, between 1 s and 10 min; `nil` if the server doesn't
  /// say it.
  package var keepAlive: Duration?

  /// Creates a handshake.
  package init(sessionID: String, hostPrefix: String? = nil, keepAlive: Duration? = nil) {
    self.sessionID = sessionID
    self.hostPrefix = hostPrefix
    self.keepAlive = keepAlive
  }

  /// Creates a handshake from its parts, which are those of the array behind `"c"`.
  ///
  /// - Throws: ``ChannelError`` with ``ChannelError/Code/badContent``.
  init(parts: some Collection<JSON>) throws(ChannelError) {
    let parts = Array(parts.prefix(5))
    guard case .string(let id)? = parts.first, !id.isEmpty, id.utf8.count <= Self.maximumText else {
      throw ChannelError(.badContent, "The handshake has no session ID.")
    }
    sessionID = id
    if parts.count > 1, let prefix = parts[1].string, !prefix.isEmpty {
      guard Self.isLabel(prefix) else {
        throw ChannelError(
          .badContent, "The handshake has a host prefix that can't be part of a host's name.")
      }
      hostPrefix = prefix
    }
    if parts.count > 4, case .int(let milliseconds) = parts[4] {
      // Checked: between 1 s and 10 min.
      keepAlive = .milliseconds(min(max(milliseconds, 1_000), 600_000))
    }
  }

  /// The parts behind `"c"`.
  var parts: [JSON] {
    let parts: [JSON] = [
      .string(sessionID), .string(hostPrefix ?? ""), .int(Int64(ChannelQuery.version)),
      .int(Self.serverVersion),
    ]
    return keepAlive.map { parts + [.int($0.milliseconds)] } ?? parts
  }

  /// Whether a text consists of labels of a host's name.
  private static func isLabel(_ text: String) -> Bool {
    text.utf8.count <= 253 && text.utf8.first != UInt8(ascii: ".") && text.utf8.last != UInt8(ascii: ".")
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }

  /// The description, without the ID.
  package var description: String { "handshake, keep-alive \(keepAlive.map { "\($0)" } ?? "not set")" }
}

extension Duration {
  /// The whole milliseconds, clamped to the range of `Int64`.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, overflowed) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    return overflowed ? (seconds < 0 ? .min : .max) : sum
  }
}
