import Foundation
import TenonTestSupport
import Testing

@testable import TenonCore

/// R14: the options that libraries require, and apps without any.
@Suite(.limited) struct RequiredOptionsTests {
  private enum Login: Library {
    static let name = "needing-login"
    static let version = SemanticVersion(1, 0, 0)
    static var components: [AnyComponent] { Component(Double.self) { _ in 1 } }
    static func requiredOptions(with options: AppOptions) -> [AppOption] {
      options.backend.kind == .production ? [.apiKey, .projectID] : [.projectID]
    }
  }

  private enum Sync: Library {
    static let name = "needing-sync"
    static let version = SemanticVersion(1, 0, 0)
    static var components: [AnyComponent] { Component(Int.self, needs: .required(Bool.self)) { _, _ in 1 } }
    static func requiredOptions(with options: AppOptions) -> [AppOption] { [.projectID] }
  }

  private enum Database: Library {
    static let name = "needing-nothing"
    static let version = SemanticVersion(1, 0, 0)
    static var components: [AnyComponent] {
      Component(String.self, needs: .optional(Double.self)) { _, login in login == nil ? "local" : "remote" }
    }
  }

  // MARK: - Apps without options

  @Test func anAppOfComponentsNeedsNoOptions() async throws {
    let app = try App.configure(name: "options-none", libraries: []) {
      Component((any Engine).self) { _ in Motor(power: 3) }
    }
    #expect(try app.resolve((any Engine).self).power == 3)
    #expect(app.options.projectID == nil)
    await app.delete()
  }

  @Test func componentsAndSourcesAreValidatedTogether() {
    struct Source: ComponentSource {
      var components: [AnyComponent] { Component(Int.self) { _ in 1 } }
    }
    let thrown = error(ConfigurationError.self) {
      try App.configure(name: "options-both", libraries: [], sources: [Source()]) {
        Component(Int.self) { _ in 2 }
        Component(Bool.self, needs: .required(Double.self)) { _, _ in true }
      }
    }
    #expect(thrown?.problems.map(\.code) == [.duplicateKey, .missingDependency])
  }

  @Test func anErrorOfTheClosureLeavesTheNameFree() async throws {
    func failing() throws -> [AnyComponent] { throw Failure() }
    // What is wrong with the options comes first.
    #expect(throws: ConfigurationError.self) {
      try App.configure(name: "options-throwing", options: AppOptions(projectID: "?"), libraries: []) {
        try failing()
      }
    }
    #expect(throws: Failure()) {
      try App.configure(name: "options-throwing", libraries: []) { try failing() }
    }
    let app = try App.configure(name: "options-throwing", libraries: []) {}
    await app.delete()
  }

  /// In a separate process, because the default app belongs to all tests.
  @Test func injectedPropertiesAreThoseOfTheDefaultAppWithoutOptions() async {
    await #expect(processExitsWith: .success) {
      struct Screen { @Injected var engine: any Engine }
      try App.configure(libraries: []) { Component((any Engine).self) { _ in Motor(power: 4) } }
      #expect(Screen().engine.power == 4)
    }
  }

  // MARK: - Libraries that require options

  @Test func r14EveryMissingOptionIsAProblemWithItsLibraries() {
    let thrown = error(ConfigurationError.self) {
      try App.configure(
        name: "options-missing", options: AppOptions(projectID: nil),
        libraries: [Login.self, Sync.self, Database.self])
    }
    #expect(thrown?.problems.map(\.code) == [.missingOption, .missingOption, .missingDependency])
    #expect(
      thrown?.problems.first?.description == """
        TENON-301: needing-login requires the option apiKey, which isn't set.
          - Set it: AppOptions(apiKey: "…"), TENON_API_KEY in the environment, or "apiKey" in tenon.json.
          - If the app can do without the library, list the others in AppOptions.libraries.
        """)
    #expect(
      thrown?.problems.dropFirst().first?.message
        == "needing-login and needing-sync require the option projectID, which isn't set.")
  }

  @Test func r14AnOptionIsRequiredByTheActivatedLibrariesOnly() async throws {
    let options = AppOptions(data: .memory, libraries: [Database.name])
    let app = try App.configure(
      name: "options-selected", options: options, libraries: [Login.self, Database.self])
    #expect(try app.resolve(String.self) == "local")
    await app.delete()
  }

  @Test func r14WhatIsRequiredDependsOnTheOtherOptions() async throws {
    let options = AppOptions(projectID: "p", backend: .emulator(.standard()))
    let app = try App.configure(
      name: "options-emulator", options: options, libraries: [Login.self, Database.self])
    #expect(try app.resolve(String.self) == "remote")
    await app.delete()
  }

  /// A login that can't exist doesn't make a database fail.
  @Test func r14ALiveAppDoesWithoutALoadedLibraryWhoseOptionsAreMissing() async throws {
    enum Late: Library {
      static let name = "needing-late"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] { Component([Late].self) { _ in [] } }
      static func requiredOptions(with options: AppOptions) -> [AppOption] {
        options.senderID == "777" ? [.storageBucket] : []
      }
    }
    struct Source: ComponentSource {
      var components: [AnyComponent] {
        Component(String.self, needs: .optionalProvider([Late].self)) { _, late in
          try late.get() == nil ? "without" : "with"
        }
      }
    }
    let app = try App.configure(
      name: "options-late",
      options: AppOptions(projectID: "p", apiKey: "any", senderID: "777", data: .memory), sources: [Source()])
    _ = LibraryRegistry.register(adding: Late.self)
    let thrown = error(ConfigurationError.self) { try app.adoptLoadedLibraries() }
    let message = "needing-late requires the option storageBucket, which isn't set."
    #expect(thrown?.problems.contains { $0.code == .missingOption && $0.message == message } == true)
    #expect(try app.resolve(String.self) == "without")
    await app.delete()
  }

  @Test func aRequiredValueThatIsMissingDeclines() {
    #expect(throws: ComponentUnavailable.self) { try AppOptions(projectID: "").required(.projectID) }
    #expect(throws: ComponentUnavailable("The app's options have no apiKey. Set AppOptions.apiKey.")) {
      try AppOptions(projectID: "p").required(.apiKey)
    }
    #expect((try? AppOptions(projectID: "p").required(.projectID)) == "p")
    #expect(AppOptions(projectID: "p")[AppOption(rawValue: "later")] == nil)
  }

  // MARK: - Sources of options

  @Test func optionsWithoutAProjectAreValid() throws {
    #expect(try AppOptions(environment: ["TENON_API_KEY": "k"]) == AppOptions(apiKey: "k"))
    let available = try AppOptions.available(environment: ["TENON_DATA": "memory"], in: "/nowhere")
    #expect(available.all == AppOptions(data: .memory))
    #expect(available.discovered == nil)
  }

  @Test func anAutomaticDirectoryRequiresAProject() {
    let context = AppContext(name: "one", options: AppOptions(projectID: nil), userAgent: "")
    let thrown = error(ConfigurationError.self) { try context.directory(for: "shop") }
    #expect(thrown?.problems.map(\.code) == [.unusableDirectory])
    #expect(thrown?.problems.first?.repairs.first == "Set AppOptions.projectID.")
    #expect(AppOptions(projectID: nil).storesByProject)
    #expect(!AppOptions(data: .memory).storesByProject)
    #expect(!AppOptions(backend: .embedded(directory: nil)).storesByProject)
  }
}
