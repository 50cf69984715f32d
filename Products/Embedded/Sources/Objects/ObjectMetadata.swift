import TenonTransport

/// The part of an object's metadata that its owner writes.
struct ObjectMetadata: Sendable, Hashable, Codable {
  static let defaultContentType = "application/octet-stream"
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
  init(uploaded members: [String: JSON]) {
    contentType = members["contentType"]?.text
    contentEncoding = members["contentEncoding"]?.text
    contentDisposition = members["contentDisposition"]?.text
    contentLanguage = members["contentLanguage"]?.text
    cacheControl = members["cacheControl"]?.text
    custom = members["metadata"]?.object?.compactMapValues(\.text)
  }

  /// Changes what a PATCH names: null clears, what is absent stays.
  mutating func patch(_ members: [String: JSON]) {
    Self.patch(&contentType, members["contentType"])
    Self.patch(&contentEncoding, members["contentEncoding"])
    Self.patch(&contentDisposition, members["contentDisposition"])
    Self.patch(&contentLanguage, members["contentLanguage"])
    Self.patch(&cacheControl, members["cacheControl"])
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
  }

  /// Takes the download tokens out of the custom metadata, where uploads put them.
  mutating func takeDownloadTokens() -> [String] {
    let text = custom?.removeValue(forKey: Self.tokensName) ?? ""
    return text.split(separator: ",").map(String.init)
  }

  private static func patch(_ field: inout String?, _ value: JSON?) {
    if let value { field = value.text }
  }
}
