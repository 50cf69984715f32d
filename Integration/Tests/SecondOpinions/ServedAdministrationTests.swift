import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// Firestore's administration on `tenon-server`, by Google's client for Python, over gRPC and REST.
@Suite(.limited(of: .processes), .secondOpinions) struct ServedAdministrationTests {
  private func answers(
    _ call: String, _ arguments: JSON = [:], to server: [String] = []
  ) async throws -> JSON {
    var found: JSON = .null
    try await withServedBackend(arguments: server) { server in
      try await closing(try await Peer(.administration, of: server)) { peer in
        found = try await peer.call(call, arguments)
      }
    }
    return found
  }

  @Test(arguments: ["grpc", "rest"])
  func indexesAreCreatedListedReadAndDeleted(transport: String) async throws {
    let found = try await answers("indexes", ["transport": .string(transport)])
    let index: JSON = [
      "COLLECTION", "READY",
      [["state", "ASCENDING"], ["population", "DESCENDING"], ["__name__", "DESCENDING"]],
    ]
    #expect(found["created"] == index && found["got"] == index)
    #expect(found["metadata"] == "SUCCESSFUL")
    #expect(found["again"]?.array?[0] == (transport == "grpc" ? "AlreadyExists" : "Conflict"))
    #expect(found["listed"] == 2 && found["pages"] == 2 && found["all"] == 3 && found["left"] == 1)
    #expect(found["deleted"]?.array?[0] == "NotFound")
  }

  @Test(arguments: ["grpc", "rest"])
  func settingsOfFieldsAreChangedListedAndReverted(transport: String) async throws {
    let found = try await answers("fields", ["transport": .string(transport)])
    #expect(found["inherits"] == true && found["modes"] == 3)
    #expect(found["changed"] == [false, 0] && found["listed"] == [true])
    #expect(found["reverted"] == true && found["left"] == 0)
    #expect(found["expiry"]?.array?[1].string?.contains("ttlConfig") == true)
  }

  @Test(arguments: ["grpc", "rest"])
  func databasesAreListedAndTheRestIsRefusedByName(transport: String) async throws {
    let found = try await answers("databases", ["transport": .string(transport)])
    #expect(found["listed"] == [.string("projects/\(ServedBackend.project)/databases/(default)")])
    #expect(found["type"] == "FIRESTORE_NATIVE")
    #expect(found["missing"]?.array?[0] == "NotFound")
    let names =
      transport == "grpc" ? ["ExportDocuments", "CreateDatabase"] : ["exportDocuments", "databases"]
    for (call, name) in zip(["export", "create"], names) {
      let text = found[call]?.array?[1].string ?? ""
      #expect(text.contains(name) && text.contains("doesn't support"), "\(text)")
    }
  }

  @Test func operationsAreDoneWaitedForListedAndDeleted() async throws {
    let found = try await answers("operations")
    #expect(found["waited"] == "type.googleapis.com/google.firestore.admin.v1.Index")
    #expect(found["listed"] == [true] && found["rest"] == [true, "area"] && found["deleted"] == "NOT_FOUND")
  }

  @Test func whereDocumentsAreProtectedOnlyAdministratorsDefineIndexes() async throws {
    try await withServedBackend(arguments: ["--protect-documents"]) { (server: ServedBackend) async throws in
      let group = "/v1/projects/\(ServedBackend.project)/databases/(default)/collectionGroups/a/indexes"
      let index: JSON = [
        "queryScope": "COLLECTION", "fields": [["fieldPath": "a", "order": "ASCENDING"]],
      ]
      #expect(try await server.send(.post, group, index).status == 403)
      let owner = ["Authorization": "Bearer owner"]
      #expect(try await server.send(.post, group, index, headers: owner).status == 200)
    }
  }

  @Test func indexesAreDurable() async throws {
    let group = "/v1/projects/\(ServedBackend.project)/databases/(default)/collectionGroups/a/indexes"
    let index: JSON = [
      "queryScope": "COLLECTION", "fields": [["fieldPath": "a", "arrayConfig": "CONTAINS"]],
    ]
    try await withTemporaryDirectory { (folder: URL) async throws in
      let server = try await ServedBackend(directory: folder)
      #expect(try await server.send(.post, group, index).status == 200)
      _ = await server.stop(by: SIGKILL)
      try await withServedBackend(directory: folder) { server in
        let listed = try JSON(parsing: try await server.send(.get, group).body)
        #expect(listed["indexes"]?.array?.count == 1)
      }
    }
  }
}
