import TenonTestSupport
import TenonTesting
import TenonValues
import Testing

@Suite(.limited) struct RulesExpectationsTests {
  let rules: SecurityRules
  let documents: [String: Fields] = ["users/ann": ["name": "A", "age": 20]]

  init() throws {
    rules = try SecurityRules(
      source: """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{database}/documents {
            match /users/{user} {
              allow get: if true;
              allow update: if request.auth.uid == user
                && request.resource.data.age >= 18;
            }
          }
        }
        """)
  }

  @Test func allowedAndDeniedPass() async throws {
    try await rules.expectAllowed(
      .update("users/ann", ["name": "Ann"]), as: .user("ann"), documents: documents)
    try await rules.expectDenied(.update("users/ann", ["age": 17]), as: .user("ann"), documents: documents)
    try await rules.expectDenied(.update("users/ann", ["name": "Ann"]), documents: documents)
    try await rules.expectAllowed(.get("users/ann"))
    try await rules.expectDenied(.list("users"))
  }

  @Test func denialSaysTheLineAndTheValues() async throws {
    try await withKnownIssue {
      try await rules.expectAllowed(.update("users/ann", ["age": 17]), as: .user("ann"), documents: documents)
    } matching: { issue in
      issue.comments.first?.rawValue == """
        update users/ann, as ann, is denied and should be allowed.
        line 6: The condition is false.
        6 | allow update: if request.auth.uid == user
          |   request.auth.uid == user && request.resource.data.age >= 18 → false
          |   request.auth.uid == user → true
          |   request.auth.uid → 'ann'
          |   user → 'ann'
        7 | && request.resource.data.age >= 18;
          |   request.resource.data.age >= 18 → false
          |   request.resource.data.age → 17
        """
    }
  }

  @Test func permissionSaysTheValues() async throws {
    try await withKnownIssue {
      try await rules.expectDenied(.update("users/ann", [:]), as: .user("ann"), documents: documents)
    } matching: { issue in
      let text = issue.comments.first?.rawValue ?? ""
      return text.hasPrefix("update users/ann, as ann, is allowed and should be denied.")
        && text.contains("request.resource.data.age → 20")
    }
  }

  @Test func missingStatementIsNamed() async throws {
    try await withKnownIssue {
      try await rules.expectAllowed(.delete("users/ann"), documents: documents)
    } matching: { issue in
      issue.comments.first?.rawValue == """
        delete users/ann, as nobody, is denied and should be allowed.
        No statement applies to the path and what is done there.
        """
    }
  }

  @Test func wrongOperationIsAnError() async throws {
    await #expect { try await rules.expectDenied(.create("users/ann", [:]), documents: documents) } throws: {
      "\($0)" == "users/ann already exists, so it can't be created. Use set or update."
    }
    await #expect(throws: (any Error).self) { try await rules.expectDenied(.get("users")) }
  }

  @Test func coverageCollectsTheValuesOfSeveralRequests() async throws {
    let coverage = RulesCoverage(rules)
    try await rules.expectAllowed(
      .update("users/ann", [:]), as: .user("ann"), documents: documents, coverage: coverage)
    try await rules.expectDenied(.update("users/ann", [:]), documents: documents, coverage: coverage)
    try await rules.expectDenied(
      .update("users/ann", [:]), as: .user("bob"), documents: documents, coverage: coverage)
    #expect(coverage.text.contains("request.auth.uid → 'ann', error: Null value error., 'bob'"))
    #expect(coverage.text.hasPrefix("6 of 6 expressions were evaluated."))
  }
}
