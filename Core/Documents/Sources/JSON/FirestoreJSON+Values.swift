package import TenonStoreInterop

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FirestoreJSON {
  /// Decodes the `fields` member of a document or a map. O(n log n) for n fields.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged``.
  package func fields() throws(DocumentError) -> Fields {
    guard case .object(let members) = self else { throw Self.damaged("A map") }
    var entries: [Fields.Entry] = []
    entries.reserveCapacity(members.count)
    for (name, member) in members {
      entries.append(Fields.Entry(name: name.string, value: try member.value()))
    }
    return Fields(unsorted: entries)
  }

  /// Decodes a `google.firestore.v1.Value`: an object with a single member, whose name is the type, for example `{"integerValue":
  /// "1"}`.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged``, also for types that this version does not know.
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
          GeoPoint(latitude: content["latitude"]?.double ?? 0, longitude: content["longitude"]?.double ?? 0))
      case "arrayValue":
        .array(
          try (content["values"]?.array ?? []).map { element throws(DocumentError) in try element.value() })
      case "mapValue": try Self.map(try content["fields"]?.fields() ?? Fields())
      default: nil
      }
    guard let value else { throw Self.damaged("A value of type \(name.string)") }
    return value
  }

  /// Returns a map, or the vector that it represents: on the wire, a vector is a map with `__type__` = `__vector__` and the
  /// components in `value`.
  private static func map(_ fields: Fields) throws(DocumentError) -> Value {
    guard fields["__type__"]?.stringValue == "__vector__" else { return .map(fields) }
    return .vector((fields["value"]?.arrayValue ?? []).compactMap(\.doubleValue))
  }

  /// Decodes a full name, `projects/P/databases/D/documents/PATH`, and returns the path. The project and the database are ignored.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged``.
  package func documentPath() throws(DocumentError) -> ResourcePath {
    guard let name = string else { throw Self.damaged("A document's name") }
    let segments = name.unicodeScalars.split(separator: "/").map(String.init)
    guard segments.count >= 5, segments[0] == "projects", segments[4] == "documents" else {
      throw DocumentError(.damaged, "\"\(name)\" isn't a document's full name.")
    }
    return ResourcePath(segments: Array(segments.dropFirst(5)))
  }

  /// Decodes a timestamp: a string in RFC 3339 format, or an object with `seconds` and `nanos`.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged``.
  package func timestamp() throws(DocumentError) -> Timestamp {
    if let seconds = self["seconds"]?.integer {
      return Timestamp(seconds: seconds, nanoseconds: Int32(truncatingIfNeeded: self["nanos"]?.integer ?? 0))
    }
    guard let text = string, let timestamp = Timestamp(rfc3339: text) else { throw Self.damaged("A moment") }
    return timestamp
  }
}

extension Timestamp {
  /// Creates a timestamp from the format of RFC 3339, for example `2026-01-31T12:00:00.5Z`.
  ///
  /// Up to nine fractional digits are accepted and truncated to microseconds. `nil` for any other text, including dates that do not
  /// exist, such as 30 February, and leap seconds.
  package init?(rfc3339 text: String) {
    let pattern = /(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)/
      .asciiOnlyDigits()
    guard let match = text.wholeMatch(of: pattern) else { return nil }
    let numbers = [match.1, match.2, match.3, match.4, match.5, match.6].compactMap { Int64($0) }
    guard numbers.count == 6, (1...12).contains(numbers[1]),
      (1...Self.days(of: numbers[1], in: numbers[0])).contains(numbers[2]), numbers[3] < 24, numbers[4] < 60,
      numbers[5] < 60
    else { return nil }
    // Days since 1970 in the proleptic Gregorian calendar, counting years from March so that the leap day is the last day of the
    // year.
    let year = numbers[1] <= 2 ? numbers[0] - 1 : numbers[0]
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let month = (numbers[1] + 9) % 12
    let dayOfYear = (153 * month + 2) / 5 + numbers[2] - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    var seconds = days * 86_400 + numbers[3] * 3600 + numbers[4] * 60 + numbers[5]
    if match.8.count == 6, let hours = Int64(match.8.dropFirst().prefix(2)),
      let minutes = Int64(match.8.suffix(2))
    {
      guard hours < 24, minutes < 60 else { return nil }
      seconds -= (match.8.first == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
    }
    var micros = Int32(0)
    if let digits = match.7 {
      micros = Int32(digits.padding(toLength: 6)) ?? 0
    }
    self.init(seconds: seconds, nanoseconds: micros * 1000)
  }

  /// Returns the number of days of a month.
  ///
  /// - Parameters:
  ///   - month: 1 to 12.
  ///   - year: the year, which determines the length of February.
  private static func days(of month: Int64, in year: Int64) -> Int64 {
    let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }
}

extension Substring {
  /// Returns the first characters, padded at the end with zeros to the given length.
  fileprivate func padding(toLength length: Int) -> String {
    let text = String(prefix(length))
    return text + String(repeating: "0", count: length - text.count)
  }
}
