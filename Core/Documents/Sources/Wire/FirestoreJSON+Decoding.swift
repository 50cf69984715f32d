import TenonFoundation
import TenonValues

/// Scalars of the JSON mapping. Each function throws ``WireFailure`` for JSON of any other type.
extension FirestoreJSON {
  /// Returns a string.
  func text() throws(WireFailure) -> String {
    guard let string else { throw WireFailure("isn't a string") }
    return string
  }

  /// Returns a Boolean.
  func flag() throws(WireFailure) -> Bool {
    guard let boolean else { throw WireFailure("isn't true or false") }
    return boolean
  }

  /// Returns a 64-bit integer, which is a string or a number.
  func int64() throws(WireFailure) -> Int64 {
    guard let integer else { throw WireFailure("isn't a 64-bit integer") }
    return integer
  }

  /// Returns a 32-bit integer, which is a string or a number.
  func int32() throws(WireFailure) -> Int {
    guard let value = integer.flatMap({ Int32(exactly: $0) }) else {
      throw WireFailure("isn't a 32-bit integer")
    }
    return Int(clamping: value)
  }

  /// Returns a number of things: a 32-bit integer that isn't negative.
  func count() throws(WireFailure) -> Int {
    let value = try int32()
    guard value >= 0 else { throw WireFailure("is negative") }
    return value
  }

  /// Returns a double, which is a number or a string; see ``double``.
  func number() throws(WireFailure) -> Double {
    guard let double else { throw WireFailure("isn't a number") }
    return double
  }

  /// Returns bytes: Base64 in the standard or the URL-safe alphabet, with or without padding.
  func data() throws(WireFailure) -> Data {
    guard let data = string.flatMap(Data.init(wireBase64:)) else { throw WireFailure("isn't Base64") }
    return data
  }

  /// Returns the path of a full name of a database.
  func path(in database: DatabasePrefix) throws(WireFailure) -> ResourcePath {
    try database.path(of: try text())
  }

  /// Returns the path of a document's full name: an even number of IDs, at least 2.
  func documentPath(in database: DatabasePrefix) throws(WireFailure) -> ResourcePath {
    let path = try path(in: database)
    guard !path.segments.isEmpty, path.segments.count.isMultiple(of: 2) else {
      throw WireFailure("isn't the full name of a document")
    }
    return path
  }

  /// Decodes a timestamp: a string in RFC 3339 format, or an object with `seconds` and `nanos`, which occurs
  /// in bundles.
  ///
  /// In an object, both are 0 by default, because proto3 omits zeros, and there are no other members; the
  /// nanoseconds aren't truncated to microseconds. A string is truncated; see ``Timestamp/init(rfc3339:)``.
  ///
  /// - Throws: ``WireFailure`` for anything else, also for times outside the years 1 to 9999 and for
  ///   nanoseconds outside 0 to 999,999,999.
  func time() throws(WireFailure) -> Timestamp {
    if case .object(let members) = self {
      let zero = FirestoreJSON.integer(0)
      guard members.allSatisfy({ $0.key.string == "seconds" || $0.key.string == "nanos" }),
        let seconds = (self["seconds"] ?? zero).integer,
        Timestamp.validSeconds.contains(seconds),
        let nanoseconds = (self["nanos"] ?? zero).integer.flatMap({ Int32(exactly: $0) }),
        (0...999_999_999).contains(nanoseconds)
      else { throw WireFailure("isn't a timestamp") }
      return Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    }
    guard let text = string, let timestamp = Timestamp(rfc3339: text),
      Timestamp.validSeconds.contains(timestamp.seconds)
    else { throw WireFailure("isn't a timestamp") }
    return timestamp
  }

  /// Returns the path of a field in the protocol's notation.
  func field() throws(WireFailure) -> FieldPath {
    guard let path = FieldPath(wire: try text()) else {
      throw WireFailure(
        "isn't the path of a field; names with other characters than letters, digits and _ are in backticks")
    }
    return path
  }
}

extension FirestoreJSON {
  /// Decodes a `google.firestore.v1.DocumentMask`.
  static func mask(_ json: FirestoreJSON) throws(WireFailure) -> [FieldPath] {
    let fields = try json.list("fieldPaths", FirestoreJSON.field)
    do { try QueryRules.checkSelection(fields) } catch { throw WireFailure("isn't valid: \(error.message)") }
    return fields
  }
}

