import Foundation
import TenonAuthInterop
import TenonCore
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore

@Suite(.limited) struct DatabaseTests {
  enum FakeAuthLibrary: Library {
    static let name = "fake-auth"
    static let version = SemanticVersion(1, 0, 0)
    static var components: [AnyComponent] {
      Component(FakeAuth.self) { _ in FakeAuth() }.providing((any AuthInterop).self) { $0 }
    }
  }

  private func app(_ name: String, _ data: AppData, libraries: [any Library.Type] = []) throws -> App {
    try App.configure(
      name: name,
      options: AppOptions(projectID: "demo-store", data: data),
      libraries: [StoreLibrary.self] + libraries
    )
  }

  private func local(_ app: App, _ database: String = Store.defaultDatabase) throws -> Store {
    try Store.store(app: app, database: database, settings: StoreSettings(isLocalOnly: true))
  }

  @Test func theLibraryIsRegistered() {
    #expect(LibraryRegistry.libraries.contains { $0.type == StoreLibrary.self })
  }

  @Test func documentsSurviveTheDeletionOfTheirApp() async throws {
    let directory = try TestDirectory()
    let first = try app("store-durable", .directory(directory.path))
    try await local(first).document("c/d").setData(["n": 1])
    await first.delete()
    let second = try app("store-durable", .directory(directory.path))
    #expect(try await local(second).document("c/d").getDocument().fields?["n"] == 1)
    await second.delete()
  }

  @Test func databasesOfAnAppAreSeparate() async throws {
    let directory = try TestDirectory()
    for data in [AppData.memory, .directory(directory.path)] {
      let app = try app("store-several", data)
      let (main, archive) = (try local(app), try local(app, "archive"))
      #expect(try local(app) === main)
      try await main.document("c/d").setData(["n": 1])
      #expect(try await !archive.document("c/d").getDocument().exists)
      try await archive.document("c/d").setData(["n": 2])
      #expect(try await main.document("c/d").getDocument().fields?["n"] == 1)
      await app.delete()
    }
  }

  @Test func databasesAreListedClosedAndDeletedIndividually() async throws {
    let directory = try TestDirectory()
    let first = try app("store-list", .directory(directory.path))
    #expect(try Store.databases(app: first) == [])
    for id in [Store.defaultDatabase, "archive", "drafts"] {
      try await local(first, id).document("c/d").setData(["in": id])
    }
    await first.delete()
    let second = try app("store-list", .directory(directory.path))
    #expect(try Store.databases(app: second) == [Store.defaultDatabase, "archive", "drafts"])
    let drafts = try local(second, "drafts")
    await drafts.terminate()
    try await drafts.clearPersistence()
    #expect(try Store.databases(app: second) == [Store.defaultDatabase, "archive"])
    #expect(try await local(second, "archive").document("c/d").getDocument().fields?["in"] == "archive")
    #expect(try await !local(second, "drafts").document("c/d").getDocument().exists)
    await second.delete()

    let memory = try app("store-list-memory", .memory)
    try await local(memory, "archive").document("c/d").setData(["n": 1])
    #expect(try Store.databases(app: memory) == ["archive"])
    await memory.delete()
  }

  @Test(arguments: ["", "abc", "Archive", "a/../../b", "x--", "1abc"])
  func anInvalidDatabaseNameIsRejected(name: String) async throws {
    let app = try app("store-name-\(UUID())", .memory)
    let thrown = #expect(throws: StoreError.self) { try Store.store(app: app, database: name) }
    #expect(thrown?.code == .invalidArgument)
    await app.delete()
  }

  @Test func aDeletedAppClosesItsDatabases() async throws {
    let app = try app("store-closed", .memory)
    let store = try Store.store(app: app)
    try await store.document("c/d").setData(["n": 1])
    await app.delete()
    let thrown = await #expect(throws: StoreError.self) { try await store.document("c/d").getDocument() }
    #expect(thrown?.code == .closed)
    #expect(throws: ComponentError.self) { try Store.store(app: app) }
  }

  @Test func theCurrentUserIsTheOneOfAuth() async throws {
    let alone = try app("store-alone", .memory)
    #expect(try await Store.store(app: alone).currentUserID == nil)
    await alone.delete()
    let together = try app("store-auth", .memory, libraries: [FakeAuthLibrary.self])
    try together.resolve(FakeAuth.self).signIn(userID: "ann")
    #expect(try await Store.store(app: together).currentUserID == "ann")
    await together.delete()
  }

  @Test func aDamagedFileIsReportedAndLeftUnchanged() async throws {
    let directory = try TestDirectory()
    let content = Data(repeating: 7, count: 5000)
    try content.write(to: URL(filePath: directory.file))
    let store = makeStore(directory)
    let thrown = await #expect(throws: StoreError.self) { try await store.document("c/d").setData(["n": 1]) }
    #expect(thrown?.code == .dataLoss)
    #expect(thrown?.message.contains(directory.file) == true)
    #expect(try Data(contentsOf: URL(filePath: directory.file)) == content)
  }

  @Test func timestampsAreStoredWithMicroseconds() {
    for moment in [
      Timestamp(seconds: 0), Timestamp(seconds: -1, nanoseconds: 999_999_000),
      Timestamp(seconds: 5, nanoseconds: 1000),
    ] {
      #expect(Timestamp(microsecondsSince1970: moment.microsecondsSince1970) == moment)
    }
  }
}
