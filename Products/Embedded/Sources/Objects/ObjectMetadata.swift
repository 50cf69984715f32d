import TenonTransport

/// The part of an object's metadata that its owner writes.
struct ObjectMetadata: Sendable, Hashable, Codable {
  static let defaultContentType = "application/octet-stream"
  /// The longest value of a header field, in bytes.
  private static let longestField = 2_048
  /// The names and values of the custom metadata, in bytes (https://cloud.google.com/storage/quotas).
  private static let largestCustom = 8_192
  /// The members that become header fields of downloads.
  private static var fields: [(String, WritableKeyPath<ObjectMetadata, String?>)] {
    [
      ("contentType", \.contentType), ("contentEncoding", \.contentEncoding),
      ("contentDisposition", \.contentDisposition), ("contentLanguage", \.contentLanguage),
      ("cacheControl", \.cacheControl),
    ]
  }
  /// The custom name under which an upload may bring its own download tokens.
  private static let tokensName = "firebaseStorageDownloadTokens"

  var contentType: String?
  var contentEncoding: String?
  var contentDisposition: String?
  var contentLanguage: String?
  var cacheControl: String?
  /// The owner's own names and values.
  var custom: [String: String]?

  init() {}

  /// Reads what came with an upload, where null means nothing.
  init(uploaded members: [String: JSON]) throws {
    try patch(members)
    custom = members["metadata"]?.object?.compactMapValues(\.text)
  }

  /// Refuses what no header field may carry, and what is larger than on Cloud Storage.
  func check() throws {
    for (name, field) in Self.fields {
      guard let value = self[keyPath: field] else { continue }
      guard !value.hasControlCharacters, value.utf8.count <= Self.longestField else {
        throw Refusal.badObjectRequest(
          "The value of \(name) isn't allowed: it must have at most \(Self.longestField) bytes and no control characters."
        )
      }
    }
    let custom = custom ?? [:]
    guard custom.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) <= Self.largestCustom,
      !custom.contains(where: { $0.key.hasControlCharacters || $0.value.hasControlCharacters })
    else {
      throw Refusal.badObjectRequest(
        "The custom metadata isn't allowed: its names and values must have at most \(Self.largestCustom) bytes in all and "
          + "no control characters."
      )
    }
  }

  /// Changes what a PATCH names: null clears, what is absent stays.
  mutating func patch(_ members: [String: JSON]) throws {
    for (name, field) in Self.fields {
      if let value = members[name] { self[keyPath: field] = value.text }
    }
    switch members["metadata"] {
    case .null?:
      custom = nil
    case .object(let changes)?:
      var custom = custom ?? [:]
      for (name, value) in changes { custom[name] = value.text }
      self.custom = custom.isEmpty ? nil : custom
    default:
      break
    }
    try check()
  }

  /// Takes the download tokens out of the custom metadata, where uploads put them.
  mutating func takeDownloadTokens() -> [String] {
    let text = custom?.removeValue(forKey: Self.tokensName) ?? ""
    return text.split(separator: ",").map(String.init)
  }
}
