import TenonFoundation
import TenonTransport

extension StorageMetadata {
  /// Creates metadata from a server's response, in which integers of 64 bits are strings.
  ///
  /// - Parameters:
  ///   - json: the response.
  ///   - reference: the object of the request.
  /// - Throws: ``StorageError/Code/unknown`` if the response describes no object or another one, which a
  ///   proxy or another server sent, and for a malformed date or a date that doesn't exist.
  init(_ json: JSON, of reference: StorageReference) throws(StorageError) {
    try Self.check(json, describes: reference)
    /// Returns an integer of the response, or 0 if it is missing, malformed, negative or not within 64 bits.
    func number(_ name: String) -> Int64 { max(0, json[name]?.text.flatMap { Int64(decimal: $0) } ?? 0) }
    /// Returns a date of the response, or `nil` if it is missing.
    func date(_ name: String) throws(StorageError) -> Date? {
      guard let value = json[name], value != .null else { return nil }
      if let date = value.string.flatMap({ Date(iso8601: $0) }) { return date }
      let said = (value.string ?? value.text ?? "JSON of another type").prefix(100)
      throw StorageError(
        .unknown,
        "\(reference): the server's \(name) is \(said.debugDescription), which isn't a valid date.")
    }
    self.init(
      Settings(
        contentType: json["contentType"]?.string,
        cacheControl: json["cacheControl"]?.string,
        contentDisposition: json["contentDisposition"]?.string,
        contentEncoding: json["contentEncoding"]?.string,
        contentLanguage: json["contentLanguage"]?.string,
        custom: json["metadata"]?.object?.compactMapValues(\.text)
      ),
      report: Report(
        bucket: reference.bucket,
        path: reference.fullPath,
        size: number("size"),
        generation: number("generation"),
        metageneration: number("metageneration"),
        md5Hash: json["md5Hash"]?.string,
        crc32c: json["crc32c"]?.text.map { ContentHashes.crc32c($0) ?? $0 },
        etag: json["etag"]?.string,
        storageClass: json["storageClass"]?.string,
        downloadTokens: (json["downloadTokens"]?.string ?? "").split(separator: ",").map {
          Secret(String($0))
        },
        timeCreated: try date("timeCreated"),
        updated: try date("updated")
      )
    )
  }

  /// Checks that a response describes the object of the request. A response that names no bucket is accepted.
  ///
  /// - Throws: ``StorageError/Code/unknown``.
  static func check(_ json: JSON, describes reference: StorageReference) throws(StorageError) {
    let bucket = json["bucket"] == nil ? reference.bucket : json["bucket"]?.string
    guard let name = json["name"]?.string, name.utf8.elementsEqual(reference.fullPath.utf8),
      bucket == reference.bucket
    else {
      throw StorageError(
        .unknown,
        "\(reference): the response isn't the metadata of this object. Check that the app uses the intended backend."
      )
    }
  }

  /// Checks that names and values contain no control characters. They become header fields, which a line
  /// break would end.
  ///
  /// - Parameter reference: the object, for error messages.
  /// - Throws: ``StorageError/Code/invalidArgument``, with the name of the property.
  func check(for reference: StorageReference) throws(StorageError) {
    for (name, value) in settings.fields where value?.hasControlCharacters == true {
      throw StorageError(
        .invalidArgument,
        "\(reference): \(name) contains a line break or another control character. Remove it."
      )
    }
    for (name, value) in settings.custom ?? [:]
    where name.hasControlCharacters || value.hasControlCharacters {
      throw StorageError(
        .invalidArgument,
        "\(reference): the custom metadata \(name.debugDescription) contain a line break or another control character. "
          + "Remove it, or encode the value."
      )
    }
  }

  /// The settings in the form of an upload. Properties that are `nil` are omitted.
  var uploadJSON: JSON {
    var members = settings.fields.reduce(into: [String: JSON]()) { $0[$1.key] = $1.value.map(JSON.string) }
    if let custom = settings.custom, !custom.isEmpty {
      members["metadata"] = .object(custom.mapValues(JSON.string))
    }
    return .object(members)
  }

  /// The differences between the original and the current settings, in the form of an update: changed
  /// properties with their values, and removed ones with `null`.
  var changes: JSON {
    var members: [String: JSON] = [:]
    for (new, old) in zip(settings.fields, original.fields) where new.value != old.value {
      members[new.key] = new.value.map(JSON.string) ?? .null
    }
    let (custom, before) = (settings.custom ?? [:], original.custom ?? [:])
    var changed = custom.filter { before[$0.key] != $0.value }.mapValues(JSON.string)
    for name in before.keys where custom[name] == nil { changed[name] = .null }
    if !changed.isEmpty { members["metadata"] = .object(changed) }
    return .object(members)
  }
}

extension StorageMetadata.Settings {
  /// The settings that become header fields, with their names in the protocol, always in this order.
  fileprivate var fields: KeyValuePairs<String, String?> {
    [
      "contentType": contentType, "cacheControl": cacheControl, "contentDisposition": contentDisposition,
      "contentEncoding": contentEncoding, "contentLanguage": contentLanguage,
    ]
  }
}
