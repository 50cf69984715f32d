import TenonJSON
package import TenonValues

extension FirestoreJSON {
  /// Decodes the `fields` member of a document or a map, with names of any database, as in bundles.
  ///
  /// Firestore's rules, such as those for names and sizes, aren't checked; see `Fields.checkDocument(at:)`.
  ///
  /// - Returns: the fields, sorted by their names.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if this isn't an object, or a member
  ///   isn't a valid value.
  /// - Complexity: O(*n* log *n*) in the number of members.
  package func fields() throws(DocumentError) -> Fields {
    do { return try fields(in: .any) } catch { throw error.documentError }
  }

  /// Decodes a `google.firestore.v1.Value`, with names of any database; see ``value(in:)``.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged``.
  package func value() throws(DocumentError) -> Value {
    do { return try value(in: .any) } catch { throw error.documentError }
  }

  /// Decodes the `fields` member of a document or a map, as ``fields()``, with references to other databases
  /// as such.
  package func fields(in database: DatabaseName) throws(DocumentError) -> Fields {
    do { return try fields(in: DatabasePrefix(database)) } catch { throw error.documentError }
  }

  /// Decodes a value, as ``value()``, with references to other databases as such.
  package func value(in database: DatabaseName) throws(DocumentError) -> Value {
    do { return try value(in: DatabasePrefix(database)) } catch { throw error.documentError }
  }

  /// Decodes a full name, `projects/P/databases/D/documents/PATH`, and returns the path. The project and the
  /// database are ignored.
  ///
  /// - Returns: the path; the root, without IDs, for a name that ends with `documents`. Its IDs aren't
  ///   checked.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if this isn't a string, or not a full
  ///   name.
  package func documentPath() throws(DocumentError) -> ResourcePath {
    do { return try path(in: .any) } catch { throw error.documentError }
  }

  /// Decodes a timestamp; see ``time()``.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged``.
  package func timestamp() throws(DocumentError) -> Timestamp {
    do { return try time() } catch { throw error.documentError }
  }

  // MARK: - Decoding

  /// Decodes the `fields` member of a document or a map.
  ///
  /// - Parameter database: the database to which references must belong.
  /// - Throws: ``WireFailure`` if this isn't an object, or a member isn't a value.
  func fields(in database: DatabasePrefix) throws(WireFailure) -> Fields {
    guard case .object(let members) = self else { throw WireFailure("isn't an object of fields") }
    var entries: [Fields.Entry] = []
    entries.reserveCapacity(members.count)
    for (name, member) in members {
      do { entries.append(Fields.Entry(name: name.string, value: try member.value(in: database))) } catch {
        throw error.inMember(name.string)
      }
    }
    return Fields(unsorted: entries)
  }

  /// Decodes a `google.firestore.v1.Value`: an object with a single member, whose name is the type, for
  /// example `{"integerValue": "1"}`.
  ///
  /// Members that proto3 omits have their default: an `arrayValue` without `values` is empty, a `mapValue`
  /// without `fields` as well, and a coordinate of a `geoPointValue` that is missing is 0. `nullValue` is
  /// null, or the name or the number of its enumeration. Ranges, for example of coordinates, aren't checked.
  ///
  /// - Parameter database: the database to which references must belong.
  /// - Throws: ``WireFailure`` if there isn't exactly one member, if its content doesn't suit the type, or if
  ///   the type is unknown in this version; also for a value within an array or a map.
  func value(in database: DatabasePrefix) throws(WireFailure) -> Value {
    guard case .object(let members) = self, members.count == 1, let (name, content) = members.first else {
      throw WireFailure("isn't a value, an object with one member that is named after a type")
    }
    do {
      switch name.string {
      case "stringValue": return .string(try content.text())
      case "integerValue": return .integer(try content.int64())
      case "doubleValue": return .double(try content.number())
      case "booleanValue": return .boolean(try content.flag())
      case "timestampValue": return .timestamp(try content.time())
      case "nullValue": return try content.null()
      case "bytesValue": return .bytes(try content.data())
      case "referenceValue": return .reference(try database.reference(to: try content.text()))
      case "geoPointValue":
        return .geoPoint(
          GeoPoint(
            latitude: try content.member("latitude", Self.number) ?? 0,
            longitude: try content.member("longitude", Self.number) ?? 0))
      case "arrayValue": return .array(try content.elements(in: database))
      case "mapValue":
        return try Self.map(
          try content.member("fields") { (json) throws(WireFailure) in try json.fields(in: database) }
            ?? Fields())
      default: break
      }
    } catch { throw error.inMember(name.string) }
    throw WireFailure("is a value of an unknown type").inMember(name.string)
  }

  /// Decodes the `google.protobuf.NullValue` of a value.
  private func null() throws(WireFailure) -> Value {
    switch self {
    case .null, .string("NULL_VALUE"), .integer(0): return .null
    default: throw WireFailure("isn't null")
    }
  }

  /// Decodes a `google.firestore.v1.ArrayValue`.
  func elements(in database: DatabasePrefix) throws(WireFailure) -> [Value] {
    try list("values") { (json) throws(WireFailure) in try json.value(in: database) }
  }

  /// Returns a map, or the vector that it represents: on the wire, a vector is a map with `__type__` =
  /// `__vector__` and the components in `value`. Integers among the components are converted to doubles.
  ///
  /// - Throws: ``WireFailure`` if a vector has no array of components, or one of them isn't a number.
  private static func map(_ fields: Fields) throws(WireFailure) -> Value {
    guard fields["__type__"]?.stringValue == "__vector__" else { return .map(fields) }
    guard let elements = fields["value"]?.arrayValue else {
      throw WireFailure("is a vector without components")
    }
    var components: [Double] = []
    components.reserveCapacity(elements.count)
    for element in elements {
      guard let component = element.doubleValue else {
        throw WireFailure("is a vector with a component that isn't a number")
      }
      components.append(component)
    }
    return .vector(components)
  }
}

extension Timestamp {
  /// Creates a timestamp from the format of RFC 3339, section 5.6, for example `2026-01-31T12:00:00.5Z`.
  ///
  /// Up to nine fractional digits are accepted and truncated to microseconds. The offset is `Z` or hours and
  /// minutes, for example `+01:00`, which is subtracted. `T` and `Z` may be in lower case.
  ///
  /// - Parameter text: the complete text, without spaces, in ASCII digits.
  /// - Returns: `nil` for any other text, including dates that don't exist, such as 30 February, and leap
  ///   seconds.
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
