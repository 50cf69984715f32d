import TenonDocuments
import TenonFoundation
import TenonStoreEngine
public import TenonValues

/// A model that states the fields that its key paths name, for queries such as
/// `whereField(\.title, isEqualTo: "Tea")` of a ``TypedCollection``.
///
/// Most models need not adopt it: Swift can't derive the field from a key path, so the database decodes
/// samples of the model from made-up fields, and finds the field whose value the property always has. That
/// covers stored properties, also of nested types (`\.author.name`), with the names that the model's
/// `CodingKeys` give them, and the property wrappers of this library. A property that computes something from
/// the fields has none.
///
/// Samples of a model can't be decoded if it has a required property of a type that not every value of its
/// kind can be decoded to, such as an enumeration that isn't `CaseIterable`, or a URL checked by a custom
/// `init(from:)`. Adopt `CaseIterable` there, or this protocol:
///
/// ```swift
/// extension Note: FieldNaming {
///   static var fieldNames: [PartialKeyPath<Note>: any FieldPathConvertible] {
///     [\.title: "title", \.author.name: "author.name"]
///   }
/// }
/// ```
public protocol FieldNaming {
  /// The fields by key path. Key paths that it doesn't contain are determined from samples.
  static var fieldNames: [PartialKeyPath<Self>: any FieldPathConvertible] { get }
}

/// The fields that the key paths of a model name.
///
/// A field belongs to a key path if the property has the field's value in every sample of the model. The
/// samples differ in one field each: in one it has another value, in one it doesn't exist (if it is
/// optional), and in one of two values it is the only field with the first. So a property that depends on
/// other fields, or that changes the value, has no field.
struct FieldNames<Model: Codable & Sendable>: Sendable {
  /// A decoded model, and the fields from which it was decoded.
  struct Sample: Sendable {
    let model: Model
    let fields: Fields
    let document: DocumentReference
  }

  /// The samples, of which the first has all fields; or the error with which it couldn't be decoded.
  private let samples: Result<[Sample], StoreError>

  /// Decodes the samples.
  init() { samples = Result { () throws(StoreError) in try Self.makeSamples() } }

  /// Returns the field that a key path names.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if there is none, or more than one.
  static func field(of keyPath: PartialKeyPath<Model>) throws(StoreError) -> FieldPath {
    if let type = Model.self as? any FieldNaming.Type, let field = named(keyPath, by: type) { return field }
    return try FieldNameCache.names(of: Model.self).field(of: keyPath)
  }

  /// Returns the field that the model's own names have for a key path; `nil` if they have none.
  private static func named<Naming: FieldNaming>(_ keyPath: AnyKeyPath, by type: Naming.Type) -> FieldPath? {
    (keyPath as? PartialKeyPath<Naming>).flatMap { type.fieldNames[$0]?.fieldPath }
  }

  private func field(of keyPath: PartialKeyPath<Model>) throws(StoreError) -> FieldPath {
    let samples = try samples.get()
    var candidates: [FieldPath]?
    for sample in samples {
      guard let value = Self.value(of: sample.model[keyPath: keyPath]) else { break }
      if let known = candidates {
        candidates = known.filter { sample.has(value, in: $0) }
      } else {
        candidates = (sample.paths() + [.documentName]).filter { sample.has(value, in: $0) }
      }
      if candidates?.isEmpty == true { break }
    }
    guard let candidates, candidates.count == 1, let field = candidates.first else {
      let names = (candidates ?? []).map { "\"\($0.text)\"" }.joined(separator: ", ")
      let reason = names.isEmpty ? "it isn't the value of a field" : "it may be one of \(names)"
      throw StoreError(
        .invalidArgument,
        "The key path \(keyPath) names no field: \(reason). Use a stored property, name the field by text, or adopt FieldNaming in \(Model.self)."
      )
    }
    return field
  }

  /// Returns a property's value as it is stored; null for `nil`, and `nil` if it can't be encoded.
  private static func value(of property: Any) -> Value? {
    guard let encodable = property as? any Encodable else { return nil }
    return try? storedValue(encodable)
  }

  /// Decodes the samples.
  ///
  /// - Throws: ``StoreError`` if the sample with all fields can't be decoded. Others that can't be decoded
  ///   are omitted: the model never has their values.
  private static func makeSamples() throws(StoreError) -> [Sample] {
    let plan = ProbePlan()
    let first: Sample
    do { first = try sample(plan, .complete) } catch {
      let place = plan.failure.map { "its property \"\($0.text)\"" } ?? "it"
      throw StoreError(
        .invalidArgument,
        "The fields of \(Model.self) can't be determined from its key paths, because \(place) can't be decoded from a sample value. Name the fields by text, adopt FieldNaming in \(Model.self), or CaseIterable in an enumeration.",
        underlying: error)
    }
    var variations: [ProbePlan.Variation] = [.others]
    for (path, kind) in plan.fields.sorted(by: { $0.key.compare($1.key) < 0 }) {
      if kind.hasValue { variations.append(.other(path)) }
      if kind.isNarrow { variations.append(.allOthersBut(path)) }
      if kind.isOptional { variations.append(.without(path)) }
    }
    return [first] + variations.compactMap { try? sample(plan, $0) }
  }

  private static func sample(_ plan: ProbePlan, _ variation: ProbePlan.Variation) throws -> Sample {
    plan.begin(variation)
    let document = Store.detached.document("samples/sample \(plan.sample)")
    let node = ProbeNode()
    let model = try ProbeDecoder(plan: plan, node: node, document: document).decode(Model.self)
    guard case .map(let fields)? = node.value else {
      throw StoreError(.invalidArgument, "A document consists of fields, which \(Model.self) doesn't have.")
    }
    return Sample(model: model, fields: fields, document: document)
  }
}

extension FieldNames.Sample {
  /// Returns the paths of all fields, also those in maps.
  func paths() -> [FieldPath] { Self.paths(in: fields, below: []) }

  private static func paths(in fields: Fields, below names: [String]) -> [FieldPath] {
    fields.entries.flatMap { entry -> [FieldPath] in
      let path = names + [entry.name]
      guard case .map(let inner) = entry.value else { return [FieldPath(path)] }
      return [FieldPath(path)] + paths(in: inner, below: path)
    }
  }

  /// Returns whether a field has a value; null also stands for a field that doesn't exist.
  func has(_ value: Value, in field: FieldPath) -> Bool {
    guard field == .documentName else { return fields[field] ?? .null == value }
    return value == .string(document.documentID) || value == .reference(document.resourcePath)
  }
}

/// The names of all models, which are determined once per type.
private enum FieldNameCache {
  private static let names = Lock<[ObjectIdentifier: any Sendable]>([:])

  static func names<Model: Codable & Sendable>(of type: Model.Type) -> FieldNames<Model> {
    let key = ObjectIdentifier(type)
    if let known = names.withLock({ $0[key] }) as? FieldNames<Model> { return known }
    // Decoded outside the lock, because it calls the model.
    let made = FieldNames<Model>()
    names.withLock { $0[key] = made }
    return made
  }
}

/// Returns the value that a property with a value has in its document; null for `nil`.
///
/// - Throws: as `FieldsEncoder/encode(_:)`.
func storedValue(_ value: some Encodable) throws -> Value {
  try FieldsEncoder().encode(EncodedProperty(value: value))["value"] ?? .null
}

/// A map with one member, because only maps are encoded as fields.
private struct EncodedProperty<Property: Encodable>: Encodable { let value: Property }
