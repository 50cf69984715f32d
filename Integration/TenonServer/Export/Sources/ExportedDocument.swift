package import TenonValues

/// A document of an export.
package struct ExportedDocument: Sendable {
  package var path: ResourcePath
  package var fields: Fields

  package init(path: ResourcePath, fields: Fields) {
    self.path = path
    self.fields = fields
  }
}

/// The numbers of the fields of Datastore's entities, in which exports have documents.
enum EntityField {
  static let key = 13, property = 14, rawProperty = 15, group = 16
  /// Of a key, and of a reference in a value.
  static let app = 13, path = 14, database = 23
  /// Of an element of a key's path.
  static let element = 1, type = 2, id = 3, name = 4
  /// Of an element of a reference's path.
  static let referenceType = 15, referenceID = 16, referenceName = 17
  /// Of a property.
  static let meaning = 1, propertyName = 3, isMultiple = 4, value = 5
  /// Of a value.
  static let integer = 1, boolean = 2, string = 3, double = 4, point = 5, reference = 12
  /// Of a point.
  static let latitude = 6, longitude = 7
}

/// What the value of a property means.
enum EntityMeaning: UInt64 {
  case timestamp = 7
  case geoPoint = 9
  case bytes = 14
  case text = 15
  case map = 19
  case emptyList = 24
  case vector = 31
}

extension String {
  /// The number of an ID of the form `__id7__`, which entities have as a number.
  var numericID: Int64? {
    guard hasPrefix("__id"), hasSuffix("__"), utf8.count > 6 else { return nil }
    let digits = dropFirst(4).dropLast(2)
    guard let number = Int64(digits), String(number) == digits else { return nil }
    return number
  }
}
