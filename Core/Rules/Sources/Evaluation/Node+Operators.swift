import TenonValues

/// `!a`.
final class NotNode: Node {
  private let operand: any Node
  private let id: Int

  init(_ operand: any Node, id: Int) { (self.operand, self.id) = (operand, id) }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    let value = try operand.value(run, base)
    switch value {
    case .boolean(let boolean): return .boolean(!boolean)
    default: throw EvaluationError(.unsupported(received: "!\(value.typeName)", expected: "!bool"), node: id)
    }
  }
}

/// `-a`.
final class NegationNode: Node {
  private let operand: any Node
  private let id: Int

  init(_ operand: any Node, id: Int) { (self.operand, self.id) = (operand, id) }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    let value = try operand.value(run, base)
    switch value {
    case .integer(let number):
      let (result, overflow) = Int64(0).subtractingReportingOverflow(number)
      if overflow { throw EvaluationError(.integerRange, node: id) }
      return .integer(result)
    case .float(let number): return .float(-number)
    case .duration(let duration):
      // Checked: nanoseconds have 32 bits.
      guard let result = RulesDuration(seconds: -duration.seconds, nanoseconds: Int64(-duration.nanoseconds))
      else {
        throw EvaluationError(.other(Conversions.durationRange), node: id)
      }
      return .duration(result)
    default:
      throw EvaluationError(
        .unsupported(received: "-\(value.typeName)", expected: "-int, -float, -duration"), node: id)
    }
  }
}

/// `a && b` or `a || b`, of which either side decides, even if the other one has no value.
final class LogicalNode: Node {
  private let left: any Node
  private let right: any Node
  /// What decides: `false` for `&&`, `true` for `||`.
  private let decisive: Bool
  private let id: Int

  init(_ left: any Node, _ right: any Node, decisive: Bool, id: Int) {
    (self.left, self.right, self.decisive, self.id) = (left, right, decisive, id)
  }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    var failure: EvaluationError?
    do throws(EvaluationError) {
      if try left.boolean(run, base, for: id) == decisive { return .boolean(decisive) }
    } catch {
      failure = error
    }
    do throws(EvaluationError) {
      try run.count()
      let result = try right.boolean(run, base, for: id)
      if result == decisive { return .boolean(decisive) }
    } catch {
      // A document that must be read may decide what the failure on the other side doesn't.
      if error.isUnknown || failure == nil { failure = failure.map { $0.isUnknown ? $0 : error } ?? error }
    }
    if let failure { throw failure }
    return .boolean(!decisive)
  }
}

/// `condition ? first : second`.
final class ConditionalNode: Node {
  private let condition: any Node
  private let first: any Node
  private let second: any Node
  private let id: Int

  init(_ condition: any Node, _ first: any Node, _ second: any Node, id: Int) {
    (self.condition, self.first, self.second, self.id) = (condition, first, second, id)
  }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    let isFirst = try condition.boolean(run, base, for: id)
    try run.count()
    return try isFirst ? first.value(run, base) : second.value(run, base)
  }
}

/// `a == b` or `a != b`.
final class EqualityNode: Node {
  private let left: any Node
  private let right: any Node
  private let isNegated: Bool
  private let id: Int

  init(_ left: any Node, _ right: any Node, isNegated: Bool, id: Int) {
    (self.left, self.right, self.isNegated, self.id) = (left, right, isNegated, id)
  }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    let (left, right) = try run.pair(left, right, base)
    switch (left, right) {
    case (_, .constraint): throw EvaluationError(.unprovable, node: id)
    case (.constraint(let constraint), _):
      return .boolean(try constraint.compare(isNegated ? .notEqual : .equal, right, id))
    case (.map(let map), .map(let other)) where map.isPartial || other.isPartial:
      throw EvaluationError(map.isPartial ? map.gapReason : other.gapReason, node: id)
    case (.map(let map), .map(let other)) where map.lacksKnowledge || other.lacksKnowledge:
      throw EvaluationError(.unknownValue, node: id)
    default: return .boolean(left.isEqual(to: right) != isNegated)
    }
  }
}

/// `a < b` and its like.
final class OrderNode: Node {
  private let left: any Node
  private let right: any Node
  private let operation: BinaryOperator
  private let id: Int

