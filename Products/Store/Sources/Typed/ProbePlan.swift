import TenonDocuments
import TenonStoreEngine
import TenonValues

/// The fields that a model has asked for while samples of it were decoded, and how the next sample differs
/// from the complete one. Used by one task.
final class ProbePlan {
  /// How a sample differs.
  enum Variation {
    /// Every field exists, and has its first value.
    case complete
    /// Every field has its other value.
    case others
    /// One field has its other value.
    case other(FieldPath)
    /// Every field but one has its other value.
    case allOthersBut(FieldPath)
    /// One field doesn't exist.
    case without(FieldPath)
  }

  /// What is known of a field.
  struct Field {
    /// A number that no other field of the model has, from which its values are made.
    let number: Int
    /// Whether a value was requested, not only a map or an array.
    var hasValue = false
    /// Whether its type has too few values for every field to have its own.
    var isNarrow = false
    /// Whether the model accepts its absence.
    var isOptional = false
  }

  /// The maximum number of fields, and the maximum depth. A type with more isn't probed.
  static let limits = (fields: 500, depth: 20)

  private(set) var fields: [FieldPath: Field] = [:]
  /// The field that couldn't be decoded; `nil` if none has failed.
  var failure: FieldPath?
  /// The number of the sample.
  private(set) var sample = 0
  private var variation = Variation.complete

  /// Begins the next sample.
  func begin(_ variation: Variation) {
    self.variation = variation
    sample += 1
  }

  /// Returns what is known of a field, and records more.
  @discardableResult
  func field(_ path: FieldPath, _ change: (inout Field) -> Void = { _ in }) throws -> Field {
    var field = fields[path] ?? Field(number: fields.count + 1)
    change(&field)
    guard fields.count < Self.limits.fields || fields[path] != nil else {
      throw StoreError(.invalidArgument, "The model has more than \(Self.limits.fields) fields.")
    }
    fields[path] = field
    return field
  }

  /// Returns whether a field has its other value in this sample.
  func isOther(_ path: FieldPath) -> Bool {
    switch variation {
    case .complete, .without: false
    case .others: true
    case .other(let other): other == path
    case .allOthersBut(let first): first != path
    }
  }

  /// Returns whether a field that may be absent is absent in this sample.
  func isAbsent(_ path: FieldPath) -> Bool {
    if case .without(let absent) = variation { return absent == path }
    return false
  }

  /// Returns the integer for a field in this sample, which differs from that of other fields and samples: at
  /// most about two million, so that a `Float` represents it; 0 as the other value.
  func number(_ path: FieldPath) throws -> Int {
    let number = try field(path) { $0.hasValue = true }.number
    // At most 500 · 4,000 + 1,502.
    return isOther(path) ? 0 : number * 4_000 + sample
  }

  /// Returns the integer 0 or 1 for a field whose type has few values.
  func bit(_ path: FieldPath) throws -> Int {
    try field(path) {
      $0.hasValue = true
      $0.isNarrow = true
    }
    return isOther(path) ? 1 : 0
  }

  /// Returns the text for a field in this sample: one that common transformations (trimming, changing the
  /// case, normalization, a prefix) change; empty as the other value.
  func text(_ path: FieldPath) throws -> String {
    let number = try number(path)
    return number == 0 ? "" : " Probe e\u{301} \(number) \(String(repeating: "aB", count: 200)) \(number) "
  }
}

/// A value that a sample provides to the model, filled while the model decodes itself.
final class ProbeNode {
  /// A complete value.
  var single: Value?
  /// The members of a map, if a keyed container was requested.
  var members: [(name: String, node: ProbeNode)]?
  /// The elements of an array, if an unkeyed container was requested.
  var elements: [ProbeNode]?

  /// Returns the member with a name, which is created if there is none.
  func member(_ name: String) -> ProbeNode {
    if let known = members?.first(where: { $0.name == name }) { return known.node }
    let node = ProbeNode()
    members = (members ?? []) + [(name, node)]
    return node
  }

  /// Removes a member, which the model didn't read after all.
  func removeMember(_ name: String) { members?.removeAll { $0.name == name } }

  /// The value; `nil` if nothing was read.
  var value: Value? {
    if let single { return single }
    if let elements { return .array(elements.compactMap(\.value)) }
    guard let members else { return nil }
    return .map(
      Fields(
        unsorted: members.compactMap { name, node in node.value.map { Fields.Entry(name: name, value: $0) } })
    )
  }
}
