package import TenonFoundation
import TenonJSON
package import TenonValues

/// Writes messages of `google.firestore.v1` as compact JSON, directly into one buffer.
///
/// Objects and arrays are begun and ended; commas and colons are written as needed. After an error, the text
/// is incomplete and must not be used.
///
/// ```swift
/// var writer = WireWriter(DatabaseName(project: "demo"))
/// try writer.beginObject()
/// writer.name("targetId")
/// writer.number(2)
/// writer.endObject()
/// writer.bytes  // → Array(#"{"targetId":2}"#.utf8)
/// ```
package struct WireWriter {
  /// The database to which the paths belong.
  package let database: DatabaseName
  /// The text so far, in UTF-8.
  package private(set) var bytes: [UInt8] = []
  /// The number of objects and arrays that have begun and not ended.
  private var depth = 0
  /// Whether the next name or element is preceded by a comma.
  private var needsComma = false
  /// The full name of the root as the contents of a JSON string.
  private let root: [UInt8]

  /// The maximum number of nested objects and arrays in a message. Google's servers accept 100. A document
  /// with its 20 levels of maps has 66 in a commit, and up to 6 more if it contains vectors.
  package static let deepestNesting = 100

  /// Creates a writer without text.
  ///
  /// - Parameter database: the database to which the paths in the messages belong.
  package init(_ database: DatabaseName) {
    self.database = database
    var root: [UInt8] = []
    root.appendEscaped(database.root)
    self.root = root
  }

  /// Removes the text and keeps the memory for the next message.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    (depth, needsComma) = (0, false)
  }

  // MARK: - Structure

  /// Begins an object.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badValue`` if there are ``deepestNesting`` levels
  ///   already.
  package mutating func beginObject() throws(DocumentError) { try begin(UInt8(ascii: "{")) }
  /// Ends the object that was begun last.
  package mutating func endObject() { end(UInt8(ascii: "}")) }
  /// Begins an array; throws as ``beginObject()``.
  package mutating func beginArray() throws(DocumentError) { try begin(UInt8(ascii: "[")) }
  /// Ends the array that was begun last.
  package mutating func endArray() { end(UInt8(ascii: "]")) }

  private mutating func begin(_ bracket: UInt8) throws(DocumentError) {
    guard depth < Self.deepestNesting else {
      throw DocumentError(
        .badValue,
        "A value has more than \(Self.deepestNesting) levels as JSON. Nest its maps and arrays less.")
    }
    separate()
    bytes.append(bracket)
    depth += 1
    needsComma = false
  }

  private mutating func end(_ bracket: UInt8) {
    bytes.append(bracket)
    depth -= 1
    needsComma = true
  }

  /// Appends the comma before a name or an element, unless it is the first one.
  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  /// Appends the name of a member, whose value follows.
  ///
  /// - Parameter name: a name of the protocol, which needs no escapes.
  package mutating func name(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    endName()
  }

  /// Appends the name of a field or an alias, whose value follows.
  package mutating func name(ofField name: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.appendEscaped(name)
    endName()
  }

  private mutating func endName() {
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  // MARK: - Scalars

  /// Appends null.
  package mutating func null() { plain("null") }
  /// Appends `true` or `false`.
  package mutating func boolean(_ value: Bool) { plain(value ? "true" : "false") }
  /// Appends a 32-bit integer, which the JSON mapping writes as a number.
  package mutating func number(_ value: Int) { plain("\(value)") }

  /// Appends a 64-bit integer, which the JSON mapping writes as a string.
  package mutating func integer(_ value: Int64) {
    quoted { $0.append(contentsOf: "\(value)".utf8) }
  }

  /// Appends a double: a number, also -0.0, or one of the strings `NaN`, `Infinity` and `-Infinity`.
  package mutating func double(_ value: Double) {
    if value.isFinite { return plain(value.description) }
    string(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
  }

  /// Appends a string.
  package mutating func string(_ text: String) {
    separate()
    bytes.appendJSON(text)
  }

  /// Appends bytes as Base64 with padding (RFC 4648, section 4).
  package mutating func data(_ data: Data) {
    quoted { $0.append(contentsOf: data.base64EncodedString().utf8) }
  }

  /// Appends the full name of a document or a collection; that of the root for a path without IDs. References
  /// to other databases are full names already.
  package mutating func path(_ path: ResourcePath) {
    guard !path.isForeign else { return string(path.segments.joined(separator: "/")) }
    let root = root
    quoted { bytes in
      bytes.append(contentsOf: root)
      for id in path.segments {
        bytes.append(UInt8(ascii: "/"))
        bytes.appendEscaped(id)
      }
    }
  }

  /// Appends the path of a field in the protocol's notation.
  package mutating func field(_ path: FieldPath) { string(path.description) }

  /// Appends a timestamp in UTC (RFC 3339, section 5.6), with 0, 3 or 6 digits of the fraction, as Google's
  /// servers do. What is finer than microseconds is cut off.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badValue`` for a timestamp outside the years 1 to
  ///   9999, or with nanoseconds outside 0 to 999,999,999.
  package mutating func timestamp(_ timestamp: Timestamp) throws(DocumentError) {
    guard Timestamp.validSeconds.contains(timestamp.seconds),
      (0...999_999_999).contains(timestamp.nanoseconds)
    else {
      throw DocumentError(.badValue, "A timestamp is outside the years 1 to 9999: \(timestamp).")
    }
    quoted { bytes in timestamp.append(to: &bytes) }
  }

  /// Appends text that needs neither quotation marks nor escapes.
  private mutating func plain(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }

  /// Appends a string whose contents need no escapes.
  private mutating func quoted(_ append: (inout [UInt8]) -> Void) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    append(&bytes)
    bytes.append(UInt8(ascii: "\""))
  }
}

extension Timestamp {
  /// Appends a valid timestamp in RFC 3339 format.
  fileprivate func append(to bytes: inout [UInt8]) {
    let seconds = Int(clamping: seconds)
    let days = GregorianCalendar.floor(seconds, 86_400)
    // Checked: the years 1 to 9999.
    let time = seconds - days * 86_400
    let date = GregorianCalendar.day(days)
    /// Appends the last digits of a number.
    func digits(_ number: Int, _ divisors: [Int]) {
      for divisor in divisors {
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
      }
    }
    digits(date.year, [1000, 100, 10, 1])
    for (mark, number) in [
      ("-", date.month), ("-", date.day), ("T", time / 3600), (":", time / 60 % 60), (":", time % 60),
    ] as [(Unicode.Scalar, Int)] {
      bytes.append(UInt8(ascii: mark))
      digits(number, [10, 1])
    }
    let microseconds = Int(clamping: nanoseconds) / 1000
    if microseconds > 0 {
      bytes.append(UInt8(ascii: "."))
      let milliseconds = microseconds / 1000
      digits(milliseconds, [100, 10, 1])
      if microseconds % 1000 > 0 { digits(microseconds, [100, 10, 1]) }
    }
    bytes.append(UInt8(ascii: "Z"))
  }
}
