import Foundation
import TenonTestSupport
import Testing

@testable import TenonCore

/// R13: libraries that are used without being registered. Integration tests that the linker drops
/// registrations.
@Suite(.limited) struct DroppedRegistrationTests {
  /// A component of a library; each test has its own `Tag`.
  final class Piece<Tag: Sendable>: Sendable {}

  private static func configure(
    _ name: String, libraries: [any Library.Type]? = nil, only names: [String]? = nil,
    @ComponentBuilder _ components: () -> [AnyComponent] = { [] }
  ) throws -> App {
    struct Source: ComponentSource { let components: [AnyComponent] }
    return try App.configure(
      name: name, options: AppOptions(projectID: "p", apiKey: "any", data: .memory, libraries: names),
      libraries: libraries,
      sources: [Source(components: components())])
  }

  @Test func r13ALibraryThatIsUsedIsRegisteredAndAdopted() async throws {
    enum Used: Library {
      static let name = "dropped-used"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] {
        Component(Piece<Used>.self) { _ in Piece() }
        Component(Piece<Used>.self) { _ in Piece() }.named("second")
      }
    }
    let app = try Self.configure("dropped-used")
    #expect(try app.resolveIfPresent(Piece<Used>.self) == nil)
    let piece = try app.resolve(Piece<Used>.self, from: Used.self)
    #expect(try app.resolve(Piece<Used>.self) === piece)
    #expect(try app.resolve(Piece<Used>.self, named: "second", from: Used.self) !== piece)
    #expect(app.graph.libraries.contains { $0.name == "dropped-used" })
    #expect(LibraryRegistry.libraries.contains { $0.type == Used.self })
    await app.delete()
  }

  enum Listed: Library {
    static let name = "dropped-listed"
    static let version = SemanticVersion(1, 0, 0)
    static var components: [AnyComponent] { Component(Piece<Listed>.self) { _ in Piece() } }
  }

  @Test func r13AnErrorOfAnAppWithExplicitLibrariesNamesTheMissingOne() async throws {
    let app = try Self.configure("dropped-listed", libraries: [])
    let thrown = error(ComponentError.self) { try app.resolve(Piece<Listed>.self, from: Listed.self) }
    #expect(thrown?.code == .notRegistered)
    #expect(
      thrown?.description == """
        TENON-212: Piece<Listed> comes from the library dropped-listed, which isn't among those that the app "dropped-listed" was configured with.
          - Add Listed.self to App.configure(libraries:).
        """)
    await app.delete()
  }

  @Test func r13AnErrorOfAnAppWhoseOptionsSelectLibrariesNamesTheMissingOne() async throws {
    enum Activated: Library {
      static let name = "dropped-activated"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] { [] }
    }
    LibraryRegistry.register(Activated.self)
    let app = try Self.configure("dropped-options", only: ["dropped-activated"])
    #expect(
      error(ComponentError.self) { try app.resolve(Piece<Listed>.self, from: Listed.self) }?.description
        == """
        TENON-212: Piece<Listed> comes from the library dropped-listed, which the options of the app "dropped-options" don't activate.
          - Add "dropped-listed" to AppOptions.libraries.
        """)
    await app.delete()
  }

  /// A creation can't change its own container.
  ///
  /// In a separate process: when another test registers a library, all apps adopt what has been registered,
  /// on another thread. That may happen between the registration and the error, and then there is no error.
  @Test func r13TheErrorOfADroppedLibraryExplainsHowToKeepIt() async throws {
    await #expect(processExitsWith: .success) {
      enum Late: Library {
        static let name = "dropped-late"
        static let version = SemanticVersion(1, 0, 0)
        static var components: [AnyComponent] { Component(Piece<Late>.self) { _ in Piece() } }
      }
      struct User: Sendable { let piece: Piece<Late> }
      let app = try Self.configure("dropped-late") {
        Component(User.self) { _ in
          User(piece: try AppRegistry.app("dropped-late").resolve(Piece<Late>.self, from: Late.self))
        }
      }
      let thrown = error(ComponentError.self) { try app.resolve(User.self) }
      #expect(thrown?.code == .notRegistered)
      #expect(thrown?.repairs.first?.contains("--whole-archive") == true)
      #expect(thrown?.repairs.last == "List the libraries: App.configure(libraries: [Late.self, …]).")
      // Outside of a creation, the library is adopted.
      _ = try app.resolve(Piece<Late>.self, from: Late.self)
      await app.delete()
    }
  }

  @Test func r13OtherErrorsEqualThoseOfResolve() async throws {
    enum Failing: Library {
      static let name = "dropped-failing"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] {
        Component(Piece<Failing>.self) { _ in throw Failure() }
        Component(Int.self) { _ in throw ComponentUnavailable("not today") }.named("declining")
      }
    }
    let app = try Self.configure("dropped-failing", libraries: [Failing.self])
    func code<Value: Sendable>(_ type: Value.Type, named name: String? = nil) -> ComponentError.Code? {
      error(ComponentError.self) { try app.resolve(type, named: name, from: Failing.self) }?.code
    }
    #expect(code(Piece<Failing>.self) == .creationFailed)
    #expect(code(Int.self, named: "declining") == .unavailable)
    // The library is registered, but has no such component.
    #expect(code(Piece<Int>.self) == .notProvided)
    await app.delete()
    #expect(code(Piece<Failing>.self) == .appDeleted)
  }

  // MARK: - Types of modules without libraries

  @Test func r13AnErrorNamesTheModuleOfWhichNoLibraryHasRegistered() async throws {
    let app = try Self.configure("dropped-type")
    let thrown = error(ComponentError.self) { try app.resolve(RecordedLog.self) }
    let suspicion =
      "No library of the module TenonTestSupport, which declares it, has registered. If it has a library, the linker "
      + "dropped its registration."
    #expect(thrown?.repairs.contains(suspicion) == true)
    #expect(
      thrown?.repairs.last
        == "List the libraries: App.configure(libraries: [TenonTestSupport.…Library.self, …]).")
    // A library of this module has registered, and those of the toolchain have none.
    #expect(error(ComponentError.self) { try app.resolve(Car.self) }?.description.contains("module") == false)
    #expect(
      error(ComponentError.self) { try app.resolve(UInt8.self) }?.description.contains("module") == false)
    let listed = try Self.configure("dropped-type-listed", libraries: [])
    #expect(
      error(ComponentError.self) { try listed.resolve(RecordedLog.self) }?.repairs.contains(suspicion)
        == false)
    await app.delete()
    await listed.delete()
  }

  @Test func r13AModuleThatDeclaresComponentsIsNotSuspected() throws {
    let key = ComponentKey(RecordedLog.self)
    let silent = try ComponentContainer {
      Component(Int.self) { _ in 1 }
    }
    #expect(silent.currentWiring.silentModule(of: key) == "TenonTestSupport")
    let declaring = try ComponentContainer {
      Component(Int.self, file: "TenonTestSupport/Log.swift") { _ in 1 }
    }
    #expect(declaring.currentWiring.silentModule(of: key) == nil)
  }

  @Test func r13ANilOfAModuleWithoutLibrariesIsLoggedOnce() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let app = try Self.configure("dropped-nil")
      for _ in 0..<3 { #expect(try app.resolveIfPresent(RecordedLog.self) == nil) }
      #expect(try app.resolveIfPresent(RecordedLog.self, named: "other") == nil)
      #expect(try app.resolveIfPresent([RecordedLog].self) == nil)
      await app.delete()
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    let begin = "notice tenon-core: The app \"dropped-nil\" provides no RecordedLog. No library of the module"
    #expect(text.components(separatedBy: begin).count == 2, "\(text)")
    #expect(text.components(separatedBy: "No library of the module").count == 2, "\(text)")
  }

  @Test func r13AProductIsFoundByTheNameOfItsInteropModule() {
    #expect(ComponentKey(Int.self).interopProduct == nil)
    #expect(DroppedRegistration.unregisteredProduct(of: ComponentKey((any Engine).self)) == nil)
  }
}
