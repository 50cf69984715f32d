/// Checks a rules file for what the grammar doesn't say.
///
/// As by Google, names that nothing declares are warnings: an expression that uses one fails when it is
/// evaluated.
struct Checker {
  /// What is wrong.
  private(set) var problems: [RulesProblem] = []
  /// What is probably not intended.
  private(set) var warnings: [RulesProblem] = []

  private var version = 1
  private var service = ""
  private var calls = CallGraph()
  /// The functions that are being declared around the current expression, from outside in.
  private var blocks: [Block] = []
  private var usedFunctions: Set<Int> = []
  private var function: Int?

  /// The names that a block declares.
  private struct Block {
    var functions: [String: (number: Int, parameters: Int)] = [:]
    var wildcards: Set<String> = []
  }

  /// Returns what is wrong with a file, and the warnings, in the order of the places.
  static func check(_ file: RulesFile) -> (problems: [RulesProblem], warnings: [RulesProblem]) {
    var checker = Checker()
    checker.check(file)
    return (sorted(checker.problems), sorted(checker.warnings))
  }

  /// Sorts problems by their places.
  static func sorted(_ problems: [RulesProblem]) -> [RulesProblem] {
    problems.enumerated().sorted { left, right in
      (left.element.line, left.element.column, left.offset) < (
        right.element.line, right.element.column, right.offset
      )
    }.map(\.element)
  }

  private mutating func report(_ place: SourcePlace, _ message: String, _ code: RulesProblem.Code) {
    if problems.count < RulesError.problemLimit { problems.append(RulesProblem(place, message, code: code)) }
  }

  private mutating func warn(_ place: SourcePlace, _ message: String, _ code: RulesProblem.Code) {
    if warnings.count < RulesError.problemLimit { warnings.append(RulesProblem(place, message, code: code)) }
  }

  // MARK: - Files and blocks

  private mutating func check(_ file: RulesFile) {
    version = file.version
    if file.version == 1 {
      warn(
        .start, "Ruleset uses old version (version [1]). Please update to the latest version (version [2]).",
        .noEffect)
    }
    var names: Set<String> = []
    declare(file.functions)
    for service in file.services {
      if !names.insert(service.name).inserted {
        report(service.place, "Duplicate service name declaration.", .declaration)
      }
      self.service = service.name
      check(service.block, globs: 0, isGlobLast: false)
    }
    for function in file.functions { check(function) }
    finish()
  }

  private mutating func declare(_ functions: [FunctionDeclaration], wildcards: Set<String> = []) {
    var block = Block(wildcards: wildcards)
    for function in functions {
      if block.functions[function.name] != nil {
        report(function.place, "Function \(function.name) is already defined.", .declaration)
        continue
      }
      let number = calls.add(function.name, function.place)
      block.functions[function.name] = (number, function.parameters.count)
    }
    blocks.append(block)
  }

  private mutating func check(_ block: RulesBlock, globs: Int, isGlobLast: Bool, wildcards: Set<String> = [])
  {
    declare(block.functions, wildcards: wildcards)
    defer { blocks.removeLast() }
    for function in block.functions { check(function) }
    for allow in block.allows {
      for method in allow.methods
      where !RulesMethod.allCases.contains(where: { $0.isIncluded(in: method.name) }) {
        warn(method.place, "Invalid method name: \(method.name).", .noEffect)
      }
      if let condition = allow.condition {
        check(condition, level: 1, locals: nil)
      }
    }
    for match in block.matches { check(match, globs: globs, isGlobLast: isGlobLast) }
  }

  private mutating func check(_ match: MatchDeclaration, globs: Int, isGlobLast: Bool) {
    var (globs, wasGlob, names): (Int, Bool, Set<String>) = (globs, isGlobLast, [])
    for segment in match.segments {
      if wasGlob, version == 1 {
        report(
          segment.place,
          "Invalid glob match expression. Glob matches are permitted as the last segment in a match declaration path.",
          .declaration)
      }
      wasGlob = false
      switch segment.kind {
      case .text: break
      case .wildcard(let name), .recursiveWildcard(let name):
        if !names.insert(name).inserted {
          report(segment.place, "Variable \(name) already exists in the PathTemplate.", .declaration)
        }
        guard case .recursiveWildcard = segment.kind else { break }
        globs += 1
        wasGlob = true
        if globs > 1 {
          report(
            segment.place,
            "Invalid glob match expression. Only one glob match is permitted in a match declaration path.",
            .declaration)
        }
      }
    }
    check(match.block, globs: globs, isGlobLast: wasGlob, wildcards: names)
  }

  // MARK: - Functions

