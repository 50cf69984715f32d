import Foundation
import TenonTestSupport
import Testing

@testable import TenonCore

@Suite(.limited) struct AppTests {
  enum Shop: Library {
    static let name = "shop"
    static let version = SemanticVersion(1, 2, 3)
    static var components: [AnyComponent] {
      Component(String.self) { context in
        let app = try context.app
        return "\(app.name) of \(app.options.projectID ?? "none")"
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
    let app = try App.configure(name: "apps-found", options: options, libraries: [Shop.self])
    #expect(App.app(name: "apps-found") === app)
    #expect(App.all.contains { $0 === app })
    #expect(App.app(name: "apps-unknown") == nil)
    #expect(try app.resolve(String.self) == "apps-found of demo-project")
    #expect(app.context.userAgent.contains("shop/1.2.3"))
    await app.delete()
    #expect(!App.all.contains { $0 === app })
  }

  @Test(arguments: ["", "a b", "a/b", "ä!", ".", "..", "..."])
  func anInvalidNameIsRejected(name: String) {
    let thrown = error(ConfigurationError.self) {
      try App.configure(name: name, options: options, libraries: [])
    }
    #expect(thrown?.problems.map(\.code) == [.badName])
  }

  @Test func aFailedConfigurationLeavesTheNameFree() async throws {
    #expect(throws: ConfigurationError.self) {
      try App.configure(name: "apps-retry", options: AppOptions(projectID: ""), libraries: [])
    }
    let app = try App.configure(name: "apps-retry", options: options, libraries: [])
    await app.delete()
  }

  @Test func concurrentConfigurationsOfOneNameSucceedOnce() async {
    let options = options
    let apps = await withTaskGroup(of: App?.self) { group -> [App] in
      for _ in 0..<50 {
        group.addTask { try? App.configure(name: "apps-race", options: options, libraries: [Shop.self]) }
      }
      return await group.reduce(into: []) { if let app = $1 { $0.append(app) } }
    }
    #expect(apps.count == 1)
    for app in apps { await app.delete() }
  }

  @Test func optionsChooseTheLibraries() async throws {
    var chosen = options
    chosen.libraries = ["stall"]
    let app = try App.configure(name: "apps-chosen", options: chosen, libraries: [Shop.self, Stall.self])
    #expect(app.graph.libraries.map(\.name) == ["stall"])
    #expect(try app.resolveIfPresent(String.self) == nil)
    await app.delete()
    chosen.libraries = ["stal"]
    let thrown = error(ConfigurationError.self) {
      try App.configure(name: "apps-chosen", options: chosen, libraries: [Stall.self])
    }
    #expect(thrown?.problems.map(\.code) == [.unknownLibrary])
    #expect(thrown?.description.contains("Did you mean \"stall\"?") == true)
  }

  @Test func theEmbeddedBackendNeedsALibraryThatProvidesIt() async throws {
    let embedded = AppOptions(projectID: "p", backend: .embedded(directory: nil))
    let thrown = error(ConfigurationError.self) {
      try App.configure(name: "apps-embedded", options: embedded, libraries: [Shop.self])
    }
    #expect(thrown?.problems.map(\.code) == [.missingBackend])
    #expect(thrown?.description.contains("Link the library TenonEmbedded.") == true)
    let app = try App.configure(
      name: "apps-embedded",
      options: embedded,
      libraries: [Shop.self, Stall.self]
    )
    await app.delete()
  }

