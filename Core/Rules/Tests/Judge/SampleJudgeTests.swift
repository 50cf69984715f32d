import Foundation
import TenonDocuments
import TenonJSON
import TenonStoreInterop
import TenonTestSupport
import TenonValues
import Testing

@testable import TenonRules

/// Asks Google's emulator for the verdicts of the samples.
@Suite(.limited, .firestoreEmulator) struct SampleJudgeTests {
  @Test func verdictsAreTheEmulators() async throws {
    let judge = try await RulesJudge(project: "samples")
    for file in try SampleFile.all() where file.isOfFirestore {
      #expect(try await judge.setRules(file.source) == [], "\(file.name)")
      var isChanged = true
      for request in file.sample.requests {
        if isChanged { try await judge.setDocuments(file.sample.documents) }
        let isAllowed = try await judge.allows(request.operation, request.user)
        #expect(isAllowed == request.isAllowed, "\(file.name): \(request.name)")
        isChanged = isAllowed
      }
    }
  }
}

extension RulesJudge {
  /// Returns whether the emulator's rules allow an operation, which is done then.
  fileprivate func allows(_ operation: RulesOperation, _ user: RulesUser?) async throws -> Bool {
    let user = user.map { JudgedUser(uid: $0.uid, claims: $0.claims) }
    let name = DatabaseName(project: "samples")
    let root = "v1/projects/samples/databases/(default)/documents"
    switch operation.kind {
    case .get(let path): return try await get(path, user)
    case .list(let query, _):
      let body = try JSON(parsing: RunQueryRequest(query: query).encoded(in: name))
      let parent = query.parent.segments.isEmpty ? "" : "/\(query.parent)"
      return try await send("POST", "\(root)\(parent):runQuery", body, user: user).0 != 403
    case .write, .batch:
      let body = try JSON(parsing: CommitRequest(writes: try operation.writes()).encoded(in: name))
      let (status, answer) = try await send("POST", "\(root):commit", body, user: user)
      try #require(status == 200 || status == 403, "\(operation): \(answer)")
      return status == 200
    case .object: throw RulesTrialError("The emulator has no objects.")
    }
  }
}

extension RulesOperation {
  /// The writes of a commit.
  fileprivate func writes() throws -> [DocumentWrite] {
    switch kind {
    case .batch(let operations): return try operations.flatMap { try $0.writes() }
    case .write(let write, let path, let fields, let transforms):
      let change: DocumentWrite.Operation =
        switch write {
        case .create, .set: .set(fields)
        case .update: .update(fields, mask: fields.names.map { FieldPath([$0]) })
        case .delete: .delete
        }
      return [DocumentWrite(try ResourcePath(document: path), change, transforms: transforms)]
    case .get, .list, .object: return []
    }
  }
}