  private mutating func check(_ function: FunctionDeclaration) {
    if function.parameters.count > EvaluationLimits.parameters {
      report(
        function.place,
        "Maximum allowed function arguments of \(EvaluationLimits.parameters) for function \(function.name) is reached.",
        .limit)
    }
    let locals = Locals()
    for parameter in function.parameters where !locals.declare(parameter.name, parameter.place) {
      report(parameter.place, "Variable \(parameter.name) is already defined.", .declaration)
    }
    self.function = blocks.last?.functions[function.name]?.number
    defer { self.function = nil }
    for variable in function.variables {
      check(variable.value, level: 1, locals: locals)
      if !locals.declare(variable.name, variable.place) {
        report(
          variable.place, "The identifier [\(variable.name)] is already bound in the current scope.",
          .declaration)
      }
    }
    check(function.result, level: 1, locals: locals)
    for (name, place) in locals.unused { warn(place, "Unused variable: \(name).", .unused) }
  }

  /// Reports functions that call themselves, calls that are nested too deeply, and unused functions.
  private mutating func finish() {
    for problem in calls.problems() { report(problem.place, problem.message, problem.code) }
    for (number, function) in calls.functions.enumerated() where !usedFunctions.contains(number) {
      warn(function.place, "Unused function: \(function.name).", .unused)
    }
  }

  // MARK: - Expressions

  /// The parameters and variables of a function.
  private final class Locals {
    private var places: [String: SourcePlace] = [:]
    private var used: Set<String> = []

    func declare(_ name: String, _ place: SourcePlace) -> Bool {
      if places[name] != nil { return false }
      places[name] = place
      return true
    }

    func use(_ name: String) -> Bool {
      guard places[name] != nil else { return false }
      used.insert(name)
      return true
    }

    var unused: [(String, SourcePlace)] {
      places.filter { !used.contains($0.key) }.sorted { $0.value.offset < $1.value.offset }.map {
        ($0.key, $0.value)
      }
    }
  }

  /// The most levels of an expression, without members and calls of methods, as Google's compiler counts.
  private static let levelLimit = 99

  private mutating func check(_ expression: Expression, level: Int, locals: Locals?) {
    let level = level + expression.parentheses
    guard level <= Self.levelLimit else {
      report(expression.range.start, "Expression is too complex to evaluate safely.", .limit)
      return
    }
    let isPostfix: Bool
    switch expression.kind {
    case .variable(let name):
      isPostfix = false
      check(variable: name, at: expression.range.start, locals)
    case .call(let name, let arguments):
      isPostfix = false
      check(call: name, arguments, at: expression.range.start)
    case .method(let object, let name, let arguments, let place):
      if check(method: name, of: object, arguments, at: place, locals) {
        for argument in arguments { check(argument, level: level + 1, locals: locals) }
        return
      }
      isPostfix = true
    case .member, .index, .slice: isPostfix = true
    default: isPostfix = false
    }
    for (index, child) in expression.children.enumerated() {
      check(child, level: isPostfix && index == 0 ? level : level + 1, locals: locals)
    }
  }

  private mutating func check(variable name: String, at place: SourcePlace, _ locals: Locals?) {
    if locals?.use(name) == true || blocks.contains(where: { $0.wildcards.contains(name) }) { return }
    if Builtin.packages.contains(name) {
      report(place, "\(name) is a package and cannot be used as variable name.", .unknownName)
    } else if name != "request", name != "resource" {
      warn(place, "Invalid variable name: \(name).", .unknownName)
    }
  }

  private mutating func check(call name: String, _ arguments: [Expression], at place: SourcePlace) {
    if let (number, parameters) = blocks.reversed().lazy.compactMap({ $0.functions[name] }).first {
      usedFunctions.insert(number)
      calls.call(number, from: function, at: place)
      if parameters != arguments.count { warnOfCount(name, place) }
    } else if let builtin = Builtin(rawValue: name) {
      if builtin.argumentCount != arguments.count { warnOfCount(name, place) }
    } else {
      warn(place, "Invalid function name: \(name).", .unknownName)
    }
  }

  private mutating func warnOfCount(_ name: String, _ place: SourcePlace) {
    warn(place, "Incorrect number of arguments supplied to function: \(name).", .argumentCount)
  }

  /// Checks a method.
  ///
  /// - Returns: whether the object is the name of a package, which isn't a variable.
  private mutating func check(
    method name: String, of object: Expression, _ arguments: [Expression], at place: SourcePlace,
    _ locals: Locals?
  ) -> Bool {
    if case .variable(let package) = object.kind,
      Builtin.packages.contains(package) || (package == "firestore" && service == "firebase.storage")
    {
      let name = "\(package).\(name)"
      if let builtin = Builtin(rawValue: name) {
        if builtin.argumentCount != arguments.count { warnOfCount(name, place) }
      } else {
        warn(place, "Invalid function name: \(name).", .unknownName)
      }
      return true
    }
    guard let method = Method(rawValue: name) else {
      warn(place, "Invalid function name: \(name).", .unknownName)
      return false
    }
    if method.argumentCount != arguments.count {
      warnOfCount(name, place)
    } else if [.matches, .split, .replace].contains(method), case .string(let text) = arguments[0].kind {
      do throws(PatternError) { _ = try Pattern(text) } catch {
        report(
          arguments[0].range.start, "Invalid regular expression pattern. Pattern: \(text). \(error.message)",
          .syntax)
      }
    }
    return false
  }
}
