public import TenonStoreInterop
import Testing

/// The contract of `WriteRules` as a test that every implementation can run:
/// - There is a verdict for each write, in the order of the batch, and the text of the rules doesn't change.
/// - A write is allowed or denied only if that doesn't depend on what isn't known: knowing more never turns
///   one into the other.
/// - A write of which several attempts are possible has the verdict that all of them have.
/// - A document is asked for once in a batch, and only those that matter; an error of reading it is thrown.
///
/// Not covered: the limits of a request, which only some rules have.
///
/// ```swift
/// @Test func rulesKeepTheContract() throws {
///   try WriteRulesContract.check(SecurityRules(source: WriteRulesContract.source))
/// }
/// ```
public enum WriteRulesContract {
  /// What the rules mean that ``check(_:)`` is given, as Security Rules. Other implementations have the same
  /// meaning in their language.
  public static let source = """
    rules_version = '2';
    service cloud.firestore {
      match /databases/{database}/documents {
        match /owned/{id} {
          allow create: if request.resource.data.owner == request.auth.uid;
          allow update, delete: if resource.data.owner == request.auth.uid;
        }
        match /gated/{id} {
          allow write: if get(/databases/$(database)/documents/gates/main).data.open == true;
        }
      }
    }
    """

  private struct Failure: Error {}

  /// Checks an implementation with the meaning of ``source``. Violations are recorded as issues of the
  /// running test.
  ///
  /// - Parameter rules: the implementation.
  public static func check(_ rules: some WriteRules) throws {
    let text = rules.source
    checkKnowledge(rules)
    checkBatches(rules)
    checkDocuments(rules)
    #expect(rules.source == text, "the text of the rules doesn't change")
  }

  private static func attempt(
    _ collection: String, _ method: WriteAttempt.Method, before: CachedDocument, after: CachedDocument,
    user: String? = "ann"
  ) -> WriteAttempt {
    WriteAttempt(
      user: user.map { .init(uid: $0, hasAllClaims: true) }, time: Timestamp(seconds: 1_700_000_000),
      database: "(default)", path: ResourcePath(segments: [collection, "d"]), method: method, before: before,
      after: after)
  }

  private static func verdict(_ rules: some WriteRules, _ attempts: WriteAttempt...) -> WriteVerdict? {
    let verdicts = rules.verdicts(on: [attempts]) { _, _ in .unknown }
    #expect(verdicts.count == 1, "there is a verdict for each write")
    return verdicts.first
  }

  private static func isDenied(_ verdict: WriteVerdict?) -> Bool {
    if case .denied(let reason)? = verdict { !reason.isEmpty } else { false }
  }

  /// What is certain follows from what is known.
  private static func checkKnowledge(_ rules: some WriteRules) {
    let (own, others) = (Fields(["owner": "ann"]), Fields(["owner": "bob"]))
    let update = { (before: CachedDocument) in attempt("owned", .update, before: before, after: .exists(own))
    }
    #expect(verdict(rules, update(.exists(own))) == .allowed)
    #expect(isDenied(verdict(rules, update(.exists(others)))), "a denial has a reason")
    #expect(verdict(rules, update(.partial(own))) == .allowed, "a known field decides")
    #expect(isDenied(verdict(rules, update(.partial(others)))))
    #expect(verdict(rules, update(.partial([:]))) == .unknown, "a field that isn't known decides nothing")
    #expect(verdict(rules, update(.unknown)) == .unknown)
    #expect(verdict(rules, attempt("owned", .create, before: .missing, after: .exists(own))) == .allowed)
    #expect(
      isDenied(verdict(rules, attempt("owned", .create, before: .missing, after: .exists(own), user: nil))))
    #expect(
      isDenied(verdict(rules, attempt("other", .create, before: .missing, after: .exists(own)))),
      "what no rule allows is denied")
    #expect(verdict(rules, attempt("owned", .delete, before: .unknown, after: .missing)) == .unknown)
  }

  private static func checkBatches(_ rules: some WriteRules) {
    let (own, others) = (CachedDocument.exists(["owner": "ann"]), CachedDocument.exists(["owner": "bob"]))
    let allowed = attempt("owned", .create, before: .missing, after: own)
    let denied = attempt("owned", .create, before: .missing, after: others)
    let unknown = attempt("owned", .update, before: .unknown, after: own)
    let verdicts = rules.verdicts(on: [[allowed], [denied], [unknown], [allowed]]) { _, _ in .unknown }
    #expect(verdicts.count == 4 && verdicts.first == .allowed && verdicts.last == .allowed)
    if verdicts.count == 4 { #expect(isDenied(verdicts[1]) && verdicts[2] == .unknown) }
    #expect(verdict(rules, allowed, unknown) == .unknown, "several attempts have a common verdict, or none")
    #expect(verdict(rules, allowed, denied) == .unknown)
    #expect(isDenied(verdict(rules, denied, denied)))
    #expect(rules.verdicts(on: []) { _, _ in .unknown }.isEmpty)
  }

  private static func checkDocuments(_ rules: some WriteRules) {
    let gate = ResourcePath(segments: ["gates", "main"])
    let write = attempt("gated", .update, before: .exists([:]), after: .exists([:]))
    for (state, isAllowed) in [
      (.exists(["open": true]), true), (.exists(["open": false]), false), (.missing, false),
      (.unknown, nil), (.partial(["open": true]), true), (.partial([:]), nil),
    ] as [(CachedDocument, Bool?)] {
      var asked: [ResourcePath] = []
      let verdicts = rules.verdicts(on: [[write], [write]]) { path, isAfterWrites in
        #expect(!isAfterWrites, "the rules read the state before the batch")
        asked.append(path)
        return state
      }
      #expect(asked == [gate], "a document is asked for once")
      for verdict in verdicts {
        switch isAllowed {
        case true?: #expect(verdict == .allowed, "\(state)")
        case false?: #expect(isDenied(verdict), "\(state)")
        case nil: #expect(verdict == .unknown, "\(state)")
        }
      }
    }
    #expect(throws: Failure.self, "an error of reading a document is thrown") {
      try rules.verdicts(on: [[write]]) { _, _ in throw Failure() }
    }
  }
}
