import TenonFoundation
import TenonHashes
import TenonTransport
import TenonValues

/// A key of a service account with which requests of the XML API are signed
/// (https://cloud.google.com/storage/docs/authentication/hmackeys). It is stored as JSON.
struct HMACKey: Sendable, Hashable, Codable, CustomStringConvertible, CustomReflectable {
  /// What a key can be used for.
  enum State: String, Sendable, Codable {
    /// It signs requests.
    case active = "ACTIVE"
    /// It signs nothing, and can be deleted.
    case inactive = "INACTIVE"
    /// It is only listed.
    case deleted = "DELETED"
  }

  /// The access ID, which requests name.
  let id: String
  /// The address of the service account.
  let email: String
  /// The secret, which only its creation returns; empty when the key is deleted.
  private(set) var secret: String
  private(set) var state = State.active
  /// When the key was created, in milliseconds since 1970.
  let created: Int64
  /// When the state was last changed, in milliseconds since 1970.
  private(set) var updated: Int64

  /// Creates an active key with a random ID and secret.
  init(email: String, now: Int64) {
    var generator = SystemRandomNumberGenerator()
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    id = "GOOG1E" + String((0..<55).map { _ in letters.randomElement(using: &generator) ?? "A" })
    secret = Data((0..<30).map { _ in UInt8.random(in: 0...255, using: &generator) }).base64EncodedString()
    self.email = email
    (created, updated) = (now, now)
  }

  /// Changes the state. A deleted key loses its secret.
  mutating func set(_ state: State, now: Int64) {
    self.state = state
    updated = max(now, updated + 1)
    if state == .deleted { secret = "" }
  }

  /// The ID.
  var description: String { id }
  var customMirror: Mirror { Mirror(self, children: ["id": id, "state": state]) }

  /// The text by which a client recognizes that the key was changed.
  var tag: String { Data(String(updated).utf8).base64EncodedString() }

  /// Returns the signature of version 4 in hexadecimal digits
  /// (https://cloud.google.com/storage/docs/authentication/signatures#derive-key).
  ///
  /// - Parameters:
  ///   - text: the text that is signed.
  ///   - scope: the date, the place, the service and the kind of the request, separated by slashes.
  func signature(of text: String, scope: String) -> String {
    let key = scope.split(separator: "/").reduce(Data("GOOG4\(secret)".utf8)) { key, part in
      SHA256.authenticationCode(of: Data(part.utf8), key: key)
    }
    return SHA256.authenticationCode(of: Data(text.utf8), key: key).hexadecimal
  }

  /// The metadata as a resource of the JSON API.
  func resource(project: String, origin: String) -> JSON {
    func time(_ milliseconds: Int64) -> JSON {
      .string(Timestamp(millisecondsSince1970: milliseconds).iso8601)
    }
    return [
      "kind": "storage#hmacKeyMetadata", "id": .string("\(project)/\(id)"), "accessId": .string(id),
      "selfLink": .string("\(origin)/storage/v1/projects/\(project)/hmacKeys/\(id)"),
      "projectId": .string(project), "serviceAccountEmail": .string(email), "state": .string(state.rawValue),
      "timeCreated": time(created), "updated": time(updated), "etag": .string(tag),
    ]
  }
}
