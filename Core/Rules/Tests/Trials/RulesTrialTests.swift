import Foundation
import TenonTestSupport
import TenonValues
import Testing

@testable import TenonRules

@Suite(.limited)
struct RulesTrialTests {
  private let rules: SecurityRules

  init() throws {
    rules = try SecurityRules(
      source: """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{d}/documents {
            match /a/{id} {
              allow create: if request.resource.data.at == request.time;
              allow update: if request.resource.data.n == resource.data.n + 1 && request.resource.data.kept == 1;
            }
            match /b/{id} { allow write: if getAfter(/databases/$(d)/documents/a/x).data.n == 2; }
          }
        }
        service firebase.storage {
          match /b/{bucket}/o/{path=**} {
            allow write: if request.resource.name == 'f/o' && request.resource.bucket == bucket;
            allow get: if resource.size == 5;
          }
        }
        """)
  }

  private func allows(_ operation: RulesOperation) throws -> Bool {
    try RulesTrial(
      rules, documents: ["a/x": ["n": 1, "kept": 1]], objects: ["f/p": ["size": 5]],
      time: Timestamp(seconds: 1_700_000_000, nanoseconds: 123_456_000)
    ).decide(operation, as: nil).isAllowed
  }

  @Test func serverTimestampIsTheTimeOfTheRequest() throws {
    #expect(
      try allows(.create("a/y", [:], transforms: [FieldTransform(FieldPath(["at"]), .serverTimestamp)])))
  }

  @Test func updateKeepsOtherFieldsAndSetDoesNot() throws {
    #expect(try allows(.update("a/x", ["n": 2])))
    #expect(try !allows(.set("a/x", ["n": 2])))
    #expect(try allows(.update("a/x", [:], transforms: [FieldTransform(FieldPath(["n"]), .increment(1))])))
  }

  @Test func batchSeesWhatItWrites() throws {
    #expect(try allows(.batch([.set("b/y", [:]), .update("a/x", ["n": 2])])))
    #expect(try !allows(.set("b/y", [:])))
    // One write that isn't allowed denies the batch.
    #expect(try !allows(.batch([.set("b/y", [:]), .update("a/x", ["n": 2]), .delete("c/z")])))
  }

  @Test func objectHasItsNameAndBucket() throws {
    #expect(try allows(.createObject("f/o", [:])))
    #expect(try allows(.getObject("f/p")))
    #expect(try !allows(.getObject("f/q")))
  }

  @Test(arguments: [
    RulesOperation.create("a/x", [:]), .update("a/y", [:]), .batch([.get("a/x")]), .createObject("f/p", [:]),
  ])
  func impossibleOperationIsAnError(_ operation: RulesOperation) {
    #expect(throws: RulesTrialError.self) { try allows(operation) }
  }

  @Test(arguments: [
    #"{"requests": [{"get": "a/x"}]}"#, #"{"requests": [{"allowed": true}]}"#, #"{"documents": []}"#,
    #"{"requests": [{"create": "a/y", "allowed": true}]}"#,
    #"{"documents": {"a/x": {"t": {"$timestamp": "x"}}}}"#,
    #"{"documents": {"a/x": {"t": {"$point": [1]}}}}"#, #"{"documents": {"a/x": {"t": {"$bytes": "?"}}}}"#,
    #"{"documents": {"a/x": {}}, "requests": [{"list": "a", "where": [["n"]], "allowed": true}]}"#,
  ])
  func wrongSampleIsAnError(_ text: String) {
    #expect(throws: RulesTrialError.self) { try RulesSample(Data(text.utf8)) }
  }
}
