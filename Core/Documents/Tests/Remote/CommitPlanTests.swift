import TenonStoreInterop
import TenonTestSupport
import Testing

@testable import TenonDocuments

@Suite(.limited) struct CommitPlanTests {
  private let den = ResourcePath(segments: ["rooms", "den"])
  private let time = Timestamp(seconds: 100)

  private func plan(_ writes: DocumentWrite..., present: Fields? = nil) throws -> CommitPlan {
    try CommitPlan(writes, at: time) { path in
      present.map {
        RemoteDocument(
          path: path, fields: $0, createTime: Timestamp(seconds: 1), updateTime: Timestamp(seconds: 2))
      }
    }
  }

  @Test func eachDocumentHasOneChange() throws {
    let plan = try plan(
      DocumentWrite(den, .set(["n": 1])), DocumentWrite(den, .delete), DocumentWrite(den, .set(["n": 2])),
      present: ["n": 0])
    #expect(plan.steps.count == 3 && plan.transitions.count == 1)
    #expect(plan.transitions.first?.before?.fields == ["n": 0])
    #expect(plan.transitions.first?.after.fields == ["n": 2])
    // A document that was deleted and created again is a new one.
    #expect(plan.transitions.first?.after.createTime == time)
  }

  @Test func aChangeWithoutEffectIsNoTransition() throws {
    let plan = try plan(
      DocumentWrite(den, .set(["n": 1])), DocumentWrite(den, .set(["n": 0])), present: ["n": 0])
    #expect(plan.transitions.isEmpty)
    let same = try self.plan(DocumentWrite(den, .update(["n": 0], mask: ["n"])), present: ["n": 0])
    #expect(same.commit.results.first?.updateTime == Timestamp(seconds: 2))
    let missing = try self.plan(DocumentWrite(den, .delete))
    #expect(missing.transitions.isEmpty && missing.commit.results.count == 1)
  }

  /// The results are those of Google's emulator.
  @Test func allWritesOfABatchToADocumentHaveOneUpdateTime() throws {
    let (first, second) = (DocumentWrite(den, .set(["n": 1])), DocumentWrite(den, .set(["n": 2])))
    let old = Timestamp(seconds: 2)
    let programs: [([DocumentWrite], [Timestamp?])] = [
      ([second, first], [old, old]), ([first, first], [old, old]),
      ([second, first, first], [old, old, old]),
      ([first, second], [nil, nil]), ([second, second], [nil, nil]),
      ([DocumentWrite(den, .delete), first], [nil, nil]),
      ([second, DocumentWrite(den, .delete)], [nil, nil]),
    ]
    for (writes, times) in programs {
      let plan = try CommitPlan(writes, at: time) { path in
        RemoteDocument(
          path: path, fields: ["n": 1], createTime: Timestamp(seconds: 1), updateTime: Timestamp(seconds: 2))
      }
      #expect(plan.commit.results.map(\.updateTime) == times)
      #expect(plan.transitions.isEmpty == (times[0] != nil))
    }
  }

  @Test func aDocumentThatIsCreatedAgainIsNew() throws {
    let plan = try plan(DocumentWrite(den, .delete), DocumentWrite(den, .set(["n": 1])), present: ["n": 1])
    #expect(plan.transitions.map(\.after.createTime) == [time])
    let never = try self.plan(DocumentWrite(den, .set(["n": 1])), DocumentWrite(den, .delete))
    #expect(never.transitions.isEmpty && never.commit.results.allSatisfy { $0.updateTime == nil })
  }