extension FirestoreJSON {
  /// Checks the name of the database that the requests of streams contain, if this one does.
  func checkDatabase(_ database: DatabasePrefix) throws(WireFailure) {
    guard let name = try member("database", Self.text), let expected = database.database,
      name != expected.name
    else { return }
    throw WireFailure("isn't \(expected)", code: .otherDatabase).inMember("database")
  }
}

extension FirestoreJSON {
  /// Checks that an element of a response that is a stream isn't the error that ends it; see
  /// `StoreRemoteError.init(wireError:)`. All members of such elements are optional, so the error would be an
  /// empty element.
  func checkNoError() throws(WireFailure) {
    if try member("error") != nil { throw WireFailure("is a server error") }
  }
}

/// Members of messages. A member that is null counts as missing, and unknown members are ignored.
extension FirestoreJSON {
  /// Returns a member; `nil` if it is missing or null.
  ///
  /// - Throws: ``WireFailure`` if this isn't an object.
  func member(_ name: String) throws(WireFailure) -> FirestoreJSON? {
    guard case .object = self else { throw WireFailure("isn't an object") }
    return self[name]
  }

  /// Decodes a member; `nil` if it is missing or null.
  func member<Result>(
    _ name: String, _ decode: (FirestoreJSON) throws(WireFailure) -> Result
  ) throws(WireFailure) -> Result? {
    guard let member = try member(name) else { return nil }
    do { return try decode(member) } catch { throw error.inMember(name) }
  }

  /// Decodes a token or an ID; `nil` if it is missing, null or empty, the default of proto3.
  func token(_ name: String) throws(WireFailure) -> Data? {
    guard let data = try member(name, Self.data), !data.isEmpty else { return nil }
    return data
  }

  /// Decodes a member that must be present.
  func required<Result>(
    _ name: String, _ decode: (FirestoreJSON) throws(WireFailure) -> Result
  ) throws(WireFailure) -> Result {
    guard let result = try member(name, decode) else { throw WireFailure("is missing").inMember(name) }
    return result
  }

  /// Decodes a message that is a member; `nil` if it is missing or null.
  func message<Message: WireDecodable>(
    _ name: String, in database: DatabasePrefix
  ) throws(WireFailure) -> Message? {
    try member(name) { (json) throws(WireFailure) in try Message(wire: json, in: database) }
  }

  /// Decodes the elements of an array that is a member; none if it is missing or null.
  func list<Element>(
    _ name: String, _ decode: (FirestoreJSON) throws(WireFailure) -> Element
  ) throws(WireFailure) -> [Element] {
    guard let member = try member(name) else { return [] }
    guard case .array(let elements) = member else { throw WireFailure("isn't an array").inMember(name) }
    var result: [Element] = []
    result.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      do { result.append(try decode(element)) } catch { throw error.inElement(index).inMember(name) }
    }
    return result
  }

  /// Decodes the messages of an array that is a member; none if it is missing or null.
  func messages<Message: WireDecodable>(
    _ name: String, in database: DatabasePrefix
  ) throws(WireFailure) -> [Message] {
    try list(name) { (json) throws(WireFailure) in try Message(wire: json, in: database) }
  }
}

/// The functions that decode scalars, in the form that decodes a member:
/// `json.member("count", FirestoreJSON.int32)`.
extension FirestoreJSON {
  /// Returns a string.
  static func text(_ json: FirestoreJSON) throws(WireFailure) -> String { try json.text() }
  /// Returns a Boolean.
  static func flag(_ json: FirestoreJSON) throws(WireFailure) -> Bool { try json.flag() }
  /// Returns a 64-bit integer.
  static func int64(_ json: FirestoreJSON) throws(WireFailure) -> Int64 { try json.int64() }
  /// Returns a 32-bit integer.
  static func int32(_ json: FirestoreJSON) throws(WireFailure) -> Int { try json.int32() }
  /// Returns a 32-bit integer that isn't negative.
  static func count(_ json: FirestoreJSON) throws(WireFailure) -> Int { try json.count() }
  /// Returns a double.
  static func number(_ json: FirestoreJSON) throws(WireFailure) -> Double { try json.number() }
  /// Returns bytes.
  static func data(_ json: FirestoreJSON) throws(WireFailure) -> Data { try json.data() }
  /// Returns a timestamp.
  static func time(_ json: FirestoreJSON) throws(WireFailure) -> Timestamp { try json.time() }
  /// Returns the path of a field.
  static func field(_ json: FirestoreJSON) throws(WireFailure) -> FieldPath { try json.field() }
}
