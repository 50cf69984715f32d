extension SecurityRules {
  /// What is probably not intended although it is valid: statements that never or always allow something, and
  /// those that let everyone write. In the order of the places.
  public var advice: [RulesProblem] {
    var advice: [RulesProblem] = []
    for service in file.services {
      let global = AdviceScope(parent: nil, functions: file.functions, wildcards: [:])
      let scope = AdviceScope(parent: global, functions: service.block.functions, wildcards: [:])
      for match in service.block.matches {
        Self.advise(match, scope, service: service.name, path: match.segments, to: &advice)
      }
    }
    return Checker.sorted(advice)
  }

  private static func advise(
    _ match: MatchDeclaration, _ parent: AdviceScope, service: String, path: [MatchDeclaration.Segment],
    to advice: inout [RulesProblem]
  ) {
    var wildcards: [String: String] = [:]
    for segment in match.segments {
      switch segment.kind {
      case .text: break
      case .wildcard(let name): wildcards[name] = "string"
      case .recursiveWildcard(let name): wildcards[name] = "path"
      }
    }
    let scope = AdviceScope(parent: parent, functions: match.block.functions, wildcards: wildcards)
    for (index, allow) in match.block.allows.enumerated() {
      guard advice.count < RulesError.problemLimit else { return }
      var others: Set<RulesMethod> = []
      for (other, statement) in match.block.allows.enumerated() where other != index {
        others.formUnion(statement.included)
      }
      advise(allow, scope, others, isEverything: Self.isEverything(path), to: &advice)
    }
    for inner in match.block.matches {
      advise(inner, scope, service: service, path: path + inner.segments, to: &advice)
    }
  }

  /// Whether a path matches every document or object.
  private static func isEverything(_ path: [MatchDeclaration.Segment]) -> Bool {
    // /databases/{database}/documents/{document=**} or /b/{bucket}/o/{path=**}
    guard path.count == 4, case .recursiveWildcard = path[3].kind else { return false }
    return true
  }

  private static func advise(
    _ allow: AllowStatement, _ scope: AdviceScope, _ others: Set<RulesMethod>, isEverything: Bool,
    to advice: inout [RulesProblem]
  ) {
    let methods = allow.included
    guard !methods.isEmpty else { return }
    var never: [RulesMethod] = []
    var always: [RulesMethod] = []
    for method in methods {
      var foresight = Foresight(method: method)
      let outcomes = allow.condition.map { foresight.outcomes(of: $0, scope) } ?? .isTrue
      if !outcomes.contains(.isTrue) { never.append(method) }
      if outcomes == .isTrue { always.append(method) }
    }
    func add(_ code: RulesProblem.Code, _ message: String) {
      advice.append(RulesProblem(allow.place, message, code: code))
    }
    if never.count == methods.count {
      // A literal `false` is intentional.
      if case .boolean? = allow.condition?.kind { return }
      add(.neverTrue, "The condition is never true, so the statement allows nothing.")
      return
    }
    for method in never where !others.contains(method) {
      add(.neverTrue, "The condition is never true for \(method.rawValue): \(Self.reason(method)).")
    }
    if !always.isEmpty {
      switch allow.condition?.kind {
      case nil, .boolean: break
      default:
        add(.alwaysTrue, "The condition is always true for \(Self.list(always)).")
      }
    }
    let open = always.filter { ![.get, .list].contains($0) || isEverything }
    if !open.isEmpty {
      add(
        .openToEveryone,
        "Everyone is allowed to \(Self.list(open))\(isEverything ? " everything" : ""), without signing in. "
          + "Add a condition such as \"request.auth != null\".")
    }
  }

  private static func reason(_ method: RulesMethod) -> String {
    switch method {
    case .get, .list: "there is no request.resource when something is read"
    case .create: "resource is null when something is created"
    case .delete: "request.resource is null when something is deleted"
    case .update: "it has no such value when something is changed"
    }
  }

  private static func list(_ methods: [RulesMethod]) -> String {
    let names = methods.map(\.rawValue)
    return names.count < 2
      ? names.joined() : "\(names.dropLast().joined(separator: ", ")) and \(names[names.count - 1])"
  }
}

extension AllowStatement {
  /// The methods that the statement is for.
  var included: [RulesMethod] {
    RulesMethod.allCases.filter { method in methods.contains { method.isIncluded(in: $0.name) } }
  }
}

extension RulesProblem.Code {
  /// Advice: a condition that is never true.
  public static let neverTrue = RulesProblem.Code(rawValue: "never-true")
  /// Advice: a condition that is always true.
  public static let alwaysTrue = RulesProblem.Code(rawValue: "always-true")
  /// Advice: everyone may write, or read everything, without signing in.
  public static let openToEveryone = RulesProblem.Code(rawValue: "open-to-everyone")
}
