import Foundation
import TenonCore
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The choice of a database's remote among those that libraries contribute and the app's own.
@Suite(.limited) struct SelectedRemoteTests {
  /// Contributes a remote, and one that declines.
  private enum OneRemote: Library {
    static let name = "one-remote"
    static let version = SemanticVersion(1, 0, 0)
    @ComponentBuilder static var components: [AnyComponent] {
      Component(FakeStoreRemote.self) { _ in FakeStoreRemote() }
        .contributing(to: (any StoreRemote).self) { $0 }
      Component((any StoreRemote).self) { _ in throw ComponentUnavailable("It serves another backend.") }
        .contributing()
    }
  }

  /// Contributes another remote.
  private enum AnotherRemote: Library {
    static let name = "another-remote"
    static let version = SemanticVersion(1, 0, 0)
    @ComponentBuilder static var components: [AnyComponent] {
      Component(RemoteWithoutIDs.self) { _ in RemoteWithoutIDs() }
        .contributing(to: (any StoreRemote).self) { $0 }
    }
  }

  /// An app's own remote.
  private enum OwnRemote: Library {
    static let name = "own-remote"
    static let version = SemanticVersion(1, 0, 0)
    @ComponentBuilder static var components: [AnyComponent] {
      Component((any StoreRemote).self) { _ in RemoteWithoutIDs() }
    }
  }

  /// A contributed remote that can't be created.
  private enum BrokenRemote: Library {
    struct Broken: Error {}
    static let name = "broken-remote"
    static let version = SemanticVersion(1, 0, 0)
    @ComponentBuilder static var components: [AnyComponent] {
      Component((any StoreRemote).self) { _ in throw Broken() }.contributing()
    }
  }

  private func withApp(_ libraries: [any Library.Type], _ body: (App) throws -> Void) async throws {
    let app = try App.configure(
      name: "selected-remote-\(UUID())", options: AppOptions(projectID: "demo-store", data: .memory),
      libraries: [StoreLibrary.self] + libraries)
    do {
      try body(app)
      await app.delete()
    } catch {
      await app.delete()
      throw error
    }
  }

  @Test func theContributedRemoteIsUsedAndOneThatDeclinesIsNot() async throws {
    try await withApp([OneRemote.self]) { app in
      let remote = try Store.store(app: app).engine.configuration.remote
      #expect(remote as? FakeStoreRemote === (try app.resolve(FakeStoreRemote.self)))
    }
  }

  @Test func severalContributedRemotesAreAnErrorThatNamesThem() async throws {
    try await withApp([OneRemote.self, AnotherRemote.self]) { app in
      let error = #expect(throws: StoreError.self) { _ = try Store.store(app: app) }
      #expect(error?.code == .failedPrecondition)
      #expect(error?.message.contains("RemoteWithoutIDs and ") == true)
      #expect(error?.message.contains("FakeStoreRemote. Link one of them") == true)
      // A local-only database needs none.
      _ = try Store.store(app: app, settings: StoreSettings(isLocalOnly: true))
    }
  }

  @Test func theAppsOwnRemoteTakesTheirPlace() async throws {
    let contributed: [[any Library.Type]] = [
      [], [OneRemote.self], [OneRemote.self, AnotherRemote.self], [BrokenRemote.self],
    ]
    for libraries in contributed {
      try await withApp([OwnRemote.self] + libraries) { app in
        let store = try Store.store(app: app)
        #expect(store.engine.configuration.remote is RemoteWithoutIDs)
      }
    }
  }

  @Test func anErrorOfAContributedRemoteIsNotTheAbsenceOfOne() async throws {
    try await withApp([BrokenRemote.self]) { app in
      _ = #expect(throws: ComponentError.self) { _ = try Store.store(app: app) }
    }
  }
}
