import Testing

@testable import TenonCore

/// R11: libraries that register when an app is configured already. What a test registers stays in the process, so it must
/// be fit for every app.
struct AdoptionTests {
  enum Late: Library {
    static let name = "adoption-late"
    static let version = SemanticVersion(1, 0, 0)
    static var components: [AnyComponent] {
      Component(Brought.self) { _ in Brought() }
      Component((any Arrival).self) { _ in Brought() }.contributing()
    }
  }

  enum Later: Library {
    static let name = "adoption-later"
    static let version = SemanticVersion(3, 0, 0)
    static var components: [AnyComponent] { Component((any Arrival).self) { _ in Brought() }.contributing() }
  }

  protocol Arrival: Sendable {}
  final class Brought: Arrival {}

  struct Waiting: ComponentSource {
    final class Hall: Sendable {
      let brought: Deferred<Brought>
      let arrivals: Provider<[any Arrival]>
      init(brought: Deferred<Brought>, arrivals: Provider<[any Arrival]>) {
        self.brought = brought
        self.arrivals = arrivals
      }
    }
    var components: [AnyComponent] { Component(from: Hall.init(brought:arrivals:)) }
  }

  @Test func r11ALiveAppAdoptsWhatRegistersLater() async throws {
    let options = AppOptions(projectID: "p")
    let app = try App.configure(named: "adoption", options: options, sources: [Waiting()])
    let explicit = try App.configure(named: "adoption-not", options: options, libraries: [])
    let hall = try app.resolve(Waiting.Hall.self)
    #expect(try hall.brought.get() == nil)
    #expect(try hall.arrivals.get().isEmpty)

    LibraryRegistry.register(Late.self)
    // The deferred need is met without anybody asking the app.
    let brought = try await hall.brought.value()
    #expect(try app.resolve(Brought.self) === brought)
    #expect(try hall.arrivals.get().count == 1)
    #expect(app.graph.libraries.contains { $0.name == "adoption-late" })
    // An explicit list is what it is.
    #expect(try explicit.resolveIfPresent(Brought.self) == nil)

    LibraryRegistry.register(Later.self)
    try app.adoptLoadedLibraries()
    while try hall.arrivals.get().count < 2 { await Task.yield() }
    #expect(try app.resolve(Brought.self) === brought)
    await app.delete()
    await explicit.delete()
  }
}
