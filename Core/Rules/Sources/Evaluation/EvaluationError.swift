/// Why an expression has no value.
package struct EvaluationError: Error, Sendable {
  /// The reason.
  package let reason: Reason
  /// The number of the expression in its program, or `nil` if it isn't known.
  package var node: Int?

  init(_ reason: Reason, node: Int? = nil) {
    self.reason = reason
    self.node = node
  }

  /// Reasons. Those that are frequent carry no text, which is written only when it is needed.
  package enum Reason: Sendable {
    /// A document must be read first.
    case pending
    /// A document can't be read here, so the value isn't known.
    case unknownDocument(RulesPath)
    /// This device doesn't know the value.
    case unknownValue
    /// The limit of evaluated expressions is reached.
    case expressionLimit
    /// The values that the rules have created are too large.
    case sizeLimit
    /// A document would exceed the limit of reads.
    case readLimit(RulesPath)
    /// A variable has no value.
    case nullValue
    /// A map has no such key.
    case undefinedProperty(String)
    /// An operator or function doesn't accept such values.
    case unsupported(received: String, expected: String)
    /// A value has the wrong type.
    case type(received: String, expected: String)
    /// There is no such function.
    case unknownFunction(String)
    /// A document that is read doesn't exist.
    case missingDocument(RulesPath)
    /// It depends on documents that a query may find, and the query doesn't prove it.
    case unprovable
    /// The integer result of an operation doesn't exist.
    case integerRange
    /// Anything else.
    case other(String)
  }

  /// The reason as a sentence.
  package var message: String {
    switch reason {
    case .pending: "A document must be read first."
    case .unknownDocument(let path): "The document \(path.text) isn't known here."
    case .unknownValue: "The value isn't known here."
    case .expressionLimit:
      "Unable to evaluate the expression as the maximum of \(EvaluationLimits.expressions) expressions to evaluate has been reached."
    case .sizeLimit: "The lists, maps and texts that the rules create are too large."
    case .readLimit(let path): "Reading \(path.text) would exceed the limit of documents that rules may read."
    case .nullValue: "Null value error."
    case .undefinedProperty(let name): "Property \(name) is undefined on object."
    case .unsupported(let received, let expected):
      "Unsupported operation error. Received: \(received). Expected: \(expected)."
    case .type(let received, let expected): "Type error. Received: [\(received)] Expected: [\(expected)]."
    case .unknownFunction(let name): "Function not found error: Name: [\(name)]."
    case .missingDocument(let path): "The document \(path.text) doesn't exist."
    case .unprovable: "The query doesn't prove it for every document that it may find."
    case .integerRange:
      "Integer value is out of the [-9223372036854775808, 9223372036854775807] range."
    case .other(let text): text
    }
  }

  var isPending: Bool { if case .pending = reason { true } else { false } }

  /// Whether the value depends on a document or a claim that isn't known here.
  package var isUnknown: Bool {
    switch reason {
    case .unknownDocument, .unknownValue, .pending: true
    default: false
    }
  }
}

/// The limits of one evaluation, which are Google's.
package enum EvaluationLimits {
  /// Expressions per request.
  package static let expressions = 1000
  /// The size of the lists, maps and texts that a request creates: elements, and text in units of 4 bytes.
  /// Google's limit isn't documented.
  package static let size = 1_000_000
  /// Documents that the rules may read for one document or query.
  package static let reads = 10
  /// Documents that the rules may read for a request with several operations: for a batch, a transaction, or
  /// several documents.
  package static let requestReads = 20
  /// Documents of Firestore that the rules may read for an object of Cloud Storage.
  package static let objectReads = 2
  /// Nested calls of functions.
  package static let calls = 20
  /// Parameters of a function.
  package static let parameters = 7
}
