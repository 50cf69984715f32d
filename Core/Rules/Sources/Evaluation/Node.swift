import TenonValues

/// A part of a compiled expression.
///
/// Names have been resolved: a node knows the place of a variable, the function that a call means, and so on.
/// Compiled expressions are evaluated synchronously; see ``Run`` for documents that must be read.
protocol Node: AnyObject, Sendable {
  /// Returns the value.
  ///
  /// - Parameters:
  ///   - run: the evaluation of one request.
  ///   - base: where the variables of the current function begin on the stack of `run`.
  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue
}

extension Node {
  /// Returns the value, which must be a boolean.
  func boolean(_ run: Run, _ base: Int, for node: Int) throws(EvaluationError) -> Bool {
    let value = try value(run, base)
    guard case .boolean(let boolean) = value else {
      throw EvaluationError(.type(received: value.typeName, expected: "bool"), node: node)
    }
    return boolean
  }
}

/// A literal.
final class ConstantNode: Node {
  private let constant: RulesValue

  init(_ constant: RulesValue) { self.constant = constant }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    return constant
  }
}

/// A wildcard of a `match`.
final class WildcardNode: Node {
  private let index: Int
  private let id: Int

  init(_ index: Int, id: Int) { (self.index, self.id) = (index, id) }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    guard let value = run.wildcards[index] else { throw EvaluationError(.nullValue, node: id) }
    return value
  }
}

/// A parameter or variable of a function.
final class LocalNode: Node {
  private let index: Int

  init(_ index: Int) { self.index = index }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    switch run.stack[base &+ index] {
    case .success(let value): return value
    case .failure(let error): throw error
    }
  }
}

/// A name that nothing declares.
final class UnknownNode: Node {
  private let id: Int

  init(id: Int) { self.id = id }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    throw EvaluationError(.nullValue, node: id)
  }
}

/// `request` or `resource`.
final class InputNode: Node {
  private let isRequest: Bool
  private let id: Int

  init(isRequest: Bool, id: Int) { (self.isRequest, self.id) = (isRequest, id) }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    if isRequest { return .map(run.input.requestMap) }
    return try run.resource(id)
  }
}

/// A member of `request`, which is looked up without creating the map of all members.
final class RequestMemberNode: Node {
  private let name: String
  private let id: Int

  init(_ name: String, id: Int) { (self.name, self.id) = (name, id) }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count(2)
    if name == "time", !run.input.knowsTime { throw EvaluationError(.unknownValue, node: id) }
    guard let value = run.input.requestMember(name) else {
      throw EvaluationError(.undefinedProperty(name), node: id)
    }
    return value
  }
}

/// `request.auth.uid`.
final class UserIDNode: Node {
  private let id: Int

  init(id: Int) { self.id = id }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count(3)
    guard let user = run.input.user else { throw EvaluationError(.nullValue, node: id) }
    return .string(user.uid)
  }
}

/// `request.auth == null` or `request.auth != null`.
final class UserTestNode: Node {
  private let isNegated: Bool

  init(isNegated: Bool) { self.isNegated = isNegated }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count(4)
    return .boolean((run.input.user == nil) != isNegated)
  }
}

/// A claim of the user's token: `request.auth.token.name`.
final class ClaimNode: Node {
  private let name: String
  private let id: Int

  init(_ name: String, id: Int) { (self.name, self.id) = (name, id) }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count(4)
    guard let user = run.input.user else { throw EvaluationError(.nullValue, node: id) }
    let token = user.token
    guard let value = token[name] else {
      throw EvaluationError(token.isPartial ? token.gapReason : .undefinedProperty(name), node: id)
    }
    return value
  }
}

/// `resource.data` or `request.resource.data`.
final class DataNode: Node {
  private let general: any Node
  private let isRequest: Bool

  /// Creates a node.
  ///
  /// - Parameter general: evaluates it if it isn't a document.
  init(_ general: any Node, isRequest: Bool) { (self.general, self.isRequest) = (general, isRequest) }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    guard let data = run.data(ofRequest: isRequest) else { return try general.value(run, base) }
    try run.count(isRequest ? 3 : 2)
    return data
  }
}

/// `object.name`.
final class MemberNode: Node {
  private let object: any Node
  private let name: String
  private let id: Int

  init(_ object: any Node, _ name: String, id: Int) { (self.object, self.name, self.id) = (object, name, id) }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    return try Self.member(name, of: try object.value(run, base), id)
  }

  static func member(_ name: String, of object: RulesValue, _ id: Int) throws(EvaluationError) -> RulesValue {
    switch object {
    case .map(let map):
      if let value = map[name] { return value }
      throw EvaluationError(map.isPartial ? map.gapReason : .undefinedProperty(name), node: id)
    case .path(let path):
      for case .variable(name, .some(let text), _) in path.segments { return .string(text) }
      throw EvaluationError(.undefinedProperty(name), node: id)
    case .null: throw EvaluationError(.nullValue, node: id)
    default: throw EvaluationError(.type(received: object.typeName, expected: "map,path"), node: id)
    }
  }
}

/// `[a, b]`.
final class ListNode: Node {
  private let elements: [any Node]

  init(_ elements: [any Node]) { self.elements = elements }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    var values: [RulesValue] = []
    values.reserveCapacity(elements.count)
    var failure: EvaluationError?
    for element in elements {
      do throws(EvaluationError) {
        let value = try element.value(run, base)
        if let reason = value.gapReason { throw EvaluationError(reason) }
        if case .map(let map) = value, map.lacksKnowledge { throw EvaluationError(.unknownValue) }
        try run.chargeElement(value)
        values.append(value)
      } catch {
        // The other elements are evaluated too, so that their documents are read at the same time.
        if failure.map({ !$0.isPending && error.isPending }) ?? true { failure = error }
        if !error.isPending { break }
      }
    }
    if let failure { throw failure }
    return .list(values)
  }
}

/// `{a: b}`.
final class MapNode: Node {
  private let entries: [(key: any Node, value: any Node, keyID: Int)]

  init(_ entries: [(key: any Node, value: any Node, keyID: Int)]) { self.entries = entries }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    var result: [RulesMap.Entry] = []
    result.reserveCapacity(entries.count)
    for (key, value, keyID) in entries {
      let name = try key.value(run, base)
      guard case .string(let name) = name else {
        throw EvaluationError(.type(received: name.typeName, expected: "string"), node: keyID)
      }
      let value = try value.value(run, base)
      if let reason = value.gapReason { throw EvaluationError(reason, node: keyID) }
      try value.checkIsKnown(keyID)
      try run.chargeElement(value)
      result.append(RulesMap.Entry(name, value))
    }
    return .map(RulesMap(result))
  }
}

/// `/a/$(b)`.
final class PathNode: Node {
  /// A segment.
  enum Part: Sendable {
    case fixed(RulesPath.Segment)
    case computed(any Node, id: Int)
  }

  private let parts: [Part]

  init(_ parts: [Part]) { self.parts = parts }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    var segments: [RulesPath.Segment] = []
    segments.reserveCapacity(parts.count)
    for part in parts {
      switch part {
      case .fixed(let segment):
        try run.count()
        segments.append(segment)
      case .computed(let node, let id):
        let value = try node.value(run, base)
        if case .path(let path) = value {
          segments += path.segments
        } else {
          segments.append(.text(try Conversions.text(value, id)))
        }
      }
    }
    let path = RulesValue.path(RulesPath(segments: segments))
    try run.charge(path)
    return path
  }
}
