import TenonJSON
package import TenonStoreInterop

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FirestoreJSON {
  /// Decodes the `fields` member of a document or a map.
  ///
  /// Firestore's rules, such as those for names and sizes, are not checked; see `Fields.checkDocument(at:)`.
  ///
  /// - Returns: the fields, sorted by their names.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if this is not an object, or a member is not a
  ///   valid value.
  /// - Complexity: O(*n* log *n*) in the number of members.
  package func fields() throws(DocumentError) -> Fields {
    guard case .object(let members) = self else { throw Self.damaged("A map") }
    var entries: [Fields.Entry] = []
    entries.reserveCapacity(members.count)
    for (name, member) in members {
      entries.append(Fields.Entry(name: name.string, value: try member.value()))
    }
    return Fields(unsorted: entries)
  }

  /// Decodes a `google.firestore.v1.Value`: an object with a single member, whose name is the type, for example
  /// `{"integerValue": "1"}`.
  ///
  /// Members that proto3 omits have their default: an `arrayValue` without `values` is empty, a `mapValue` without
  /// `fields` as well, and a coordinate of a `geoPointValue` that is missing is 0. `bytesValue` is Base64 with padding
  /// (RFC 4648, section 4); the URL-safe alphabet is not accepted. A `referenceValue` is a full name, of which the
  /// project and the database are ignored. Ranges, for example of coordinates, are not checked.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if there is not exactly one member, if its content
  ///   does not suit the type, or if the type is unknown in this version; also for a value within an array or a map.
  package func value() throws(DocumentError) -> Value {
    guard case .object(let members) = self, members.count == 1, let (name, content) = members.first else {
      throw Self.damaged("A value")
    }
    let value: Value? =
      switch name.string {
      case "nullValue": .null
      case "booleanValue": content.boolean.map(Value.boolean)
      case "integerValue": content.integer.map(Value.integer)
      case "doubleValue": content.double.map(Value.double)
      case "timestampValue": .timestamp(try content.timestamp())
      case "stringValue": content.string.map(Value.string)
      case "bytesValue": content.string.flatMap { Data(base64Encoded: $0) }.map(Value.bytes)
      case "referenceValue": .reference(try content.documentPath())
      case "geoPointValue":
        .geoPoint(
          GeoPoint(
            latitude: try content.coordinate("latitude"), longitude: try content.coordinate("longitude")))
      case "arrayValue": .array(try content.elements())
      case "mapValue": try Self.map(try content.member("fields")?.fields() ?? Fields())
      default: nil
      }
    guard let value else { throw Self.damaged("A value of type \(name.string)") }
    return value
  }

  /// Returns a member of a message; `nil` if it is missing or null.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if this is not an object.
  private func member(_ name: String) throws(DocumentError) -> FirestoreJSON? {
    guard case .object = self else { throw Self.damaged("The member \"\(name)\"") }
    return self[name]
  }

  /// Returns a coordinate of a `google.type.LatLng`; 0 if it is missing.
  private func coordinate(_ name: String) throws(DocumentError) -> Double {
    guard let member = try member(name) else { return 0 }
    guard let degrees = member.double else { throw Self.damaged("The \(name) of a geo point") }
    return degrees
  }

  /// Decodes the elements of a `google.firestore.v1.ArrayValue`.
  private func elements() throws(DocumentError) -> [Value] {
    guard let values = try member("values") else { return [] }
    guard case .array(let elements) = values else { throw Self.damaged("An array") }
    return try elements.map { element throws(DocumentError) in try element.value() }
  }

  /// Returns a map, or the vector that it represents: on the wire, a vector is a map with `__type__` = `__vector__` and
  /// the components in `value`. Integers among the components are converted to doubles.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if a vector has no array of components, or one of
  ///   them is not a number.
  private static func map(_ fields: Fields) throws(DocumentError) -> Value {
    guard fields["__type__"]?.stringValue == "__vector__" else { return .map(fields) }
    guard let elements = fields["value"]?.arrayValue else { throw damaged("A vector") }
    return .vector(
      try elements.map { element throws(DocumentError) in
        guard let component = element.doubleValue else { throw damaged("A component of a vector") }
        return component
      })
  }

  /// Decodes a full name, `projects/P/databases/D/documents/PATH`, and returns the path. The project and the database
  /// are ignored.
  ///
  /// - Returns: the path; the root, without IDs, for a name that ends with `documents`. Its IDs are not checked.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if this is not a string, or not a full name.
  package func documentPath() throws(DocumentError) -> ResourcePath {
    guard let name = string else { throw Self.damaged("A document's name") }
    let segments = name.unicodeScalars.split(separator: "/").map(String.init)
    guard segments.count >= 5, segments[0] == "projects", segments[4] == "documents" else {
      throw DocumentError(.damaged, "\"\(name)\" isn't a document's full name.")
    }
    return ResourcePath(segments: Array(segments.dropFirst(5)))
  }

  /// Decodes a timestamp: a string in RFC 3339 format, or an object with `seconds` and `nanos`, which occurs in
  /// bundles.
  ///
  /// In an object, both are 0 by default, because proto3 omits zeros, and there are no other members; the nanoseconds
  /// are not truncated to microseconds. A string is truncated; see ``Timestamp/init(rfc3339:)``.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` for anything else, also for seconds outside the
  ///   years 1 to 9999 and for nanoseconds outside 0 to 999,999,999.
  package func timestamp() throws(DocumentError) -> Timestamp {
    if case .object(let members) = self {
      let zero = FirestoreJSON.integer(0)
      guard members.keys.allSatisfy({ $0.string == "seconds" || $0.string == "nanos" }),
        let seconds = (self["seconds"] ?? zero).integer,
        Timestamp.validSeconds.contains(seconds),
        let nanoseconds = (self["nanos"] ?? zero).integer.flatMap({ Int32(exactly: $0) }),
        (0...999_999_999).contains(nanoseconds)
      else { throw Self.damaged("A timestamp") }
      return Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    }
    guard let text = string, let timestamp = Timestamp(rfc3339: text) else {
      throw Self.damaged("A timestamp")
    }
    return timestamp
  }
}

extension Timestamp {
  /// Creates a timestamp from the format of RFC 3339, section 5.6, for example `2026-01-31T12:00:00.5Z`.
  ///
  /// Up to nine fractional digits are accepted and truncated to microseconds. The offset is `Z` or hours and minutes,
  /// for example `+01:00`, which is subtracted. `T` and `Z` may be in lower case.
  ///
  /// - Parameter text: the complete text, without spaces, in ASCII digits.
  /// - Returns: `nil` for any other text, including dates that do not exist, such as 30 February, and leap seconds.
  package init?(rfc3339 text: String) {
    guard let time = RFC3339Time(text, requiresColon: true), time.fraction.count <= 9,
      let microseconds = Int32(decimal: time.fraction.padding(toLength: 6))
    else { return nil }
    // Checked: six digits.
    self.init(seconds: Int64(clamping: time.seconds), nanoseconds: microseconds * 1000)
  }
}

extension Substring {
  /// Returns the first characters, padded at the end with zeros to the given length.
  fileprivate func padding(toLength length: Int) -> String {
    let text = String(prefix(length))
    // Checked: the text has at most the length.
    return text + String(repeating: "0", count: length - text.count)
  }
}
