import TenonDocuments
import TenonStoreEngine
import TenonValues

/// The data of a document to be written, or of a map in it, separated into plain values, transforms and
/// deletions. Their conversion has succeeded, so that later steps need not handle its errors.
///
/// Firestore's protocol separates them in the same way: a write consists of plain fields, a mask of the
/// fields to change, and transforms, which are applied last.
struct DocumentData {
  /// The plain values. A map exists even if all of its fields are computed.
  private(set) var fields = Fields()
  /// The transforms; those of one dictionary or value are in ascending order of their fields.
  private(set) var transforms: [FieldTransform] = []
  /// The fields to delete.
  private(set) var deletions: [FieldPath] = []

  /// Creates data without fields, for ``set(_:at:)``.
  init() {}

  /// Creates data of plain values only.
  init(_ fields: Fields) { self.fields = fields }

  /// Creates data of values that may be computed.
  ///
  /// - Parameter data: the fields by name. A name isn't a path: dots in it have no meaning.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` that names the field whose value can't
  ///   be stored.
  init(_ data: [String: any DocumentValue]) throws {
    do { try self.init(data) { value in try FieldValue(value) } } catch { throw error.storeError() }
  }

  /// Creates data of the fields that a value encodes.
  ///
  /// - Throws: ``StoreError``; `EncodingError`.
  init(encoding value: some Encodable) throws {
    let (fields, serverTimestamps) = try StoreError.mapping { try FieldsEncoder().encodeDocument(value) }
    self.fields = fields
    transforms = serverTimestamps.map { FieldTransform($0, .serverTimestamp) }
    sortTransforms()
  }

  /// Creates data of values that `convert` makes field values.
  ///
  /// - Throws: ``DocumentValueError`` below the name of the field for which `convert` throws.
  /// - Complexity: O(n log n) in the number of fields.
  init<Element>(
    _ data: [String: Element], _ convert: (Element) throws -> FieldValue
  ) throws(DocumentValueError) {
    var entries: [Fields.Entry] = []
    entries.reserveCapacity(data.count)
    for (name, value) in data {
      let converted: FieldValue
      do { converted = try convert(value) } catch { throw DocumentValueError(converting: error).below(name) }
      if let plain = separate(converted, at: FieldPath([name])) {
        entries.append(Fields.Entry(name: name, value: plain))
      }
    }
    fields = Fields(unsorted: entries)
    // Dictionaries are unordered.
    sortTransforms()
  }

  private mutating func sortTransforms() {
    if transforms.count > 1 { transforms.sort { $0.field.compare($1.field) < 0 } }
  }

  /// Whether nothing is computed or deleted.
  var isPlain: Bool { transforms.isEmpty && deletions.isEmpty }

  /// The fields that a merge writes: the paths of the values that aren't maps. An empty map counts as a
  /// value: merging it replaces the field.
  var leaves: [FieldPath] {
    let others = transforms.map(\.field) + deletions
    let leaves = fields.entries.flatMap { $0.value.leaves(at: FieldPath([$0.name])) }
    return others.isEmpty ? leaves : leaves.filter { leaf in !others.contains { leaf.isPrefix(of: $0) } }
  }

  /// Adds the parts of a value at a field that wasn't added before.
  mutating func set(_ value: FieldValue, at field: FieldPath) { fields[field] = separate(value, at: field) }

  /// Adds the transforms and deletions of a value.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - field: its field, which isn't evaluated for a plain value.
  /// - Returns: the plain part; `nil` if there is none.
  private mutating func separate(
    _ value: FieldValue, at field: @autoclosure () -> FieldPath
  ) -> TenonValues.Value? {
    switch value.content {
    case .value(let value): return value
    case .map(let inner):
      let names = field().segments
      transforms += inner.transforms.map { FieldTransform(FieldPath(names + $0.field.segments), $0.kind) }
      deletions += inner.deletions.map { FieldPath(names + $0.segments) }
      return .map(inner.fields)
    case .transform(let kind): transforms.append(FieldTransform(field(), kind))
    case .delete: deletions.append(field())
    // This error was thrown when the field value was created from the document value.
    case .invalid: break
    }
    return nil
  }
}

extension Value {
  /// Returns the paths of the values below a field that aren't maps; an empty map counts as a value.
  fileprivate func leaves(at field: FieldPath) -> [FieldPath] {
    guard case .map(let inner) = self, !inner.isEmpty else { return [field] }
    return inner.entries.flatMap { $0.value.leaves(at: FieldPath(field.segments + [$0.name])) }
  }
}
