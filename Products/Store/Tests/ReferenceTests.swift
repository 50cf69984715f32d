import Foundation
import TenonStore
import TenonStoreInterop
import TenonTestSupport
import Testing

/// Creating a reference doesn't throw; the first operation that uses an invalid path does.
@Suite(.limited) struct ReferenceTests {
  @Test(arguments: ["", "notes", "notes//tea", "notes/..", "a/b/c", "notes/__x__", "/"])
  func theFirstOperationReportsABadDocumentPath(path: String) async throws {
    let store = makeStore()
    let document = store.document(path)
    let operations: [() async throws -> Void] = [
      { try await document.setData(["n": 1]) }, { try await document.setData(["n": 1], mergeFields: ["n"]) },
      { try await document.setData(from: ["n": 1]) }, { try await document.create(["n": 1]) },
      { try await document.updateData(["n": 1]) }, { try await document.delete() },
      { _ = try await document.getDocument() }, { for try await _ in document.snapshots {} },
      { try store.batch().setData(["n": 1], forDocument: document) },
      { try store.batch().deleteDocument(document) },
      { _ = try await store.runTransaction { try await $0.getDocument(document) } },
      { try await store.document("notes/other").setData(["r": document]) },
    ]
    for operation in operations {
      let thrown = await #expect(throws: StoreError.self) { try await operation() }
      #expect(thrown?.code == .invalidArgument)
    }
    #expect(try await store.collection("notes").getDocuments().isEmpty)
  }

  @Test(arguments: ["", "notes/tea", "notes//tea", "..", "__x__"])
  func theFirstOperationReportsABadCollectionPath(path: String) async throws {
    let collection = makeStore().collection(path)
    let operations: [() async throws -> Void] = [
      { try await collection.addDocument(data: ["n": 1]) }, { _ = try await collection.getDocuments() },
      { _ = try await collection.count.getAggregation() }, { for try await _ in collection.snapshots {} },
      { _ = try await collection.whereField("n", isEqualTo: 1).getDocuments() },
    ]
    for operation in operations {
      let thrown = await #expect(throws: StoreError.self) { try await operation() }
      #expect(thrown?.code == .invalidArgument)
    }
  }

  @Test func pathsLeadFromCollectionsToDocumentsAndBack() {
    let store = makeStore()
    let message = store.collection("rooms").document("den").collection("messages").document("1")
    #expect(message.path == "rooms/den/messages/1" && "\(message)" == message.path)
    #expect(message == store.document("rooms/den/messages/1"))
    #expect(message == store.collection("rooms").document("den/messages/1"))
    #expect(
      message.parent == store.collection("rooms/den/messages") && message.parent.collectionID == "messages")
    #expect(message.parent.parent == store.document("rooms/den"))
    #expect(store.collection("rooms").parent == nil)
    #expect(store.collection("rooms").document().documentID.count == 20)
    #expect(Set([message, store.document("rooms/den/messages/1")]).count == 1)
  }

  @Test func queriesSnapshotsAndChangesPrintAsOneLine() async throws {
    let notes = makeStore().collection("notes")
    try await notes.document("tea").setData(["title": "Tea\n", "rating": 5])
    let query = notes.whereField("rating", isGreaterThan: 3).order(by: "rating", descending: true).limit(
      to: 10)
    #expect("\(query)" == "notes where rating > 3 order by rating desc limit 10")
    let snapshot = try await query.getDocuments()
    #expect("\(snapshot)" == "1 document, 1 change")
    #expect("\(snapshot.documents[0])" == "notes/tea {rating: 5, title: \"Tea\\n\"}")
    #expect("\(snapshot.documentChanges[0])" == "added notes/tea {rating: 5, title: \"Tea\\n\"}")
    #expect("\(try await notes.document("x").getDocument())" == "notes/x (doesn't exist)")
    let filter = Filter.orFilter([.whereField("a", isEqualTo: "x"), .whereField("b", arrayContains: .null)])
    #expect("\(filter)" == "(a == \"x\" or b array-contains null)")
  }

  @Test func errorsHaveOneTextEverywhere() async throws {
    let thrown = await #expect(throws: StoreError.self) {
      try await makeStore().document("notes").getDocument()
    }
    let error = try #require(thrown)
    #expect(
      error.description
        == "\"notes\" isn't the path of a document: it has 1 segment, not an even number. (invalid-argument)"
    )
    #expect(error.localizedDescription == error.description)
    let document = DocumentError(.badField, "The field is bad.")
    #expect(
      document.description == "The field is bad. (bad-field)"
        && document.localizedDescription == document.description)
    let remote = StoreRemoteError(.notFound, "It is missing.")
    #expect(
      remote.description == "It is missing. (not-found)" && remote.localizedDescription == remote.description)
  }
}
