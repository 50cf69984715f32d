/// Evaluates conditions without a request: what they can be, for any user and any documents.
///
/// What isn't known can be anything, so a condition of which this says that it can't be true is never true.
struct Foresight {
  private let method: RulesMethod
  /// The expressions that are still looked at, because functions that call functions can be many.
  private var budget = 5_000

  init(method: RulesMethod) { self.method = method }

  /// What a condition can be.
  struct Outcomes: OptionSet {
    let rawValue: UInt8
    static let isTrue = Outcomes(rawValue: 1)
    static let isFalse = Outcomes(rawValue: 2)
    static let fails = Outcomes(rawValue: 4)
    static let any: Outcomes = [.isTrue, .isFalse, .fails]
  }

  /// What is known of a value.
  private enum Known {
    case value(RulesValue)
    case type(String)
    case boolean(Outcomes)
    /// The expression fails.
    case failure
    case unknown

    var outcomes: Outcomes {
      switch self {
      case .value(.boolean(true)): .isTrue
      case .value(.boolean(false)): .isFalse
      case .boolean(let outcomes): outcomes
      case .type("bool"): [.isTrue, .isFalse]
      case .value, .type, .failure: .fails
      case .unknown: .any
      }
    }

    /// The name of the type; `nil` if it isn't known or the expression may fail.
    var typeName: String? {
      switch self {
      case .value(let value): value.typeName
      case .type(let name): name
      case .boolean(let outcomes): outcomes.contains(.fails) ? nil : "bool"
      case .failure, .unknown: nil
      }
    }

    var fails: Bool { outcomes == .fails && typeName == nil }
  }

  /// Returns what a condition can be.
  mutating func outcomes(of condition: Expression, _ scope: AdviceScope) -> Outcomes {
    known(condition, scope, [:]).outcomes
  }

  private mutating func known(
    _ expression: Expression, _ scope: AdviceScope, _ locals: [String: Known]
  ) -> Known {
    budget -= 1
    guard budget > 0 else { return .unknown }
    switch expression.kind {
    case .null: return .value(.null)
    case .boolean(let value): return .value(.boolean(value))
    case .integer(let value): return .value(.integer(value))
    case .float(let value): return .value(.float(value))
    case .string(let value): return .value(.string(value))
    case .bytes: return .type("bytes")
    case .path: return .type("path")
    case .list(let elements):
      for element in elements where known(element, scope, locals).fails { return .failure }
      return .type("list")
    case .map: return .type("map")
    case .variable(let name): return variable(name, scope, locals)
    case .member(let object, let name): return member(object, name, scope, locals)
    case .index(let object, _), .slice(let object, _, _):
      return isUsable(known(object, scope, locals)) ? .unknown : .failure
    case .call(let name, let arguments): return call(name, arguments, scope, locals)
    case .method(let object, let name, _, _):
      // A package, such as math, has no value.
      if case .variable(let package) = object.kind, locals[package] == nil, scope.wildcard(package) == nil {
        return package == "request" ? .failure : .unknown
      }
      return isUsable(known(object, scope, locals))
        ? Self.results[name].map(Known.type) ?? .unknown : .failure
    case .unary(.not, let operand):
      var result: Outcomes = []
      let outcomes = known(operand, scope, locals).outcomes
      if outcomes.contains(.isTrue) { result.insert(.isFalse) }
      if outcomes.contains(.isFalse) { result.insert(.isTrue) }
      if outcomes.contains(.fails) { result.insert(.fails) }
      return .boolean(result)
    case .unary(.negate, let operand): return known(operand, scope, locals).fails ? .failure : .unknown
    case .binary(let operation, let left, let right):
      return binary(operation, known(left, scope, locals), known(right, scope, locals))
    case .typeTest(let operand, let type):
      let operand = known(operand, scope, locals)
      if operand.fails { return .failure }
      guard let name = operand.typeName else { return .boolean(.any) }
      return .value(.boolean(name == type || type == "number" && (name == "int" || name == "float")))
    case .conditional(let condition, let first, let second):
      let outcomes = known(condition, scope, locals).outcomes
      if outcomes == .fails { return .failure }
      let (first, second) = (known(first, scope, locals), known(second, scope, locals))
      if outcomes == .isTrue { return first }
      if outcomes == .isFalse { return second }
      var either: Outcomes = outcomes.contains(.fails) ? .fails : []
      if outcomes.contains(.isTrue) { either.formUnion(first.outcomes) }
      if outcomes.contains(.isFalse) { either.formUnion(second.outcomes) }
      // Failures are considered only for conditions.
      let areConditions = [first, second].allSatisfy { $0.typeName.map { $0 == "bool" } ?? true }
      return areConditions ? .boolean(either) : .unknown
    }
  }

