import TenonFoundation
import TenonHashes
import TenonTransport

/// A debug token that an administrator has registered for an app
/// (https://firebase.google.com/docs/reference/appcheck/rest/v1/projects.apps.debugTokens). The secret itself is
/// stored as its digest only.
struct DebugTokenRecord: Sendable, Hashable, Codable {
  /// The greatest number of debug tokens of an app, as on Firebase.
  static let most = 20
  /// The greatest length of a name, in bytes of UTF-8.
  static let longestName = 256

  /// The ID, which isn't secret.
  let id: String
  /// The name that people read.
  var displayName: String
  /// The time of the last change, in milliseconds since 1970.
  var updated: Int64

  /// The version of the record, which changes with it (https://google.aip.dev/154).
  var etag: String {
    Base64URL.encode(SHA256.digest(Data("\(id) \(updated) \(displayName)".utf8)).prefix(12))
  }

  /// Returns the digest that is stored instead of a debug token. Case is ignored.
  static func digest(_ token: String) -> Data { SHA256.digest(Data(token.lowercased().utf8)) }

  /// Returns whether a text is a UUID of version 4 (RFC 9562, section 5.4), which has 122 random bits
  /// and so can't be guessed.
  static func isUUID4(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    return parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
      && parts.allSatisfy {
        $0.utf8.allSatisfy {
          UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
            || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 | 0x20
        }
      }
      && parts[2].first == "4" && parts[3].first.map { "89abAB".contains($0) } == true
  }

  /// The record as responses have it.
  ///
  /// - Parameter app: the resource name of the app.
  func wire(of app: String) -> JSON {
    [
      "name": .string("\(app)/debugTokens/\(id)"), "displayName": .string(displayName),
      "updateTime": .string(Timestamp(millisecondsSince1970: updated).iso8601), "etag": .string(etag),
    ]
  }
}
