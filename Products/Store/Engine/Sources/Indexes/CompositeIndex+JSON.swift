import TenonDocuments
public import TenonFoundation
import TenonJSON
import TenonValues

/// The format of an index in `firestore.indexes.json`
/// (https://firebase.google.com/docs/reference/firestore/indexes). The table `indexes` stores definitions in
/// it.
extension CompositeIndex: Codable {
  private enum Key: String, CodingKey {
    case collectionGroup, queryScope, fields
  }

  /// Decodes an index from `firestore.indexes.json`. A missing `queryScope` is `COLLECTION`. The index isn't
  /// validated, and keys of other settings are ignored.
  ///
  /// - Throws: `DecodingError` if a key or its type doesn't match, or the scope is unknown.
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
  /// ``QuerySource/findNearest(vectorField:queryVector:limit:distanceMeasure:distanceThreshold:)`` needs
  /// none. The field overrides of the file are those of ``FieldOverride/overrides(inFile:)``.
  ///
  /// ```swift
  /// let settings = StoreSettings(indexes: try CompositeIndex.indexes(inFile: Data(contentsOf: file)))
  /// ```
  ///
  /// - Parameter json: the contents of the file.
  /// - Returns: the indexes, in the order of the file.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the file can't be decoded or an
  ///   index is invalid.
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
        .invalidArgument, "The text isn't an index file such as firestore.indexes.json: \(error).",
        underlying: error)
    }
  }
}

extension CompositeIndex {
  /// Returns the text of a `firestore.indexes.json` file with indexes, which `firebase deploy` accepts.
  ///
  /// Indexes of a single field are written as field overrides, beside the indexes that the field has
  /// automatically. The text is the same for the same set of indexes: they are sorted, and duplicates are
  /// omitted.
  ///
  /// - Parameter indexes: the indexes, in any order.
  /// - Returns: the contents of the file, indented, in UTF-8.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if an index is invalid.
  public static func file(of indexes: [CompositeIndex]) throws -> Data {
    for index in indexes { try index.check() }
    let sorted = Set(indexes).sorted { $0.precedes($1) }
    var overrides: [IndexFile.Override] = []
    for index in sorted where index.fields.count == 1 {
      guard let field = index.fields.first else { continue }
      let entry = IndexFile.Override.Index(kind: field.kind, scope: index.scope)
      if let last = overrides.indices.last, overrides[last].collectionGroup == index.collectionID,
        overrides[last].field == field.path
      {
        if !overrides[last].indexes.contains(entry) { overrides[last].indexes.append(entry) }
        continue
      }
      var override = IndexFile.Override(collectionGroup: index.collectionID, field: field.path, indexes: [])
      override.indexes = IndexFile.Override.automatic
      if !override.indexes.contains(entry) { override.indexes.append(entry) }
      overrides.append(override)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return try encoder.encode(
      IndexFile(indexes: sorted.filter { $0.fields.count > 1 }, fieldOverrides: overrides))
  }
}

/// The contents of a `firestore.indexes.json` file.
struct IndexFile: Encodable {
  /// The indexes of a field, which replace those that it has automatically.
  struct Override: Codable {
    /// An index of the field.
    struct Index: Codable, Equatable {
      var order: String?
      var arrayConfig: String?
      var queryScope: String?

      init(kind: CompositeIndex.Field.Kind, scope: CompositeIndex.Scope) {
        switch kind {
        case .ascending: order = "ASCENDING"
        case .descending: order = "DESCENDING"
        case .contains: arrayConfig = "CONTAINS"
        }
        queryScope = scope.rawValue
      }
    }

    /// The indexes that a field has without an override.
    static let automatic = [CompositeIndex.Field.Kind.ascending, .descending, .contains].map {
      Index(kind: $0, scope: .collection)
    }

    let collectionGroup: String
    let fieldPath: String
    var indexes: [Index]

    init(collectionGroup: String, field: FieldPath, indexes: [Index]) {
      self.collectionGroup = collectionGroup
      fieldPath = CompositeIndex.Field.text(field)
      self.indexes = indexes
    }

    /// The field.
    var field: FieldPath { CompositeIndex.Field.path(fieldPath) }
  }

  let indexes: [CompositeIndex]
  let fieldOverrides: [Override]
}

extension FieldOverride {
  /// Returns the field overrides of a `firestore.indexes.json` file, for ``StoreSettings/fieldOverrides``.
  ///
  /// A field whose `indexes` are empty is exempt. Otherwise its values are indexed if the file contains an
  /// order, and its elements if it contains an `arrayConfig`, for any scope: the indexes on this device serve
  /// collections and collection groups in both directions. An override of all fields (`*`) and time-to-live
  /// policies are omitted.
  ///
  /// - Parameter json: the contents of the file.
  /// - Returns: the overrides, in the order of the file.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the file can't be decoded or an
  ///   override is invalid.
  public static func overrides(inFile json: Data) throws -> [FieldOverride] {
    struct File: Decodable {
      let fieldOverrides: [Override]?
      struct Override: Decodable {
        let collectionGroup: String
        let fieldPath: String
        let indexes: [IndexFile.Override.Index]?
      }
    }
    do {
      let overrides = try JSON.decode(File.self, from: json).fieldOverrides ?? []
      return try overrides.compactMap { override in
        guard override.fieldPath != "*", let indexes = override.indexes else { return nil }
        var found: Indexes = []
        for index in indexes { found.formUnion(index.arrayConfig == nil ? .values : .elements) }
        let result = FieldOverride(
          override.collectionGroup, CompositeIndex.Field.path(override.fieldPath), found)
        try result.check()
        return result
      }
    } catch let error where error is DecodingError || error is JSONError {
      throw StoreError(
        .invalidArgument, "The text isn't an index file such as firestore.indexes.json: \(error).",
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
  /// - Throws: `DecodingError` if it has neither or both of `order` and `arrayConfig`, or a value that isn't
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

  /// Parses a field path. Names that aren't simple identifiers are in backticks, in which a backslash escapes
  /// a backtick or backslash.
  fileprivate static func path(_ text: String) -> FieldPath {
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
  fileprivate static func text(_ path: FieldPath) -> String {
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