  /// What isn't allowed is denied, whatever else is wrong with it.
  @Test func aBatchIsAuthorizedBeforeAnythingElseIsDecided() throws {
    struct Denied: Error {}
    let attic = ResourcePath(segments: ["rooms", "attic"])
    let large: Fields = ["text": .string(String(repeating: "x", count: 1_100_000))]
    let last = DocumentWrite(attic, .set(["n": 3]))
    let batches: [[DocumentWrite]] = [
      [DocumentWrite(den, .update(["n": 1], mask: ["n"]), precondition: .exists(true)), last],
      [DocumentWrite(den, .delete, precondition: .updated(Timestamp(seconds: 1))), last],
      [DocumentWrite(attic, .set([:])), DocumentWrite(attic, .set(["n": 3]), precondition: .exists(false))],
      [DocumentWrite(den, .set(large)), last],
    ]
    for writes in batches {
      #expect(throws: StoreRemoteError.self) { try CommitPlan(writes, at: time) { _ in nil } }
      var steps: [DocumentTransition] = []
      #expect(throws: Denied.self) {
        try CommitPlan(writes, at: time, reading: { _ in nil }) { effects, after in
          steps = effects
          #expect(after[attic]?.fields == ["n": 3])
          throw Denied()
        }
      }
      #expect(steps.map(\.path) == writes.map(\.document))
      #expect(steps.last?.after.fields == ["n": 3])
    }
  }

  /// Firestore converts all writes before it looks at a document.
  @Test(
    arguments: [
      .set(["x": .geoPoint(GeoPoint(latitude: 91, longitude: 0))]),
      .set(["x": .map(["__a__": 1])]),
      .update(["n": 1, "x": .geoPoint(GeoPoint(latitude: 0, longitude: -181))], mask: ["n"]),
      .update(["n": 1, "__a__": 1], mask: ["n"]),
      .update(["x": .map(["y": .array([.array([])])])], mask: []),
      .update(["x": .array([.vector([1])])], mask: []),
    ] as [DocumentWrite.Operation])
  func valuesThatCannotBeConvertedAreRefusedBeforeAnyPrecondition(_ operation: DocumentWrite.Operation) throws
  {
    let write = DocumentWrite(den, operation, precondition: .exists(true))
    let writes = [DocumentWrite(den, .delete, precondition: .exists(true)), write]
    for writes in [[write], writes] {
      let error = #expect(throws: StoreRemoteError.self) { try CommitPlan(writes, at: time) { _ in nil } }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func operandsOfTransformsAreRefusedBeforeAnyPrecondition() throws {
    let transform = FieldTransform("n", .increment("text"))
    let write = DocumentWrite(den, .set([:]), transforms: [transform], precondition: .exists(true))
    let error = #expect(throws: StoreRemoteError.self) { try plan(write) }
    #expect(error?.code == .invalidArgument)
  }

  @Test func fieldsOutsideTheMaskMayBeWhatNoDocumentCanHold() throws {
    let text = String(repeating: "x", count: 1_100_000)
    let deep = (0..<30).reduce(Value.integer(1)) { value, _ in .map(["x": value]) }
    for fields in [["x": .string(text)], ["": 1], [String(text.prefix(1501)): 1], ["x": deep]] as [Fields] {
      #expect(try plan(DocumentWrite(den, .update(fields, mask: ["n"]))).commit.results.count == 1)
    }
  }

  @Test func anIntegerAndAnEqualDoubleAreDifferentContents() throws {
    #expect(try plan(DocumentWrite(den, .set(["n": 1.0])), present: ["n": 1]).transitions.count == 1)
  }

  @Test func batchesAreLimitedInSize() throws {
    let transforms = (0...CommitPlan.maximumTransforms).map {
      FieldTransform(FieldPath(["f\($0)"]), .increment(1))
    }
    let large: Fields = ["text": .string(String(repeating: "x", count: 1_000_000))]
    let writes = (0..<11).map { DocumentWrite(ResourcePath(segments: ["rooms", "\($0)"]), .set(large)) }
    for writes in [writes, [DocumentWrite(den, .set([:]), transforms: transforms)]] {
      let error = #expect(throws: StoreRemoteError.self) { try CommitPlan(writes, at: time) { _ in nil } }
      #expect(error?.code == .invalidArgument)
    }
    #expect(throws: Never.self) { try CommitPlan(Array(writes.dropLast()), at: time) { _ in nil } }
  }
}
