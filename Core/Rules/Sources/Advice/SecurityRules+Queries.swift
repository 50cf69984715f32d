package import TenonStoreInterop
import TenonValues

extension SecurityRules {
  /// A query of an app, of which the rules are asked whether anyone may run it.
  package struct AppQuery: Sendable {
    /// What it's about.
    package var name: String
    /// The query. Where it has ``anyUser``, the app puts the ID of its user.
    package var query: StructuredQuery
    /// The number of documents that are skipped.
    package var offset: Int64 = 0
  }

  /// What stands for the ID of the user in a query, whoever that is. No user has it: it isn't valid text for
  /// one.
  package static let anyUser = "\u{0}user"

  /// Returns why the rules allow a query to nobody; `nil` if they may allow it to someone.
  ///
  /// Nothing is known of the user's claims, the documents that the rules read, and the time, so whatever
  /// depends on them may be allowed. The user may be anyone: one of those whom the rules or the query name,
  /// or another one.
  ///
  /// - Parameter query: the query. Its values are examples of those that the app has.
  package func obstacle(to query: AppQuery) -> String? {
    let named = file.strings.union(query.query.filter?.strings ?? []).subtracting([Self.anyUser])
    let users = [nil, "user"] + named.sorted()
    var reasons: [RulesDecision.Reason] = []
    for user in users {
      let decision = decision(on: query, as: user)
      if decision.verdict != .denied { return nil }
      // Those of a user who isn't named say most.
      if user == "user" { reasons = decision.reasons }
    }
    guard let reason = reasons.first else { return "No statement allows a list of this path." }
    return "Line \(reason.line): \(reason.message)"
  }

  private func decision(on query: AppQuery, as uid: String?) -> RulesDecision {
    var structured = query.query
    structured.filter = structured.filter.map { $0.replacing(Self.anyUser, with: uid) }
    let user = uid.map { uid in
      var user = RulesUser(uid: uid)
      user.hasAllClaims = false
      return user
    }
    let request = RulesRequest(
      .list(structured, database: "(default)", offset: query.offset), user: user,
      time: Timestamp(seconds: 0))
    var last = RulesDecision(verdict: .denied, reasons: [])
    for var input in request.inputs ?? [] {
      input.knowsTime = false
      var known = KnownDocuments()
      last = decision(on: input, of: request.service, &known) { _ in .unknown }
      if last.verdict == .denied { break }
    }
    return last
  }
}

extension QueryFilter {
  /// The texts with which it compares.
  fileprivate var strings: Set<String> {
    switch self {
    case .and(let filters), .or(let filters): Set(filters.flatMap(\.strings))
    case .field(_, _, .string(let text)): [text]
    case .field(_, _, .array(let values)): Set(values.compactMap(\.stringValue))
    case .field: []
    }
  }

  /// Returns the filter with another text instead of one, or with null.
  fileprivate func replacing(_ text: String, with other: String?) -> QueryFilter {
    switch self {
    case .and(let filters): .and(filters.map { $0.replacing(text, with: other) })
    case .or(let filters): .or(filters.map { $0.replacing(text, with: other) })
    case .field(let field, let comparison, let value):
      .field(field, comparison, Self.replacing(text, in: value, with: other))
    }
  }

  private static func replacing(_ text: String, in value: Value, with other: String?) -> Value {
    switch value {
    case .string(text): other.map(Value.string) ?? .null
    case .array(let values): .array(values.map { replacing(text, in: $0, with: other) })
    default: value
    }
  }
}

extension RulesFile {
  /// The texts in its expressions, any of which may be the ID of a user.
  fileprivate var strings: Set<String> {
    var strings: Set<String> = []
    var rest: [Expression] = []
    func collect(_ functions: [FunctionDeclaration]) {
      for function in functions { rest += function.variables.map(\.value) + [function.result] }
    }
    var blocks = services.map(\.block)
    collect(functions)
    while let block = blocks.popLast() {
      collect(block.functions)
      rest += block.allows.compactMap(\.condition)
      blocks += block.matches.map(\.block)
    }
    while let expression = rest.popLast() {
      if case .string(let text) = expression.kind { strings.insert(text) }
      rest += expression.children
    }
    return strings
  }
}