  /// Whether something can have members. Null has none.
  private func isUsable(_ known: Known) -> Bool {
    if case .value(.null) = known { return false }
    return !known.fails
  }

  private func variable(_ name: String, _ scope: AdviceScope, _ locals: [String: Known]) -> Known {
    if let local = locals[name] { return local }
    if let type = scope.wildcard(name) {
      // The ID isn't known in a list.
      return method == .list ? .unknown : .type(type)
    }
    switch name {
    case "resource": return method == .create ? .value(.null) : .unknown
    case "request": return .type("map")
    default: return .unknown
    }
  }

  private mutating func member(
    _ object: Expression, _ name: String, _ scope: AdviceScope, _ locals: [String: Known]
  ) -> Known {
    if case .variable("request") = object.kind, locals["request"] == nil, scope.wildcard("request") == nil {
      switch name {
      case "time": return .type("timestamp")
      case "method": return .value(.string(method.rawValue))
      case "path": return .type("path")
      case "resource":
        switch method {
        case .get, .list: return .failure
        case .delete: return .value(.null)
        case .create, .update: return .type("map")
        }
      case "query": return method == .list ? .type("map") : .failure
      default: return .unknown
      }
    }
    return isUsable(known(object, scope, locals)) ? .unknown : .failure
  }

  private mutating func call(
    _ name: String, _ arguments: [Expression], _ scope: AdviceScope, _ locals: [String: Known]
  ) -> Known {
    guard let (function, owner) = scope.function(name), function.parameters.count == arguments.count else {
      return name == "exists" || name == "existsAfter" ? .boolean(.any) : .unknown
    }
    var names: [String: Known] = [:]
    for (parameter, argument) in zip(function.parameters, arguments) {
      names[parameter.name] = known(argument, scope, locals)
    }
    for variable in function.variables { names[variable.name] = known(variable.value, owner, names) }
    return known(function.result, owner, names)
  }

  private func binary(_ operation: BinaryOperator, _ left: Known, _ right: Known) -> Known {
    switch operation {
    case .and, .or:
      // An error is absorbed if the other side decides.
      let decisive: Outcomes = operation == .and ? .isFalse : .isTrue
      let neutral: Outcomes = operation == .and ? .isTrue : .isFalse
      var result: Outcomes = []
      for first in [Outcomes.isTrue, .isFalse, .fails] where left.outcomes.contains(first) {
        for second in [Outcomes.isTrue, .isFalse, .fails] where right.outcomes.contains(second) {
          if first == decisive || second == decisive {
            result.insert(decisive)
          } else {
            result.insert(first == neutral && second == neutral ? neutral : .fails)
          }
        }
      }
      return .boolean(result)
    case .equal, .notEqual:
      if left.fails || right.fails { return .failure }
      if case .value(let first) = left, case .value(let second) = right {
        return .value(.boolean(first.isEqual(to: second) == (operation == .equal)))
      }
      if let first = left.typeName, let second = right.typeName, !Self.canBeEqual(first, second) {
        return .value(.boolean(operation == .notEqual))
      }
      return .boolean(.any)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      if left.fails || right.fails { return .failure }
      if case .value(let first) = left, case .value(let second) = right {
        return Comparisons.holds(operation, first, second).map { .value(.boolean($0)) } ?? .failure
      }
      return .boolean(.any)
    case .contains: return left.fails || right.fails ? .failure : .boolean(.any)
    case .multiply, .divide, .remainder, .add, .subtract:
      return left.fails || right.fails ? .failure : .unknown
    }
  }

  private static func canBeEqual(_ first: String, _ second: String) -> Bool {
    let numbers: Set<String> = ["int", "float"]
    return first == second || numbers.contains(first) && numbers.contains(second)
  }

  /// The types of the results of methods.
  private static let results = [
    "size": "int", "matches": "bool", "lower": "string", "upper": "string", "trim": "string", "keys": "list",
    "values": "list", "toSet": "set", "hasAll": "bool", "hasAny": "bool", "hasOnly": "bool", "split": "list",
    "affectedKeys": "set", "addedKeys": "set", "removedKeys": "set", "changedKeys": "set",
    "unchangedKeys": "set", "diff": "map_diff", "join": "string",
  ]
}
