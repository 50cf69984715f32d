/// The evaluation of one request, which one thread uses.
///
/// Nothing waits for a document. An expression that needs one fails with `pending` and adds it to
/// ``missing``; the caller reads all missing documents and evaluates again. A rule that reads no document is
/// decided in one pass.
final class Run {
  typealias Slot = Result<RulesValue, EvaluationError>

  let input: EvaluationInput
  /// The values of the wildcards of the current `match`; `nil` for the ID of a list's documents.
  var wildcards: [RulesValue?]
  /// The parameters and variables of all functions that are being called.
  var stack: [Slot] = []
  /// What is known of documents.
  var documents: KnownDocuments
  /// The documents that must be read before the request can be decided.
  var missing: [DocumentLookup] = []
  let recorder: CoverageRecorder?
  private var budget = EvaluationLimits.expressions
  private var size = EvaluationLimits.size

  init(_ input: EvaluationInput, wildcards: Int, documents: KnownDocuments, recorder: CoverageRecorder?) {
    self.input = input
    // Checked: the number of wildcards of a file.
    self.wildcards = Array(repeating: nil, count: wildcards)
    self.documents = documents
    self.recorder = recorder
  }

  /// Counts an evaluated expression.
  @inline(__always) func count(_ count: Int = 1) throws(EvaluationError) {
    budget &-= count
    if budget < 0 { throw EvaluationError(.expressionLimit) }
  }

  /// Counts the elements and the text of a value that was created, but not what is inside of its elements.
  ///
  /// - Throws: `sizeLimit` if all values of the request are too large: a text that is appended to itself
  ///   thirty times would need gigabytes.
  @inline(__always) func charge(_ value: RulesValue) throws(EvaluationError) {
    switch value {
    case .string(let text): size &-= text.utf8.count / 4
    case .bytes(let bytes): size &-= bytes.count / 4
    case .list(let elements): size &-= elements.count
    case .set(let set): size &-= set.elements.count
    case .path(let path): size &-= path.segments.count
    default: return
    }
    if size < 0 { throw EvaluationError(.sizeLimit) }
  }

  /// Counts all that is inside of an element of a list or map that is being created, since comparing the
  /// list visits it.
  func chargeElement(_ value: RulesValue) throws(EvaluationError) {
    size &-= Self.weight(value, most: size)
    if size < 0 { throw EvaluationError(.sizeLimit) }
  }

  /// The number of values inside of a value and itself, or something more than `most`.
  private static func weight(_ value: RulesValue, most: Int) -> Int {
    switch value {
    case .list, .set:
      let elements =
        switch value {
        case .list(let elements): elements
        case .set(let set): set.elements
        default: [] as [RulesValue]
        }
      var weight = 1
      for element in elements {
        weight &+= Self.weight(element, most: most &- weight)
        if weight > most { break }
      }
      return weight
    case .map(let map): return map.weight(most: most, Self.weight)
    default: return 1
    }
  }

  /// Returns the value of a node, or why it has none.
  func result(_ node: any Node, _ base: Int) -> Slot {
    do throws(EvaluationError) { return .success(try node.value(self, base)) } catch {
      return .failure(error)
    }
  }

  /// Returns the values of two operands, both of which are evaluated even if a document is missing.
  @inline(__always) func pair(
    _ left: any Node, _ right: any Node, _ base: Int
  ) throws(EvaluationError) -> (RulesValue, RulesValue) {
    let first: RulesValue
    do throws(EvaluationError) { first = try left.value(self, base) } catch {
      // So that the documents of both are read at the same time.
      if error.isPending { _ = try right.value(self, base) }
      throw error
    }
    return (first, try right.value(self, base))
  }

  /// Returns the values of arguments.
  func values(_ nodes: [any Node], _ base: Int) throws(EvaluationError) -> [RulesValue] {
    var values: [RulesValue] = []
    values.reserveCapacity(nodes.count)
    for node in nodes { values.append(try node.value(self, base)) }
    return values
  }

  /// Returns `resource`.
  func resource(_ id: Int) throws(EvaluationError) -> RulesValue {
    guard let value = input.value(input.resource) else {
      throw EvaluationError(.unknownDocument(input.path), node: id)
    }
    return value
  }

  /// Returns `resource.data` or `request.resource.data` without creating the document around it, or `nil` if
  /// it must be created.
  @inline(__always) func data(ofRequest isRequest: Bool) -> RulesValue? {
    switch isRequest ? input.requestResource : input.resource {
    case .document(let fields): .map(RulesMap(fields, database: input.database))
    default: nil
    }
  }

  /// Returns a document that rules read.
  ///
  /// - Throws: `pending` if it must be read first.
  func document(_ path: RulesPath, isAfter: Bool, _ id: Int) throws(EvaluationError) -> DocumentState {
    guard let lookup = DocumentLookup(path, isAfter: isAfter, in: input) else {
      throw EvaluationError(.missingDocument(path), node: id)
    }
    if let state = documents.state(lookup) {
      if case .unknown = state { throw EvaluationError(.unknownDocument(path), node: id) }
      return state
    }
    if !missing.contains(lookup) {
      guard documents.canRead(lookup, after: missing, atMost: input.readLimit) else {
        throw EvaluationError(documents.areCertain ? .readLimit(path) : .unknownDocument(path), node: id)
      }
      missing.append(lookup)
    }
    throw EvaluationError(.pending, node: id)
  }
}
