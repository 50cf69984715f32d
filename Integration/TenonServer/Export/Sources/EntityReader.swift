import FirestoreProtobuf
import TenonDocuments
import TenonFoundation
import TenonValues

/// Reads documents from entities, as Google's emulator and Firestore's managed exports write them.
struct EntityReader {
  /// The database that the documents come to. References within the export's database become references
  /// within this one.
  let database: DatabaseName

  /// Reads a document.
  ///
  /// - Throws: `ProtobufError`, which says what is wrong.
  func document(_ bytes: [UInt8]) throws(ProtobufError) -> ExportedDocument {
    let fields = try members(bytes, bytes.indices)
    guard case .bytes(let key)? = fields.first(where: { $0.number == EntityField.key })?.value else {
      throw ProtobufError("An entity has no key.")
    }
    var segments: [String] = []
    var source = DatabaseName(project: "")
    for part in try members(bytes, key) {
      switch (part.number, part.value) {
      case (EntityField.app, .bytes(let range)):
        source = DatabaseName(project: try project(bytes, range), database: source.database)
      case (EntityField.database, .bytes(let range)):
        source = DatabaseName(project: source.project, database: try text(bytes, range))
      case (EntityField.path, .bytes(let range)):
        for element in try members(bytes, range) {
          guard element.number == EntityField.element, case .group(let range) = element.value else {
            continue
          }
          segments += try self.element(
            bytes, range, EntityField.type, EntityField.id, EntityField.name)
        }
      default: continue
      }
    }
    guard !segments.isEmpty, segments.count.isMultiple(of: 2) else {
      throw ProtobufError("The key of an entity isn't that of a document.")
    }
    return ExportedDocument(
      path: ResourcePath(segments: segments), fields: try self.fields(bytes, fields, of: source, depth: 0))
  }

  // MARK: - Properties

  private struct Property {
    var meaning: EntityMeaning?
    var name = ""
    var isMultiple = false
    var content = 0..<0
  }

  private func fields(
    _ bytes: [UInt8], _ members: [Member], of source: DatabaseName, depth: Int
  ) throws(ProtobufError) -> Fields {
    guard depth < ProtobufSchema.deepestNesting else { throw ProtobufError.tooDeep }
    var order: [String] = []
    var values: [[UInt8]: [(Property, Value)]] = [:]
    for member in members {
      guard member.number == EntityField.property || member.number == EntityField.rawProperty,
        case .bytes(let range) = member.value
      else { continue }
      let property = try self.property(bytes, range)
      let value = try self.value(bytes, property, of: source, depth: depth)
      // Names are compared by their bytes.
      let name = Array(property.name.utf8)
      if values[name] == nil { order.append(property.name) }
      values[name, default: []].append((property, value))
    }
    var entries: [Fields.Entry] = []
    for name in order {
      let found = values[Array(name.utf8)] ?? []
      entries.append(Fields.Entry(name: name, value: try value(of: found, name)))
    }
    return Fields(unsorted: entries)
  }

  /// Returns the value of the properties of one name.
  private func value(
    of found: [(Property, Value)], _ name: String
  ) throws(ProtobufError) -> Value {
    guard let (first, value) = found.first else { return .null }
    if first.meaning == .emptyList { return .array([]) }
    guard first.isMultiple else {
      guard found.count == 1 else {
        throw ProtobufError("The property \(name.prefix(100)) occurs several times, and isn't a list.")
      }
      return value
    }
    guard first.meaning == .vector else { return .array(found.map(\.1)) }
    var vector: [Double] = []
    for (_, value) in found {
      guard case .double(let number) = value else {
        throw ProtobufError("The vector \(name.prefix(100)) contains something else than numbers.")
      }
      vector.append(number)
    }
    return .vector(vector)
  }

  private func property(_ bytes: [UInt8], _ range: Range<Int>) throws(ProtobufError) -> Property {
    var property = Property()
    for member in try members(bytes, range) {
      switch (member.number, member.value) {
      case (EntityField.meaning, .number(let number)):
        property.meaning = EntityMeaning(rawValue: number)
        guard property.meaning != nil || number == 0 || number == 18 else {
          throw ProtobufError("A property has the meaning \(number), which Firestore's values don't have.")
        }
      case (EntityField.propertyName, .bytes(let range)): property.name = try text(bytes, range)
      case (EntityField.isMultiple, .number(let number)): property.isMultiple = number != 0
      case (EntityField.value, .bytes(let range)): property.content = range
      default: continue
      }
    }
    return property
  }