  @Test(arguments: ["", ".", "..", "../other", "a/b", "a\u{0}b"])
  func aLibraryHasNoDirectoryOutsideItsApp(library: String) {
    let base = FileManager.default.temporaryDirectory.appending(path: "tenon-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: base) }
    let context = AppContext(
      name: "one", options: AppOptions(projectID: "p", data: .directory(base)), userAgent: "")
    let thrown = error(ConfigurationError.self) { try context.directory(for: library) }
    #expect(thrown?.problems.map(\.code) == [.unusableDirectory])
    #expect(!FileManager.default.fileExists(atPath: base))
  }

  #if os(Linux)
    @Test(
      arguments: [
        (["XDG_DATA_HOME": "/data", "HOME": "/home/ann"], "/home/ann", "/data"),
        (["XDG_DATA_HOME": "data"], "/home/ann", "/home/ann/.local/share"),
        (["XDG_DATA_HOME": ""], "/root", "/root/.local/share"),
        ([:], "/", "/.local/share"),
        (["XDG_DATA_HOME": "/data"], "/var/empty", "/data"),
        ([:], "/var/empty", nil),
        (["HOME": "home"], "home", nil),
        ([:], "", nil),
      ] as [([String: String], String, String?)])
    func applicationDataIsBelowAnAbsoluteDirectoryOrNowhere(
      environment: [String: String], home: String, data: String?
    ) {
      #expect(AppContext.applicationData(environment, home: home) == data)
    }
  #endif

  @Test func aProjectHasNoDirectoryOutsideTheApplicationData() {
    // Options are checked before an app is created; a context that skips the check must not escape the
    // directory either.
    let context = AppContext(name: "one", options: AppOptions(projectID: "../../p"), userAgent: "")
    #expect(error(ConfigurationError.self) { try context.directory(for: "l") } != nil)
  }

  @Test func privateDirectoriesAreAccessibleToTheirOwnerOnly() throws {
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

  @Test func localStateIsStoredBesideADurableEmbeddedBackend() throws {
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
    let reason = String(cString: strerror(ENOTDIR))
    #expect(
      thrown?.problems.first?.message
        == "The directory \(file)/one/tenon-auth of tenon-auth can't be created: \(reason).")
  }

  // MARK: - While an app is being configured

  /// A component whose creation blocks until the test releases it.
  private struct Stop: ComponentSource {
    let reached = DispatchSemaphore(value: 0)
    let goOn = DispatchSemaphore(value: 0)
    var failure: Failure?

    var components: [AnyComponent] {
      Component(Int.self) { [self] _ in
        reached.signal()
        goOn.wait()
        if let failure { throw failure }
        return 1
      }.timing(.eager)
    }
  }

  private func configure(_ name: String, _ sources: [any ComponentSource] = []) throws -> App {
    try App.configure(name: name, options: options, libraries: [], sources: sources)
  }

  @Test func aLookUpOfAnAppThatIsBeingConfiguredWaits() async throws {
    let stop = Stop()
    async let configured = onThread { Result { try configure("apps-awaited", [stop]) } }
    async let found = onThread { () -> [App?] in
      stop.reached.wait()
      let late = Thread { stop.goOn.signal() }
      late.start()
      return [App.app(name: "apps-awaited"), try? AppRegistry.app("apps-awaited")]
    }
    let app = try await configured.get()
    #expect(await found.allSatisfy { $0 === app })
    await app.delete()
  }

  @Test func configuringAnAppThatIsBeingConfiguredReportsItAsConfigured() async throws {
    let stop = Stop()
    async let first = onThread { Result { try configure("apps-both", [stop]) } }
    async let second = onThread { () -> [App?] in
      stop.reached.wait()
      Thread { stop.goOn.signal() }.start()
      let thrown = error(ConfigurationError.self) { try configure("apps-both") }
      return thrown?.problems.map(\.code) == [.alreadyConfigured] ? [App.app(name: "apps-both")] : []
    }
    let app = try await first.get()
    #expect(await second.map { $0 === app } == [true])
    await app.delete()
  }

  @Test func aCallerThatWaitedForAFailedConfigurationCanConfigureTheApp() async throws {
    let stop = Stop(failure: Failure())
    async let first = onThread { Result { try configure("apps-second-try", [stop]) } }
    async let second = onThread {
      stop.reached.wait()
      Thread { stop.goOn.signal() }.start()
      return Result { try configure("apps-second-try") }
    }
    #expect(await first.componentError?.code == .creationFailed)
    let app = try await second.get()
    #expect(App.app(name: "apps-second-try") === app)
    await app.delete()
  }

  /// Waiting would deadlock, because the configuration waits for the creation.
  @Test func aCreationThatLooksUpItsOwnUnconfiguredAppThrows() async throws {
    struct Asking: ComponentSource {
      let journal: Journal
      var components: [AnyComponent] {
        Component(Int.self) { [journal] _ in
          if App.app(name: "apps-inside") != nil { journal.note("found") }
          do { _ = try AppRegistry.app("apps-inside") } catch { journal.note("\(error)") }
          do {
            try App.configure(name: "apps-inside", options: AppOptions(projectID: "p"), libraries: [])
          } catch { journal.note("\(error)") }
          return 1
        }.timing(.eager)
      }
    }
    let journal = Journal()
    let app = try configure("apps-inside", [Asking(journal: journal)])
    #expect(
      journal.entries == [
        """
        TENON-307: The app "apps-inside" is being configured, and a creation can't wait for that.
          - Ask for it when App.configure has returned, for example in .onStart.
        """,
        """
        TENON-306: The app "apps-inside" is configured already.
          - Use it: App.app(name: "apps-inside").
          - Delete it first.
        """,
      ])
    await app.delete()
  }
}
