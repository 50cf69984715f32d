import TenonDocuments
package import TenonFoundation
package import TenonValues

/// Encodes and decodes the batches of the queue. They are encoded like the fields of a document
/// (`DocumentCoding`), so that a write can contain every value that a document can.
///
/// The content of a batch is a map with the keys `reads` and `writes`. `reads` is an array with a map for
/// each document that a transaction has only read, with the keys `document` and `exists` or `updated` as
/// below; neither while the condition awaits a version. Missing if there are none. `writes` is an array with
/// a map for each write:
/// - `document`: the reference to the document.
/// - `set`: the fields that replace the document; or `update`: the fields to set, with `mask`: the array of
///   the field paths to change, of which those without a value in `update` are deleted; or `delete`: true.
/// - `exists`: the boolean of the precondition, or `updated`: its timestamp; neither if there is no
///   precondition.
/// - `transforms`: an array of maps with the keys `field`, `kind` and `operand`. The kinds are `time` (with a
///   null operand), `increment`, `minimum`, `maximum`, `union` and `remove` (with an array). Missing if there
///   are none.
/// - `bases`: an array of maps with the keys `field` and `value`, the base values of increments; without
///   `value` if it isn't known. Missing if there are none.
/// - `seen`: the fields of the document when a conditional write was made, or null if it didn't exist;
///   missing for other writes.
/// - `awaitsVersion`: true if the write awaits the version of its document; missing otherwise.
///
/// Pending server timestamps of a document are a map with the key `fields`, an array of maps with the keys
/// `field` and, unless the field didn't exist, `previous`. A field path is an array of its names.
///
/// The format is stored in files and recovered from damaged ones. Unknown keys are ignored, so keys can be
/// added, but not be given another meaning.
package enum WriteCoding {
  /// The encoding of the content of a batch.
  struct EncodedBatch {
    /// The encoding. The queue appends the texts of the row, so that SQLite reads all of it from one buffer.
    var bytes: [UInt8] = []
    /// Where the encoded fields of the writes are that are replacements (``BatchContent/isReplacement(at:)``),
    /// by the positions of the writes; `nil` for other writes.
    fileprivate(set) var replacements: [Range<Int>?] = []
  }

  /// Returns the encoding of the content of a batch; decoding it gives the same content.
  ///
  /// - Complexity: O(n) in the size of the writes.
  static func encode(_ content: BatchContent) -> Data { Data(encoded(content).bytes) }

  /// Returns the encoding of the content of a batch, with the places of what is also stored elsewhere.
  ///
  /// - Complexity: O(n) in the size of the writes.
  static func encoded(_ content: BatchContent) -> EncodedBatch {
    var batch = EncodedBatch()
    batch.bytes.reserveCapacity(512)
    batch.replacements.reserveCapacity(content.writes.count)
    DocumentCoding.append(countOfFields: content.reads.isEmpty ? 1 : 2, to: &batch.bytes)
    // In the order of the names.
    if !content.reads.isEmpty {
      DocumentCoding.append(name: "reads", to: &batch.bytes)
      DocumentCoding.append(.array(content.reads.map(value)), to: &batch.bytes)
    }
    DocumentCoding.append(name: "writes", to: &batch.bytes)
    DocumentCoding.append(countOfArray: content.writes.count, to: &batch.bytes)
    for (index, write) in content.writes.enumerated() {
      guard case .set(let fields) = write.operation, content.isReplacement(at: index) else {
        DocumentCoding.append(.map(Self.fields(write, content[note: index])), to: &batch.bytes)
        batch.replacements.append(nil)
        continue
      }
      // What `fields(_:_:)` returns for it, without building it.
      DocumentCoding.append(countOfMap: 2, to: &batch.bytes)
      DocumentCoding.append(name: "document", to: &batch.bytes)
      DocumentCoding.append(.reference(write.document), to: &batch.bytes)
      DocumentCoding.append(name: "set", to: &batch.bytes)
      batch.replacements.append(DocumentCoding.append(map: fields, to: &batch.bytes))
    }
    return batch
  }

  /// Decodes the content of a batch.
  ///
  /// - Parameter bytes: the complete encoding.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if the bytes can't be decoded, or a
  ///   write lacks a part that can't be omitted.
  package static func decode(_ bytes: Data) throws(DocumentError) -> BatchContent {
    let fields = try DocumentCoding.decode(bytes)
    guard case .array(let writes) = fields["writes"] else { throw damaged }
    let decoded = try writes.map { value throws(DocumentError) in try map(value) }
    var content = BatchContent(
      try decoded.map { fields throws(DocumentError) in try write(fields) },
      reads: try (fields["reads"]?.arrayValue ?? []).map { value throws(DocumentError) in
        try read(map(value))
      })
    for (index, fields) in decoded.enumerated() { content[note: index] = try note(fields) }
    return content
  }

  /// The error for a write that is encoded correctly, but lacks a part.
  private static let damaged = DocumentError(.damaged, "A pending write can't be read.")

  /// Returns the fields of a map; throws if the value isn't a map.
  private static func map(_ value: Value?) throws(DocumentError) -> Fields {
    guard case .map(let fields) = value else { throw damaged }
    return fields
  }

  // MARK: - Writes

  /// Returns the encoding of a write and of what is remembered of it.
  private static func fields(_ write: DocumentWrite, _ note: WriteNote) -> Fields {
    var fields: Fields = ["document": .reference(write.document)]
    switch write.operation {
    case .set(let content): fields["set"] = .map(content)
    case .update(let content, let mask):
      fields["update"] = .map(content)
      fields["mask"] = .array(mask.map(value))
    case .delete: fields["delete"] = true
    }
    encode(write.precondition, in: &fields)
    if !write.transforms.isEmpty { fields["transforms"] = .array(write.transforms.map(value)) }
    if !note.bases.isEmpty {
      fields["bases"] = .array(
        note.bases.map { base in
          var fields: Fields = ["field": value(base.field)]
          fields["value"] = base.value
          return .map(fields)
        })
    }
    if note.awaitsVersion { fields["awaitsVersion"] = true }
    if let seen = note.seen { fields["seen"] = seen.fields.map(Value.map) ?? .null }
    return fields
  }

  /// Decodes a write.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if the document or the operation is
  ///   missing, or a transform or a path is invalid.
  private static func write(_ fields: Fields) throws(DocumentError) -> DocumentWrite {
    guard case .reference(let document) = fields["document"] else { throw damaged }
    let operation: DocumentWrite.Operation
    if case .map(let content) = fields["set"] {
      operation = .set(content)
    } else if case .map(let content) = fields["update"] {
      let mask = try (fields["mask"]?.arrayValue ?? []).map { part throws(DocumentError) in try path(part) }
      operation = .update(content, mask: mask)
    } else if fields["delete"] != nil {
      operation = .delete
    } else {
      throw damaged
    }
    let transforms = try (fields["transforms"]?.arrayValue ?? []).map { value throws(DocumentError) in
      try transform(map(value))
    }
    return DocumentWrite(document, operation, transforms: transforms, precondition: precondition(fields))
  }

  /// Decodes what is remembered of a write.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if a base value is invalid.
  private static func note(_ fields: Fields) throws(DocumentError) -> WriteNote {
    let bases = try (fields["bases"]?.arrayValue ?? []).map { value throws(DocumentError) in
      let fields = try map(value)
      return WriteNote.FieldBase(field: try path(fields["field"]), value: fields["value"])
    }
    return WriteNote(
      bases: bases, awaitsVersion: fields["awaitsVersion"] == true, seen: seen(fields["seen"]))
  }

  /// Decodes what users saw of the document.
  private static func seen(_ value: Value?) -> WriteNote.SeenDocument? {
    switch value {
    case .map(let fields): .found(fields)
    case .null: .missing
    default: nil
    }
  }

  // MARK: - Conditions

  /// Returns the encoding of a condition.
  private static func value(_ read: ReadCondition) -> Value {
    var fields: Fields = ["document": .reference(read.document)]
    encode(read.precondition, in: &fields)
    return .map(fields)
  }

  /// Decodes a condition, the inverse of `value(_:)`.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if the document is missing.
  private static func read(_ fields: Fields) throws(DocumentError) -> ReadCondition {
    guard case .reference(let document) = fields["document"] else { throw damaged }
    return ReadCondition(document: document, precondition: precondition(fields))
  }

  /// Adds a precondition to the map of its write or document.
  private static func encode(_ precondition: WritePrecondition?, in fields: inout Fields) {
    switch precondition {
    case .exists(let exists): fields["exists"] = .boolean(exists)
    case .updated(let time): fields["updated"] = .timestamp(time)
    case nil: break
    }
  }

  /// Returns the precondition in the map of a write or a document; `nil` if there is none.
  private static func precondition(_ fields: Fields) -> WritePrecondition? {
    if case .timestamp(let time) = fields["updated"] { return .updated(time) }
    if case .boolean(let exists) = fields["exists"] { return .exists(exists) }
    return nil
  }

  // MARK: - Transforms

  /// Returns the encoding of a transform.
  private static func value(_ transform: FieldTransform) -> Value {
    let (kind, operand): (String, Value) =
      switch transform.kind {
      case .serverTimestamp: ("time", .null)
      case .increment(let operand): ("increment", operand)
      case .minimum(let operand): ("minimum", operand)
      case .maximum(let operand): ("maximum", operand)
      case .union(let elements): ("union", .array(elements))
      case .remove(let elements): ("remove", .array(elements))
      }
    return ["field": value(transform.field), "kind": .string(kind), "operand": operand]
  }

  /// Decodes a transform, the inverse of `value(_:)`.
  private static func transform(_ fields: Fields) throws(DocumentError) -> FieldTransform {
    guard let operand = fields["operand"] else { throw damaged }
    let kind: FieldTransform.Kind =
      switch fields["kind"]?.stringValue {
      case "time": .serverTimestamp
      case "increment": .increment(operand)
      case "minimum": .minimum(operand)
      case "maximum": .maximum(operand)
      case "union": .union(operand.arrayValue ?? [])
      case "remove": .remove(operand.arrayValue ?? [])
      default: throw damaged
      }
    return FieldTransform(try path(fields["field"]), kind)
  }

  // MARK: - Fields

  /// Returns the encoding of a field path: an array of its segments.
  private static func value(_ field: FieldPath) -> Value { .array(field.segments.map(Value.string)) }

  /// Decodes a field path.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if the value isn't an array.
  private static func path(_ value: Value?) throws(DocumentError) -> FieldPath {
    guard case .array(let segments) = value else { throw damaged }
    return FieldPath(segments.compactMap(\.stringValue))
  }

  /// Encodes pending server timestamps with the previous values of their fields; `nil` if there are none.
  static func encode(_ timestamps: [PendingTimestamp]) -> Data? {
    guard !timestamps.isEmpty else { return nil }
    return DocumentCoding.encode([
      "fields": .array(
        timestamps.map { pending in
          var fields: Fields = ["field": value(pending.field)]
          fields["previous"] = pending.previous
          return .map(fields)
        })
    ])
  }

  /// Decodes pending server timestamps.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if the bytes can't be decoded.
  static func timestamps(_ bytes: Data) throws(DocumentError) -> [PendingTimestamp] {
    try (try DocumentCoding.decode(bytes)["fields"]?.arrayValue ?? []).map { value throws(DocumentError) in
      let fields = try map(value)
      return PendingTimestamp(field: try path(fields["field"]), previous: fields["previous"])
    }
  }
}
