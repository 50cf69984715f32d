import TenonTransport

/// The metadata of an object that clients can set (https://cloud.google.com/storage/docs/metadata#editable).
struct ObjectMetadata: Sendable, Hashable, Codable {
  /// The content type of an object whose metadata has none.
  static let defaultContentType = "application/octet-stream"
  /// The greatest length of the value of a header field, in bytes.
  private static let longestField = 2_048
  /// The greatest size of the names and values of the custom metadata, in bytes
  /// (https://cloud.google.com/storage/quotas#objects).
  private static let largestCustom = 8_192
  /// The members that become header fields of downloads, by their names in JSON.
  private static var fields: [(String, WritableKeyPath<ObjectMetadata, String?>)] {
    [
      ("contentType", \.contentType), ("contentEncoding", \.contentEncoding),
      ("contentDisposition", \.contentDisposition), ("contentLanguage", \.contentLanguage),
      ("cacheControl", \.cacheControl),
    ]
  }

  /// The media type: `Content-Type` of downloads.
  var contentType: String?
  /// The content coding, for example `gzip`: `Content-Encoding` of downloads.
  var contentEncoding: String?
  /// The presentation and file name: `Content-Disposition` of downloads; `inline` if it is `nil`.
  var contentDisposition: String?
  /// The language, for example `en`.
  var contentLanguage: String?
  /// The caching of downloads: their `Cache-Control`.
  var cacheControl: String?
  /// The custom metadata.
  var custom: [String: String]?

  /// The names in JSON of all members that clients can set.
  static var names: [String] { fields.map(\.0) + ["metadata"] }

  /// Creates metadata without values.
  init() {}

  /// Reads the metadata of an upload, in which a null means that a value is absent.
  ///
  /// - Throws: ``Refusal`` with status 400 for a value that isn't allowed.
  init(uploaded members: [String: JSON]) throws {
    try patch(members)
    custom = members["metadata"]?.object?.compactMapValues(\.text)
  }

  /// Checks that the values can be header fields, and that they aren't larger than Cloud Storage allows.
  ///
  /// - Throws: ``Refusal`` with status 400.
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

  /// Applies the changes of a `PATCH`: a null removes a value, and absent values remain.
  ///
  /// - Throws: ``Refusal`` with status 400 for a value that isn't allowed.
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

  /// Removes the download tokens from the custom metadata, in which uploads send them, and returns them.
  mutating func removeDownloadTokens() -> [String] {
    guard custom?[ObjectRecord.tokensName] != nil else { return [] }
    let text = custom?.removeValue(forKey: ObjectRecord.tokensName) ?? ""
    if custom?.isEmpty == true { custom = nil }
    return text.split(separator: ",").map(String.init)
  }
}
