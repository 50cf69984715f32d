/// A function of the rules file.
final class CompiledFunction: Sendable {
  let parameterCount: Int
  let body: any Node

  init(parameterCount: Int, body: any Node) { (self.parameterCount, self.body) = (parameterCount, body) }
}

/// A call of a function of the rules file.
///
/// Arguments and variables that have no value fail only where they are used, as by Google.
final class CallNode: Node {
  private let function: CompiledFunction
  private let arguments: [any Node]

  init(_ function: CompiledFunction, _ arguments: [any Node]) {
    (self.function, self.arguments) = (function, arguments)
  }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    // An argument may call functions itself, which remove what they have pushed.
    let start = run.stack.count
    defer { run.stack.removeSubrange(start...) }
    for argument in arguments {
      let result = run.result(argument, base)
      run.stack.append(result)
    }
    return try function.body.value(run, start)
  }
}

/// `let a = b;`, with what follows.
final class LetNode: Node {
  private let variable: any Node
  private let body: any Node

  init(_ variable: any Node, _ body: any Node) { (self.variable, self.body) = (variable, body) }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    let result = run.result(variable, base)
    run.stack.append(result)
    return try body.value(run, base)
  }
}

/// A call of a function that the language provides, for example `math.abs(a)`.
final class BuiltinNode: Node {
  private let function: Builtin
  private let arguments: [any Node]
  private let id: Int

  init(_ function: Builtin, _ arguments: [any Node], id: Int) {
    (self.function, self.arguments, self.id) = (function, arguments, id)
  }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    let values = try run.values(arguments, base)
    return try function.call(values, run, id)
  }
}

/// A call of a function that doesn't exist.
final class UnknownCallNode: Node {
  private let name: String
  private let receiver: (any Node)?
  private let arguments: [any Node]
  private let id: Int

  init(_ name: String, receiver: (any Node)? = nil, _ arguments: [any Node], id: Int) {
    (self.name, self.receiver, self.arguments, self.id) = (name, receiver, arguments, id)
  }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    _ = try receiver?.value(run, base)
    _ = try run.values(arguments, base)
    throw EvaluationError(.unknownFunction(name), node: id)
  }
}

/// A call of a method, for example `a.size()`.
final class MethodNode: Node {
  private let receiver: any Node
  private let method: Method
  private let arguments: [any Node]
  private let id: Int

  init(_ receiver: any Node, _ method: Method, _ arguments: [any Node], id: Int) {
    (self.receiver, self.method, self.arguments, self.id) = (receiver, method, arguments, id)
  }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count()
    let receiver = try receiver.value(run, base)
    let arguments = arguments.isEmpty ? [] : try run.values(arguments, base)
    let result = try method.call(receiver, arguments, id)
    // `get` returns what exists already.
    if method != .get { try run.charge(result) }
    return result
  }
}

/// `a.matches('pattern')` with a pattern that was compiled when the rules were loaded.
final class MatchesNode: Node {
  private let receiver: any Node
  private let pattern: Pattern
  private let id: Int

  init(_ receiver: any Node, _ pattern: Pattern, id: Int) {
    (self.receiver, self.pattern, self.id) = (receiver, pattern, id)
  }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    try run.count(2)
    let receiver = try receiver.value(run, base)
    guard case .string(let text) = receiver else { throw Method.matches.unknown(for: receiver, id) }
    return .boolean(try Patterns.matches(pattern, text, id))
  }
}

/// Records the values of an expression for the coverage report.
final class RecordingNode: Node {
  private let node: any Node
  private let id: Int

  init(_ node: any Node, id: Int) { (self.node, self.id) = (node, id) }

  func value(_ run: Run, _ base: Int) throws(EvaluationError) -> RulesValue {
    do throws(EvaluationError) {
      let value = try node.value(run, base)
      run.recorder?.record(.success(value), of: id)
      return value
    } catch {
      run.recorder?.record(.failure(error), of: id)
      throw error
    }
  }
}
