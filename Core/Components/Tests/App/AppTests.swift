import Foundation
import Testing

@testable import TenonCore

struct AppTests {
  enum Shop: Library {
    static let name = "shop"
    static let version = SemanticVersion(1, 2, 3)
    static var components: [AnyComponent] {
      Component(String.self) { context in
        let app = try context.app
        return "\(app.name) of \(app.options.projectID)"
      }
    }
  }

  enum Stall: Library {
    static let name = "stall"
    static let version = SemanticVersion(1, 0, 0)
    static var components: [AnyComponent] { Component(Int.self) { _ in 1 } }
    static var backends: [AppBackend.Kind] { [.embedded] }
  }

  private let options = AppOptions(projectID: "demo-project")

  @Test func appsAreFoundByNameAndListed() async throws {
    let app = try App.configure(named: "apps-found", options: options, libraries: [Shop.self])
    #expect(App.named("apps-found") === app)
    #expect(App.all.contains { $0 === app })
    #expect(App.named("apps-unknown") == nil)
    #expect(try app.resolve(String.self) == "apps-found of demo-project")
    #expect(app.context.userAgent.contains("shop/1.2.3"))
    await app.delete()
    #expect(!App.all.contains { $0 === app })
  }

  @Test(arguments: ["", "a b", "a/b", "ä!"])
  func aBadNameIsRefused(name: String) {
    let thrown = error(ConfigurationError.self) {
      try App.configure(named: name, options: options, libraries: [])
    }
    #expect(thrown?.problems.map(\.code) == [.badName])
  }

  @Test func aFailedConfigurationLeavesTheNameFree() async throws {
    #expect(throws: ConfigurationError.self) {
      try App.configure(named: "apps-retry", options: AppOptions(projectID: ""), libraries: [])
    }
    let app = try App.configure(named: "apps-retry", options: options, libraries: [])
    await app.delete()
  }

  @Test func configuringOneNameAtOnceSucceedsOnce() async {
    let options = options
    let apps = await withTaskGroup(of: App?.self) { group -> [App] in
      for _ in 0..<50 {
        group.addTask { try? App.configure(named: "apps-race", options: options, libraries: [Shop.self]) }
      }
      return await group.reduce(into: []) { if let app = $1 { $0.append(app) } }
    }
    #expect(apps.count == 1)
    for app in apps { await app.delete() }
  }

  @Test func optionsChooseTheLibraries() async throws {
    var chosen = options
    chosen.libraries = ["stall"]
    let app = try App.configure(named: "apps-chosen", options: chosen, libraries: [Shop.self, Stall.self])
    #expect(app.graph.libraries.map(\.name) == ["stall"])
    #expect(try app.resolveIfPresent(String.self) == nil)
    await app.delete()
    chosen.libraries = ["stal"]
    let thrown = error(ConfigurationError.self) {
      try App.configure(named: "apps-chosen", options: chosen, libraries: [Stall.self])
    }
    #expect(thrown?.problems.map(\.code) == [.unknownLibrary])
    #expect(thrown?.description.contains("Did you mean \"stall\"?") == true)
  }

  @Test func theEmbeddedBackendNeedsALibraryThatServesIt() async throws {
    let embedded = AppOptions(projectID: "p", backend: .embedded(directory: nil))
    let thrown = error(ConfigurationError.self) {
      try App.configure(named: "apps-embedded", options: embedded, libraries: [Shop.self])
    }
    #expect(thrown?.problems.map(\.code) == [.missingBackend])
    #expect(thrown?.description.contains("Link the library TenonEmbedded.") == true)
    let app = try App.configure(
      named: "apps-embedded",
      options: embedded,
      libraries: [Shop.self, Stall.self]
    )
    await app.delete()
  }

  @Test func privateDirectoriesAreMadeForTheirOwnerOnly() throws {
    let base = FileManager.default.temporaryDirectory.appending(path: "tenon-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: base) }
    let context = AppContext(
      name: "one",
      options: AppOptions(projectID: "p", data: .directory(base)),
      userAgent: ""
    )
    let directory = try #require(try context.directory(for: "tenon-auth"))
    #expect(directory == "\(base)/one/tenon-auth")
    let mode = try FileManager.default.attributesOfItem(atPath: directory)[.posixPermissions] as? Int
    #expect(mode == 0o700)
  }

  @Test(
    arguments: [
      (AppData.memory, AppBackend.production), (.memory, .embedded(directory: "/d")),
      (.automatic, .embedded(directory: nil)),
    ] as [(AppData, AppBackend)]
  )
  func anAppInMemoryHasNoDirectories(data: AppData, backend: AppBackend) throws {
    let context = AppContext(
      name: "one",
      options: AppOptions(projectID: "p", backend: backend, data: data),
      userAgent: ""
    )
    #expect(try context.directory(for: "tenon-auth") == nil)
  }

  @Test func localStateLivesBesideADurableEmbeddedBackend() throws {
    let base = FileManager.default.temporaryDirectory.appending(path: "tenon-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: base) }
    let options = AppOptions(projectID: "p", backend: .embedded(directory: base))
    let context = AppContext(name: "one", options: options, userAgent: "")
    #expect(try context.directory(for: "tenon-auth") == "\(base)/apps/one/tenon-auth")
  }

  @Test func anUnusableDirectoryIsNamed() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "tenon-\(UUID())").path
    try Data().write(to: URL(filePath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    let context = AppContext(
      name: "one",
      options: AppOptions(projectID: "p", data: .directory(file)),
      userAgent: ""
    )
    let thrown = error(ConfigurationError.self) { try context.directory(for: "tenon-auth") }
    #expect(thrown?.problems.map(\.code) == [.unusableDirectory])
    #expect(thrown?.description.contains(file) == true)
  }
}
