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
      named: name, options: AppOptions(projectID: "p", data: .memory, libraries: names), libraries: libraries,
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
    #expect(LibraryRegistry.libraries.contains { $0 == Used.self })
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

  @Test func r13AProductIsFoundByTheNameOfItsInteropModule() {
    #expect(ComponentKey(Int.self).interopProduct == nil)
    #expect(DroppedRegistration.unregisteredProduct(of: ComponentKey((any Engine).self)) == nil)
  }
}
