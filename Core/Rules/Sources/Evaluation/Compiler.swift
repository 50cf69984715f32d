import TenonFoundation
import TenonValues

/// Compiles a rules file that the checker has accepted.
///
/// Names are resolved here, once. Functions are compiled before the functions that call them, which is
/// possible because none may call itself.
struct Compiler {
  private var ranges: [SourceRange] = []
  private var wildcards = 0
  private let version: Int
  private let recordsCoverage: Bool
  private var functions: [ObjectIdentifier: [String: CompiledFunction]] = [:]

  /// Names that are visible in a block.
  final class Scope {
    let parent: Scope?
    var wildcards: [String: Int] = [:]
    let functions: [String: FunctionDeclaration]
    let service: String

    init(parent: Scope?, functions: [FunctionDeclaration], service: String) {
      self.parent = parent
      self.service = service
      self.functions = Dictionary(functions.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func wildcard(_ name: String) -> Int? { wildcards[name] ?? parent?.wildcard(name) }

    func function(_ name: String) -> (FunctionDeclaration, Scope)? {
      if let function = functions[name] { return (function, self) }
      return parent?.function(name)
    }
  }

  /// What the names of an expression mean.
  private struct Names {
    let scope: Scope
    var locals: [String: Int] = [:]
  }

  private init(version: Int, recordsCoverage: Bool) {
    self.version = version
    self.recordsCoverage = recordsCoverage
  }

  /// Compiles a file.
  ///
  /// - Parameter recordsCoverage: whether the values of expressions are recorded, which takes longer.
  static func compile(_ file: RulesFile, recordsCoverage: Bool) -> RulesProgram {
    var compiler = Compiler(version: file.version, recordsCoverage: recordsCoverage)
    var services: [CompiledService] = []
    for service in file.services {
      let global = Scope(parent: nil, functions: file.functions, service: service.name)
      let scope = Scope(parent: global, functions: service.block.functions, service: service.name)
      let matches = service.block.matches.map { compiler.match($0, in: scope) }
      // Functions that nothing calls have places in the coverage report too.
      if recordsCoverage { compiler.compileFunctions(global) }
      services.append(CompiledService(name: service.name, matches: matches, wildcards: compiler.wildcards))
      compiler.functions = [:]
    }
    return RulesProgram(services: services, ranges: compiler.ranges)
  }

  private mutating func compileFunctions(_ scope: Scope) {
    for name in scope.functions.keys.sorted() { _ = function(name, in: scope) }
  }

  // MARK: - Blocks

  private mutating func match(_ match: MatchDeclaration, in parent: Scope) -> CompiledMatch {
    let scope = Scope(parent: parent, functions: match.block.functions, service: parent.service)
    var segments: [CompiledMatch.Segment] = []
    for segment in match.segments {
      switch segment.kind {
      case .text(let text): segments.append(.text(text))
      case .wildcard(let name):
        segments.append(.wildcard(wildcards))
        scope.wildcards[name] = wildcards
        wildcards += 1
      case .recursiveWildcard(let name):
        segments.append(.recursive(wildcards, minimum: version == 1 ? 1 : 0))
        scope.wildcards[name] = wildcards
        wildcards += 1
      }
    }
    let allows = match.block.allows.map { allow in
      let methods = RulesMethod.allCases.filter { method in
        allow.methods.contains { method.isIncluded(in: $0.name) }
      }
      let condition = allow.condition.map { node($0, Names(scope: scope)) }
      return CompiledAllow(
        methods: methods.reduce(0) { $0 | $1.bit }, condition: condition, place: allow.place,
        id: id(allow.condition?.range ?? SourceRange(start: allow.place, end: allow.place.offset)))
    }
    let matches = match.block.matches.map { self.match($0, in: scope) }
    if recordsCoverage { compileFunctions(scope) }
    return CompiledMatch(segments: segments, matches: matches, allows: allows)
  }

  // MARK: - Functions

  /// Returns a compiled function, which is visible in a scope.
  private mutating func function(_ name: String, in scope: Scope) -> CompiledFunction? {
    guard let (declaration, owner) = scope.function(name) else { return nil }
    if let known = functions[ObjectIdentifier(owner)]?[name] { return known }
    var names = Names(scope: owner)
    for (index, parameter) in declaration.parameters.enumerated() { names.locals[parameter.name] = index }
    var variables: [(node: any Node, range: SourceRange)] = []
    for variable in declaration.variables {
      let range = SourceRange(start: variable.range.start, end: declaration.result.range.end)
      variables.append((node(variable.value, names), range))
      names.locals[variable.name] = declaration.parameters.count + variables.count - 1
    }
    var body = node(declaration.result, names)
    for (node, range) in variables.reversed() { body = recorded(LetNode(node, body), range) }
    let compiled = CompiledFunction(parameterCount: declaration.parameters.count, body: body)
    // The owner lives as long as the compiler: blocks are compiled from outside in.
    functions[ObjectIdentifier(owner), default: [:]][name] = compiled
    scopes.append(owner)
    return compiled
  }
  /// Keeps the scopes whose identities are keys.
  private var scopes: [Scope] = []

  // MARK: - Expressions

  private mutating func id(_ range: SourceRange) -> Int {
    ranges.append(range)
    return ranges.count - 1
  }

  private mutating func recorded(_ node: any Node, _ range: SourceRange) -> any Node {
    recordsCoverage ? RecordingNode(node, id: id(range)) : node
  }

  private mutating func nodes(_ expressions: [Expression], _ names: Names) -> [any Node] {
    expressions.map { node($0, names) }
  }

  private mutating func node(_ expression: Expression, _ names: Names) -> any Node {
    switch expression.kind {
    case .null: return ConstantNode(.null)
    case .boolean(let value): return ConstantNode(.boolean(value))
    case .integer(let value): return ConstantNode(.integer(value))
    case .float(let value): return ConstantNode(.float(value))
    case .string(let value): return ConstantNode(.string(value))
    case .bytes(let value): return ConstantNode(.bytes(Data(value)))
    case .unary(.negate, let operand):
      // The least integer, which has no absolute value.
      if case .integer(.min) = operand.kind { return ConstantNode(.integer(.min)) }
    default: break
    }
    let id = id(expression.range)
    let node = node(expression, id, names)
    return recordsCoverage ? RecordingNode(node, id: id) : node
  }

  private mutating func node(_ expression: Expression, _ id: Int, _ names: Names) -> any Node {
    switch expression.kind {
    case .null, .boolean, .integer, .float, .string, .bytes: return ConstantNode(.null)
    case .variable(let name): return variable(name, id, names)
    case .path(let parts): return path(parts, id, names)
    case .list(let elements): return ListNode(nodes(elements, names))
    case .map(let entries):
      return MapNode(entries.map { (node($0.key, names), node($0.value, names), self.id($0.key.range)) })
    case .member(let object, let name):
      if !recordsCoverage, let node = frequentMember(object, name, id, names) { return node }
      return MemberNode(node(object, names), name, id: id)
    case .index(let object, let key): return IndexNode(node(object, names), node(key, names), id: id)
    case .slice(let object, let from, let to):
      return SliceNode(
        node(object, names), from: from.map { node($0, names) }, to: to.map { node($0, names) }, id: id)
    case .call(let name, let arguments): return call(name, arguments, id, names)
    case .method(let object, let name, let arguments, _): return method(object, name, arguments, id, names)
    case .unary(.not, let operand): return NotNode(node(operand, names), id: id)
    case .unary(.negate, let operand): return NegationNode(node(operand, names), id: id)
    case .binary(let operation, let left, let right): return binary(operation, left, right, id, names)
    case .typeTest(let operand, let type): return TypeTestNode(node(operand, names), type: type)
    case .conditional(let condition, let first, let second):
      return ConditionalNode(node(condition, names), node(first, names), node(second, names), id: id)
    }
  }

  /// Returns the node of a frequent member of `request` or `resource`, which is looked up without creating
  /// the maps around it. It counts as the expressions that it replaces.
  private mutating func frequentMember(
    _ object: Expression, _ name: String, _ id: Int, _ names: Names
  ) -> (any Node)? {
    guard let path = path(of: object, names) else { return nil }
    switch path {
    case ["request"]: return RequestMemberNode(name, id: id)
    case ["request", "auth"] where name == "uid": return UserIDNode(id: id)
    case ["request", "auth", "token"]: return ClaimNode(name, id: id)
    case ["resource"] where name == "data":
      return DataNode(MemberNode(node(object, names), name, id: id), isRequest: false)
    case ["request", "resource"] where name == "data":
      return DataNode(MemberNode(node(object, names), name, id: id), isRequest: true)
    default: return nil
    }
  }

  /// The names of an expression like `request.auth.token`, which begins with `request` or `resource` and has
  /// at most three names.
  private func path(of expression: Expression, _ names: Names, most: Int = 3) -> [String]? {
    switch expression.kind {
    case .variable(let name):
      (name == "request" || name == "resource") && names.locals[name] == nil
        && names.scope.wildcard(name) == nil
        ? [name] : nil
    case .member(let object, let name) where most > 1:
      path(of: object, names, most: most - 1).map { $0 + [name] }
    default: nil
    }
  }

  private func variable(_ name: String, _ id: Int, _ names: Names) -> any Node {
    if let index = names.locals[name] { return LocalNode(index) }
    if let index = names.scope.wildcard(name) { return WildcardNode(index, id: id) }
    switch name {
    case "request": return InputNode(isRequest: true, id: id)
    case "resource": return InputNode(isRequest: false, id: id)
    default: return UnknownNode(id: id)
    }
  }

  private mutating func path(_ parts: [Expression.PathPart], _ id: Int, _ names: Names) -> any Node {
    PathNode(
      parts.map { part in
        switch part {
        case .text(let text): .fixed(.text(text))
        case .capture(let name, let isRecursive):
          .fixed(.variable(name, bound: nil, isRecursive: isRecursive))
        case .interpolation(let expression): .computed(node(expression, names), id: id)
        }
      })
  }

  private mutating func binary(
    _ operation: BinaryOperator, _ left: Expression, _ right: Expression, _ id: Int, _ names: Names
  ) -> any Node {
    if !recordsCoverage, operation == .equal || operation == .notEqual, case .null = right.kind,
      path(of: left, names) == ["request", "auth"]
    {
      return UserTestNode(isNegated: operation == .notEqual)
    }
    let (left, right) = (node(left, names), node(right, names))
    switch operation {
    case .and: return LogicalNode(left, right, decisive: false, id: id)
    case .or: return LogicalNode(left, right, decisive: true, id: id)
    case .equal: return EqualityNode(left, right, isNegated: false, id: id)
    case .notEqual: return EqualityNode(left, right, isNegated: true, id: id)
    case .less, .lessOrEqual, .greater, .greaterOrEqual: return OrderNode(left, right, operation, id: id)
    case .contains: return MembershipNode(left, right, id: id)
    case .add, .subtract, .multiply, .divide, .remainder:
      return ArithmeticNode(left, right, operation, id: id)
    }
  }

  // MARK: - Calls

  private mutating func call(
    _ name: String, _ arguments: [Expression], _ id: Int, _ names: Names
  ) -> any Node {
    let nodes = nodes(arguments, names)
    if let function = function(name, in: names.scope) {
      guard function.parameterCount == arguments.count else { return UnknownCallNode(name, nodes, id: id) }
      return CallNode(function, nodes)
    }
    guard let builtin = Builtin(rawValue: name),
      names.scope.service != "firebase.storage" || !builtin.readsOwnDatabase
    else {
      return UnknownCallNode(name, nodes, id: id)
    }
    return BuiltinNode(builtin, nodes, id: id)
  }

  private mutating func method(
    _ object: Expression, _ name: String, _ arguments: [Expression], _ id: Int, _ names: Names
  ) -> any Node {
    if case .variable(let package) = object.kind, names.locals[package] == nil {
      let isPackage =
        Builtin.packages.contains(package)
        || (package == "firestore" && names.scope.service == "firebase.storage")
      if isPackage {
        let nodes = nodes(arguments, names)
        guard let builtin = Builtin(rawValue: "\(package).\(name)") else {
          return UnknownCallNode("\(package).\(name)", nodes, id: id)
        }
        return BuiltinNode(builtin, nodes, id: id)
      }
    }
    let receiver = node(object, names)
    guard let method = Method(rawValue: name) else {
      return UnknownCallNode(name, receiver: receiver, nodes(arguments, names), id: id)
    }
    if method == .matches, arguments.count == 1, case .string(let text) = arguments[0].kind,
      let pattern = try? Pattern(text)
    {
      return MatchesNode(receiver, pattern, id: id)
    }
    return MethodNode(receiver, method, nodes(arguments, names), id: id)
  }
}
