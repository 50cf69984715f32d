import TenonDocuments
import TenonJSON
import TenonStoreInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The format of an index in `firestore.indexes.json` (https://firebase.google.com/docs/reference/firestore/indexes).
/// The table `indexes` stores definitions in it.
extension CompositeIndex: Codable {
  private enum Key: String, CodingKey {
    case collectionGroup, queryScope, fields
  }

  /// Decodes an index from `firestore.indexes.json`. A missing `queryScope` is `COLLECTION`. The index is not
  /// validated, and keys of other settings are ignored.
  ///
  /// - Throws: `DecodingError` if a key or its type does not match, or the scope is unknown.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let scope = try container.decodeIfPresent(String.self, forKey: .queryScope)
    guard let scope = Scope(rawValue: scope ?? Scope.collection.rawValue) else {
      throw DecodingError.dataCorruptedError(
        forKey: .queryScope, in: container, debugDescription: "There is no scope \(scope ?? "").")
    }
    self.init(
      try container.decode(String.self, forKey: .collectionGroup), scope: scope,
      fields: try container.decode([Field].self, forKey: .fields))
  }

  /// Encodes the index as in `firestore.indexes.json`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(collectionID, forKey: .collectionGroup)
    try container.encode(scope.rawValue, forKey: .queryScope)
    try container.encode(fields, forKey: .fields)
  }

  /// Returns the indexes of a `firestore.indexes.json` file. Vector indexes are omitted:
  /// ``Queryable/findNearest(vectorField:queryVector:limit:distanceMeasure:distanceThreshold:)`` needs none. So are
  /// field overrides, because every field is indexed.
  ///
  /// ```swift
  /// let settings = StoreSettings(indexes: try CompositeIndex.indexes(inFile: Data(contentsOf: file)))
  /// ```
  ///
  /// - Parameter json: the contents of the file.
  /// - Returns: the indexes, in the order of the file.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the file cannot be decoded or an index is
  ///   invalid.
  public static func indexes(inFile json: Data) throws -> [CompositeIndex] {
    struct File: Decodable {
      struct Entry: Decodable {
        struct Field: Decodable {
          struct Vector: Decodable {}
          let vectorConfig: Vector?
        }
        let fields: [Field]
        let index: CompositeIndex?

        init(from decoder: any Decoder) throws {
          fields = try decoder.container(keyedBy: Key.self).decode([Field].self, forKey: .fields)
          index = fields.contains { $0.vectorConfig != nil } ? nil : try CompositeIndex(from: decoder)
        }
      }
      let indexes: [Entry]
    }
    do {
      let indexes = try JSON.decode(File.self, from: json).indexes.compactMap(\.index)
      for index in indexes { try index.check() }
      return indexes
    } catch let error where error is DecodingError || error is JSONError {
      throw StoreError(
        .invalidArgument, "The text isn't a file of indexes as firestore.indexes.json: \(error).",
        underlying: error)
    }
  }
}

extension CompositeIndex.Field: Codable {
  private enum Key: String, CodingKey {
    case fieldPath, order, arrayConfig
  }

  /// Decodes a field from `firestore.indexes.json`.
  ///
  /// - Throws: `DecodingError` if it has neither or both of `order` and `arrayConfig`, or a value that is not
  ///   supported.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let kind: Kind
    switch (
      try container.decodeIfPresent(String.self, forKey: .order),
      try container.decodeIfPresent(String.self, forKey: .arrayConfig)
    ) {
    case ("ASCENDING"?, nil): kind = .ascending
    case ("DESCENDING"?, nil): kind = .descending
    case (nil, "CONTAINS"?): kind = .contains
    default:
      throw DecodingError.dataCorruptedError(
        forKey: .order, in: container,
        debugDescription: "A field takes the order ASCENDING or DESCENDING, or the arrayConfig CONTAINS.")
    }
    self.init(path: Self.path(try container.decode(String.self, forKey: .fieldPath)), kind: kind)
  }

  /// Encodes the field as in `firestore.indexes.json`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.text(path), forKey: .fieldPath)
    switch kind {
    case .ascending: try container.encode("ASCENDING", forKey: .order)
    case .descending: try container.encode("DESCENDING", forKey: .order)
    case .contains: try container.encode("CONTAINS", forKey: .arrayConfig)
    }
  }

  /// Parses a field path. Names that are not simple identifiers are in backticks, in which a backslash escapes a backtick or
  /// backslash.
  private static func path(_ text: String) -> FieldPath {
    var segments: [String] = []
    var name = ""
    var isQuoted = false
    var characters = text.unicodeScalars.makeIterator()
    while let character = characters.next() {
      switch character {
      case "\\" where isQuoted: if let next = characters.next() { name.unicodeScalars.append(next) }
      case "`": isQuoted.toggle()
      case "." where !isQuoted:
        segments.append(name)
        name = ""
      default: name.unicodeScalars.append(character)
      }
    }
    return FieldPath(segments + [name])
  }

  /// Returns the text of a field path, the inverse of `path(_:)`.
  private static func text(_ path: FieldPath) -> String {
    path.segments.map { name in
      if name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil { return name }
      var quoted = "`"
      for character in name.unicodeScalars {
        if character == "`" || character == "\\" { quoted.unicodeScalars.append("\\") }
        quoted.unicodeScalars.append(character)
      }
      return quoted + "`"
    }.joined(separator: ".")
  }
}
