public import Foundation
import TenonTransport

/// What is known of an object besides its content.
public struct StorageMetadata: Sendable, Hashable {
  /// The media type; `application/octet-stream` where none was given.
  public var contentType: String?
  /// The header `Cache-Control` of downloads.
  public var cacheControl: String?
  /// The header `Content-Disposition` of downloads.
  public var contentDisposition: String?
  /// The header `Content-Encoding` of downloads.
  public var contentEncoding: String?
  /// The header `Content-Language` of downloads.
  public var contentLanguage: String?
  /// Whatever else the app wants to keep with the object.
  public var custom: [String: String]

  /// The object's path; given by the server, like everything below.
  public private(set) var path = ""
  /// The content's size in bytes.
  public private(set) var size: Int64 = 0
  /// Changes with the content.
  public private(set) var generation: Int64 = 0
  /// Changes with the metadata.
  public private(set) var metageneration: Int64 = 0
  /// The content's MD5 in Base64; `nil` where the server tells none.
  public private(set) var md5Hash: String?
  /// When the object was created.
  public private(set) var timeCreated: Date?
  /// When the content or the metadata last changed.
  public private(set) var updated: Date?

  /// Creates metadata for an upload.
  public init(
    contentType: String? = nil,
    cacheControl: String? = nil,
    contentDisposition: String? = nil,
    contentEncoding: String? = nil,
    contentLanguage: String? = nil,
    custom: [String: String] = [:]
  ) {
    self.contentType = contentType
    self.cacheControl = cacheControl
    self.contentDisposition = contentDisposition
    self.contentEncoding = contentEncoding
    self.contentLanguage = contentLanguage
    self.custom = custom
  }
}

// MARK: - Wire

extension StorageMetadata {
  /// The metadata in a server's answer, in which numbers are text.
  ///
  /// - Throws: ``StorageError/Code/unknown`` for a date that is none or doesn't exist.
  init(_ json: JSON, of reference: StorageReference) throws(StorageError) {
    self.init(
      contentType: json["contentType"]?.string,
      cacheControl: json["cacheControl"]?.string,
      contentDisposition: json["contentDisposition"]?.string,
      contentEncoding: json["contentEncoding"]?.string,
      contentLanguage: json["contentLanguage"]?.string,
      custom: (json["metadata"]?.object ?? [:]).compactMapValues(\.text)
    )
    func number(_ name: String) -> Int64 { json[name]?.text.flatMap { Int64($0) } ?? 0 }
    func date(_ name: String) throws(StorageError) -> Date? {
      guard let value = json[name], value != .null else { return nil }
      if let date = value.string.flatMap({ Date(iso8601: $0) }) { return date }
      let said = (value.string ?? value.text ?? "JSON of another type").prefix(100)
      throw StorageError(
        .unknown,
        "\(reference.url): the server's \(name) is \(said.debugDescription), which is no date that exists.")
    }
    path = json["name"]?.string ?? ""
    size = number("size")
    generation = number("generation")
    metageneration = number("metageneration")
    md5Hash = json["md5Hash"]?.string
    timeCreated = try date("timeCreated")
    updated = try date("updated")
  }

  private var settings: KeyValuePairs<String, String?> {
    [
      "contentType": contentType, "cacheControl": cacheControl, "contentDisposition": contentDisposition,
      "contentEncoding": contentEncoding, "contentLanguage": contentLanguage,
    ]
  }

  /// Refuses what can't be sent: these values become header fields, which control characters would end.
  func check(for reference: StorageReference) throws(StorageError) {
    for (name, value) in settings where value?.hasControlCharacters == true {
      throw StorageError(
        .invalidArgument,
        "\(reference.url): \(name) has a line break or another control character. Remove it."
      )
    }
    for (name, value) in custom where name.hasControlCharacters || value.hasControlCharacters {
      throw StorageError(
        .invalidArgument,
        "\(reference.url): the custom metadata \(name.debugDescription) has a line break or another control character. "
          + "Remove it, or encode the value."
      )
    }
  }

  /// What an upload sends of it.
  var uploadJSON: JSON {
    var members = settings.reduce(into: [String: JSON]()) { $0[$1.key] = $1.value.map(JSON.string) }
    if !custom.isEmpty { members["metadata"] = .object(custom.mapValues(JSON.string)) }
    return .object(members)
  }

  /// What turns `old` into this: only what differs, and null for what goes.
  func changes(from old: StorageMetadata) -> JSON {
    var members: [String: JSON] = [:]
    for (new, before) in zip(settings, old.settings) where new.value != before.value {
      members[new.key] = new.value.map(JSON.string) ?? .null
    }
    var changed = custom.filter { old.custom[$0.key] != $0.value }.mapValues(JSON.string)
    for name in old.custom.keys where custom[name] == nil { changed[name] = .null }
    if !changed.isEmpty { members["metadata"] = .object(changed) }
    return .object(members)
  }
}
