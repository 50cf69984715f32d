import TenonStore
import TenonTestSupport
import Testing

/// References, batches and transactions have the same writes with the same effects.
@Suite(.limited) struct DocumentWritingTests {
  private struct Note: Codable { var a: Int, b: Int }

  /// A write by a reference, and the same write by a batch or a transaction.
  private struct Write: Sendable {
    let name: String
    let direct: @Sendable (DocumentReference) async throws -> Void
    let collected: @Sendable (any DocumentWriting, DocumentReference) throws -> Void
    let result: Fields?
  }

  private static let writes: [Write] = [
    Write(
      name: "setData", direct: { try await $0.setData(["n": 1]) },
      collected: { try $0.setData(["n": 1], forDocument: $1) }, result: ["n": 1]),
    Write(
      name: "setData(merge:)", direct: { try await $0.setData(["n": 1], merge: true) },
      collected: { try $0.setData(["n": 1], forDocument: $1, merge: true) }, result: ["a": 0, "n": 1]),
    Write(
      name: "setData(mergeFields:)", direct: { try await $0.setData(["n": 1, "x": 2], mergeFields: ["n"]) },
      collected: { try $0.setData(["n": 1, "x": 2], forDocument: $1, mergeFields: ["n"]) },
      result: ["a": 0, "n": 1]),
    Write(
      name: "setData(from:)", direct: { try await $0.setData(from: Note(a: 1, b: 2)) },
      collected: { try $0.setData(from: Note(a: 1, b: 2), forDocument: $1) }, result: ["a": 1, "b": 2]),
    Write(
      name: "setData(from:mergeFields:)",
      direct: { try await $0.setData(from: Note(a: 1, b: 2), mergeFields: [FieldPath(["b"])]) },
      collected: { try $0.setData(from: Note(a: 1, b: 2), forDocument: $1, mergeFields: [FieldPath(["b"])]) },
      result: ["a": 0, "b": 2]),
    Write(
      name: "updateData", direct: { try await $0.updateData(["n": .increment(1), "a": .delete()]) },
      collected: { try $0.updateData(["n": .increment(1), "a": .delete()], forDocument: $1) },
      result: ["n": 1]),
    Write(
      name: "updateData(if:)",
      direct: { try await $0.updateData([FieldPath(["n.m"]): 1], if: .exists(true)) },
      collected: { try $0.updateData([FieldPath(["n.m"]): 1], forDocument: $1, if: .exists(true)) },
      result: ["a": 0, "n.m": 1]),
    Write(
      name: "updateData(if:) that fails", direct: { try await $0.updateData(["n": 1], if: .exists(false)) },
      collected: { try $0.updateData(["n": 1], forDocument: $1, if: .exists(false)) }, result: ["a": 0]),
    Write(
      name: "create", direct: { try await $0.create(["n": 1]) },
      collected: { try $0.create(["n": 1], forDocument: $1) }, result: ["a": 0]),
    Write(
      name: "create(from:)", direct: { try await $0.create(from: Note(a: 1, b: 2)) },
      collected: { try $0.create(from: Note(a: 1, b: 2), forDocument: $1) }, result: ["a": 0]),
    Write(
      name: "delete", direct: { try await $0.delete() }, collected: { try $0.deleteDocument($1) }, result: nil
    ),
    Write(
      name: "delete(if:)", direct: { try await $0.delete(if: .exists(false)) },
      collected: { try $0.deleteDocument($1, if: .exists(false)) }, result: ["a": 0]),
  ]

  @Test func theSameWritesHaveTheSameEffect() async throws {
    for write in Self.writes {
      for how in ["reference", "batch", "transaction"] {
        let store = makeStore()
        let page = store.document("pages/tea")
        try await page.setData(["a": 0])
        // Writes whose precondition fails throw, and change nothing.
        switch how {
        case "reference": try? await write.direct(page)
        case "batch":
          let batch = store.batch()
          try write.collected(batch, page)
          _ = try? await batch.commit()
        default: try? await store.runTransaction { try write.collected($0, page) }
        }
        #expect(try await page.getDocument().fields == write.result, "\(write.name) with a \(how)")
      }
    }
  }
}
