import TenonFoundation
public import TenonRules
public import TenonValues
public import Testing

extension SecurityRules {
  /// Checks that the rules allow an operation. If not, records an issue with the statements that were asked
  /// and the values of their expressions. No server is involved.
  ///
  /// ```swift
  /// @Test func usersChangeTheirNames() async throws {
  ///   let rules = try SecurityRules(contentsOf: URL(filePath: "firestore.rules"))
  ///   try await rules.expectAllowed(
  ///     .update("users/ann", ["name": "Ann"]), as: .user("ann"), documents: ["users/ann": ["name": "A"]])
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - operation: what is done.
  ///   - user: who does it; `nil` for nobody.
  ///   - documents: the documents that exist, by their paths. Nothing is written to them.
  ///   - objects: the metadata of the objects that exist, by their names.
  ///   - time: the time of the request; the current time if `nil`.
  ///   - coverage: to which the values of expressions are added; `nil` for none.
  ///   - sourceLocation: the source location at which the issue is reported.
  /// - Throws: an error that says what is wrong with the operation, for example that it creates a document
  ///   that exists.
  public func expectAllowed(
    _ operation: RulesOperation, as user: RulesUser? = nil, documents: [String: Fields] = [:],
    objects: [String: Fields] = [:], time: Timestamp? = nil, coverage: RulesCoverage? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let trial = trial(documents, objects, time)
    guard try !trial.allows(operation, user, coverage) else { return }
    let explanation = try trial.explanation(of: operation, as: user)
    Issue.record(
      "\(operation), \(Self.name(user)), is denied and should be allowed.\n\(explanation)",
      sourceLocation: sourceLocation)
  }

  /// Checks that the rules deny an operation. If not, records an issue with the values of the expressions
  /// that allowed it. No server is involved.
  ///
  /// - Parameters:
  ///   - operation: what is done.
  ///   - user: who does it; `nil` for nobody.
  ///   - documents: the documents that exist, by their paths. Nothing is written to them.
  ///   - objects: the metadata of the objects that exist, by their names.
  ///   - time: the time of the request; the current time if `nil`.
  ///   - coverage: to which the values of expressions are added; `nil` for none.
  ///   - sourceLocation: the source location at which the issue is reported.
  /// - Throws: an error that says what is wrong with the operation, for example that it creates a document
  ///   that exists.
  public func expectDenied(
    _ operation: RulesOperation, as user: RulesUser? = nil, documents: [String: Fields] = [:],
    objects: [String: Fields] = [:], time: Timestamp? = nil, coverage: RulesCoverage? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let trial = trial(documents, objects, time)
    guard try trial.allows(operation, user, coverage) else { return }
    let explanation = try trial.explanation(of: operation, as: user)
    Issue.record(
      "\(operation), \(Self.name(user)), is allowed and should be denied.\n\(explanation)",
      sourceLocation: sourceLocation)
  }

  private func trial(
    _ documents: [String: Fields], _ objects: [String: Fields], _ time: Timestamp?
  ) -> RulesTrial {
    RulesTrial(self, documents: documents, objects: objects, time: time ?? Timestamp(date: Date()))
  }

  private static func name(_ user: RulesUser?) -> String { user.map { "as \($0.uid)" } ?? "as nobody" }
}

extension RulesTrial {
  fileprivate func allows(
    _ operation: RulesOperation, _ user: RulesUser?, _ coverage: RulesCoverage?
  ) throws -> Bool {
    if let coverage { return try decide(operation, as: user, coverage: coverage).isAllowed }
    return try decide(operation, as: user).isAllowed
  }
}