  private func value(
    _ bytes: [UInt8], _ property: Property, of source: DatabaseName, depth: Int
  ) throws(ProtobufError) -> Value {
    guard let content = try members(bytes, property.content).first else { return .null }
    switch (content.number, content.value) {
    case (EntityField.integer, .number(let number)):
      let number = Int64(bitPattern: number)
      return property.meaning == .timestamp
        ? .timestamp(Timestamp(microsecondsSince1970: number)) : .integer(number)
    case (EntityField.boolean, .number(let number)): return .boolean(number != 0)
    case (EntityField.double, .number(let number)): return .double(Double(bitPattern: number))
    case (EntityField.string, .bytes(let range)):
      switch property.meaning {
      case .bytes: return .bytes(Data(bytes[range]))
      case .map:
        return .map(try fields(bytes, try members(bytes, range), of: source, depth: depth + 1))
      default: return .string(try text(bytes, range))
      }
    case (EntityField.point, .group(let range)):
      var point = GeoPoint(latitude: 0, longitude: 0)
      for member in try members(bytes, range) {
        guard case .number(let number) = member.value else { continue }
        if member.number == EntityField.latitude { point.latitude = Double(bitPattern: number) }
        if member.number == EntityField.longitude { point.longitude = Double(bitPattern: number) }
      }
      return .geoPoint(point)
    case (EntityField.reference, .group(let range)):
      return .reference(try reference(bytes, range, in: source))
    default: throw ProtobufError("A value has a type that Firestore doesn't have.")
    }
  }

  private func reference(
    _ bytes: [UInt8], _ range: Range<Int>, in source: DatabaseName
  ) throws(ProtobufError) -> ResourcePath {
    var segments: [String] = []
    var (project, name) = (source.project, "(default)")
    for member in try members(bytes, range) {
      switch (member.number, member.value) {
      case (EntityField.app, .bytes(let range)): project = try self.project(bytes, range)
      case (EntityField.database, .bytes(let range)): name = try text(bytes, range)
      case (EntityField.path, .group(let range)):
        segments += try element(
          bytes, range, EntityField.referenceType, EntityField.referenceID, EntityField.referenceName)
      default: continue
      }
    }
    let path = ResourcePath(segments: segments)
    let target = DatabaseName(project: project, database: name)
    return target == source || target == database ? path : ResourcePath(foreignRoot: target.root, path)
  }

  // MARK: - Parts

  /// Returns the IDs of the collection and the document of an element of a path.
  private func element(
    _ bytes: [UInt8], _ range: Range<Int>, _ type: Int, _ id: Int, _ name: Int
  ) throws(ProtobufError) -> [String] {
    var (collection, document) = ("", "")
    for member in try members(bytes, range) {
      switch (member.number, member.value) {
      case (type, .bytes(let range)): collection = try text(bytes, range)
      case (name, .bytes(let range)): document = try text(bytes, range)
      case (id, .number(let number)): document = "__id\(Int64(bitPattern: number))__"
      default: continue
      }
    }
    guard !collection.isEmpty, !document.isEmpty else {
      throw ProtobufError("The path of an entity has an element without an ID.")
    }
    return [collection, document]
  }

  /// Returns a project's ID without what is before it, for example `dev~`.
  private func project(_ bytes: [UInt8], _ range: Range<Int>) throws(ProtobufError) -> String {
    let app = try text(bytes, range)
    return app.firstIndex(of: "~").map { String(app[app.index(after: $0)...]) } ?? app
  }

  private func text(_ bytes: [UInt8], _ range: Range<Int>) throws(ProtobufError) -> String {
    guard let text = String(validating: bytes[range], as: UTF8.self) else {
      throw ProtobufError("A text isn't UTF-8.")
    }
    return text
  }

  /// A field of a message.
  private struct Member {
    enum Value {
      case number(UInt64)
      case bytes(Range<Int>)
      case group(Range<Int>)
    }
    let number: Int
    let value: Value
  }

  private func members(_ bytes: [UInt8], _ range: Range<Int>) throws(ProtobufError) -> [Member] {
    var reader = ProtobufReader(bytes, range)
    var members: [Member] = []
    while !reader.isAtEnd {
      let (number, type) = try reader.tag()
      switch type {
      case .groupEnd: throw ProtobufError("A group ends that has not begun.")
      case .groupStart: members.append(Member(number: number, value: .group(try reader.group(number))))
      default:
        switch try reader.value(type) {
        case .number(let value): members.append(Member(number: number, value: .number(value)))
        case .bytes(let range): members.append(Member(number: number, value: .bytes(range)))
        }
      }
    }
    return members
  }
}