  init(_ left: any Node, _ right: any Node, _ operation: BinaryOperator, id: Int) {
    (self.left, self.right, self.operation, self.id) = (left, right, operation, id)
  }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    let (left, right) = try run.pair(left, right, base)
    switch (left, right) {
    case (.constraint(let constraint), _): return .boolean(try constraint.compare(operation, right, id))
    case (_, .constraint(let constraint)):
      return .boolean(try constraint.compare(operation.mirrored, left, id))
    default: break
    }
    guard let isTrue = Comparisons.holds(operation, left, right) else {
      let sign = operation.rawValue
      throw EvaluationError(
        .unsupported(
          received: "\(left.typeName) \(sign) \(right.typeName)",
          expected: ["string", "bytes", "int", "float", "duration", "timestamp"].map { "\($0) \(sign) \($0)" }
            .joined(separator: ", ")),
        node: id)
    }
    return .boolean(isTrue)
  }
}

/// `a in b`.
final class MembershipNode: Node {
  private let element: any Node
  private let container: any Node
  private let id: Int

  init(_ element: any Node, _ container: any Node, id: Int) {
    (self.element, self.container, self.id) = (element, container, id)
  }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    // The container is evaluated first, as by Google.
    let (container, element) = try run.pair(container, element, base)
    try element.checkIsKnown(id)
    switch (container, element) {
    case (.constraint(let constraint), _): return .boolean(try constraint.contains(element, id))
    case (_, .constraint): throw EvaluationError(.unprovable, node: id)
    case (.list(let elements), _): return .boolean(elements.contains { $0.isStrictlyEqual(to: element) })
    case (.set(let set), _): return .boolean(set.contains(element))
    case (.map(let map), .string(let name)):
      if map[name] != nil { return .boolean(true) }
      if map.isPartial { throw EvaluationError(map.gapReason, node: id) }
      return .boolean(false)
    case (.map, _):
      throw EvaluationError(
        .unsupported(received: "map.in(\(element.typeName))", expected: "map.in(string)"), node: id)
    case (.null, _): throw EvaluationError(.nullValue, node: id)
    default: throw EvaluationError(.unknownFunction("in"), node: id)
    }
  }
}

/// `a is type`.
final class TypeTestNode: Node {
  private let operand: any Node
  private let type: String

  init(_ operand: any Node, type: String) { (self.operand, self.type) = (operand, type) }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count(2)
    let value = try operand.value(run, base)
    let name = value.typeName
    if case .constraint = value, type != name { throw EvaluationError(.unprovable) }
    // `is set` is false for every value, as in Google's evaluator.
    return .boolean(type == "number" ? name == "int" || name == "float" : name == type && type != "set")
  }
}

/// `a[b]`.
final class IndexNode: Node {
  private let object: any Node
  private let key: any Node
  private let id: Int

  init(_ object: any Node, _ key: any Node, id: Int) { (self.object, self.key, self.id) = (object, key, id) }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    let (object, key) = try run.pair(object, key, base)
    return try Elements.element(key, of: object, id)
  }
}

/// `a[b:c]`.
final class SliceNode: Node {
  private let object: any Node
  private let from: (any Node)?
  private let to: (any Node)?
  private let id: Int

  init(_ object: any Node, from: (any Node)?, to: (any Node)?, id: Int) {
    (self.object, self.from, self.to, self.id) = (object, from, to, id)
  }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    let object = try object.value(run, base)
    let from = try from?.value(run, base)
    let to = try to?.value(run, base)
    return try Elements.slice(object, from, to, id)
  }
}

/// `a + b` and its like.
final class ArithmeticNode: Node {
  private let left: any Node
  private let right: any Node
  private let operation: BinaryOperator
  private let id: Int

  init(_ left: any Node, _ right: any Node, _ operation: BinaryOperator, id: Int) {
    (self.left, self.right, self.operation, self.id) = (left, right, operation, id)
  }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    let (left, right) = try run.pair(left, right, base)
    let result = try Arithmetic.result(operation, left, right, id)
    try run.charge(result)
    return result
  }
}

extension BinaryOperator {
  /// The comparison that holds if the operands are exchanged.
  package var mirrored: BinaryOperator {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    default: self
    }
  }
}
