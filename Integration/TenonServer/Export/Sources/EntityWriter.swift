import FirestoreProtobuf
import TenonDocuments
import TenonFoundation
import TenonValues

/// Writes documents as entities, in the form that Google's emulator writes.
struct EntityWriter {
  /// The project and the database of the documents.
  let database: DatabaseName

  /// Returns the bytes of a document's entity.
  func entity(_ document: ExportedDocument) -> [UInt8] {
    var bytes: [UInt8] = []
    var key: [UInt8] = []
    key.append(EntityField.app, content: app(database.project))
    key.append(EntityField.path, content: path(document.path.segments))
    if database.database != "(default)" {
      key.append(EntityField.database, content: Array(database.database.utf8))
    }
    bytes.append(EntityField.key, content: key)
    append(document.fields, to: &bytes)
    bytes.append(EntityField.group, content: path(Array(document.path.segments.prefix(2))))
    return bytes
  }

  private func app(_ project: String) -> [UInt8] { Array("dev~\(project)".utf8) }

  /// Returns the elements of a path.
  private func path(_ segments: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: segments.count - 1, by: 2) {
      bytes.append(EntityField.element, .groupStart)
      bytes.append(EntityField.type, content: Array(segments[index].utf8))
      append(id: segments[index + 1], EntityField.id, EntityField.name, to: &bytes)
      bytes.append(EntityField.element, .groupEnd)
    }
    return bytes
  }

  private func append(id: String, _ number: Int, _ name: Int, to bytes: inout [UInt8]) {
    if let id = id.numericID {
      bytes.append(number, varint: UInt64(bitPattern: id))
    } else {
      bytes.append(name, content: Array(id.utf8))
    }
  }

  private func append(_ fields: Fields, to bytes: inout [UInt8]) {
    for entry in fields.entries {
      switch entry.value {
      case .array(let elements) where elements.isEmpty:
        append(entry.name, .emptyList, isMultiple: false, [], EntityField.property, to: &bytes)
      case .array(let elements):
        for element in elements { append(entry.name, element, isMultiple: true, to: &bytes) }
      case .vector(let elements):
        for element in elements {
          append(entry.name, .vector, isMultiple: true, double(element), to: &bytes)
        }
      default: append(entry.name, entry.value, isMultiple: false, to: &bytes)
      }
    }
  }

  private func append(_ name: String, _ value: Value, isMultiple: Bool, to bytes: inout [UInt8]) {
    let (meaning, content) = self.content(value)
    append(name, meaning, isMultiple: isMultiple, content, to: &bytes)
  }

  private func append(
    _ name: String, _ meaning: EntityMeaning?, isMultiple: Bool, _ content: [UInt8],
    _ number: Int = EntityField.rawProperty, to bytes: inout [UInt8]
  ) {
    var property: [UInt8] = []
    if let meaning { property.append(EntityField.meaning, varint: meaning.rawValue) }
    property.append(EntityField.propertyName, content: Array(name.utf8))
    property.append(EntityField.isMultiple, varint: isMultiple ? 1 : 0)
    property.append(EntityField.value, content: content)
    bytes.append(number, content: property)
  }

  private func double(_ value: Double) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(EntityField.double, .fixed64)
    bytes.append(fixed: value.bitPattern, count: 8)
    return bytes
  }

  /// Returns the content of a value, with its meaning. A list or a vector within a list doesn't exist.
  private func content(_ value: Value) -> (EntityMeaning?, [UInt8]) {
    var bytes: [UInt8] = []
    switch value {
    case .null, .array, .vector: return (nil, [])
    case .boolean(let value): bytes.append(EntityField.boolean, varint: value ? 1 : 0)
    case .integer(let value): bytes.append(EntityField.integer, varint: UInt64(bitPattern: value))
    case .double(let value): bytes = double(value)
    case .string(let text): bytes.append(EntityField.string, content: Array(text.utf8))
    case .timestamp(let time):
      bytes.append(EntityField.integer, varint: UInt64(bitPattern: time.microsecondsSince1970))
      return (.timestamp, bytes)
    case .bytes(let data):
      bytes.append(EntityField.string, content: Array(data))
      return (.bytes, bytes)
    case .geoPoint(let point):
      bytes.append(EntityField.point, .groupStart)
      bytes.append(EntityField.latitude, .fixed64)
      bytes.append(fixed: point.latitude.bitPattern, count: 8)
      bytes.append(EntityField.longitude, .fixed64)
      bytes.append(fixed: point.longitude.bitPattern, count: 8)
      bytes.append(EntityField.point, .groupEnd)
      return (.geoPoint, bytes)
    case .reference(let path): appendReference(path, to: &bytes)
    case .map(let fields):
      var map: [UInt8] = []
      map.append(EntityField.key, content: [0x6A, 0, 0x72, 0])
      append(fields, to: &map)
      map.append(EntityField.group, content: [])
      bytes.append(EntityField.string, content: map)
      return (.map, bytes)
    }
    return (nil, bytes)
  }

  private func appendReference(_ path: ResourcePath, to bytes: inout [UInt8]) {
    let (target, path) = path.foreignDatabase ?? (database, path)
    bytes.append(EntityField.reference, .groupStart)
    bytes.append(EntityField.app, content: app(target.project))
    let segments = path.segments
    for index in stride(from: 0, to: segments.count - 1, by: 2) {
      bytes.append(EntityField.path, .groupStart)
      bytes.append(EntityField.referenceType, content: Array(segments[index].utf8))
      append(
        id: segments[index + 1], EntityField.referenceID, EntityField.referenceName, to: &bytes)
      bytes.append(EntityField.path, .groupEnd)
    }
    if target.database != "(default)" {
      bytes.append(EntityField.database, content: Array(target.database.utf8))
    }
    bytes.append(EntityField.reference, .groupEnd)
  }
}
