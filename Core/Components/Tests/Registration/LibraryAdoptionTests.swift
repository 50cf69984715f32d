import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonCore

// Registrations are global to the process: every app of these tests without explicit libraries adopts all of
// these. So each library has its own keys and doesn't affect other apps; libraries that do are tested in
// Integration.

/// Adoption (R11) of libraries that are registered while the process runs, without loading images.
@Suite(.limited) struct LibraryAdoptionTests {
  /// A component of a late library; each test has its own `Tag`.
  final class Late<Tag: Sendable>: Sendable {}

  private static func configure(
    _ name: String, _ sources: [any ComponentSource] = [], only libraries: [String]? = nil
  ) throws -> App {
    try App.configure(
      name: name, options: AppOptions(projectID: "p", apiKey: "any", data: .memory, libraries: libraries),
      sources: sources)
  }

  /// An action that a component performs in the app of one test.
  struct Errand: Sendable {
    let app: String
    let action: @Sendable () throws -> Void
  }

  /// Components that belong to no library.
  struct Source: ComponentSource {
    let components: [AnyComponent]
    init(@ComponentBuilder _ components: () -> [AnyComponent]) { self.components = components() }
  }

  // MARK: - Adopting

  @Test func r11ALiveAppAdoptsALibraryThatRegisters() async throws {
    enum Adopted: Library {
      static let name = "late-adopted"
      static let version = SemanticVersion(1, 2, 0)
      static var components: [AnyComponent] { Component(Late<Adopted>.self) { _ in Late() } }
    }
    let app = try Self.configure("late-adopted")
    #expect(try app.resolveIfPresent(Late<Adopted>.self) == nil)
    LibraryRegistry.register(Adopted.self)
    try app.adoptLoadedLibraries()
    #expect(app.graph.libraries.contains { $0.name == "late-adopted" && $0.version == "1.2.0" })
    #expect(try app.resolve(Late<Adopted>.self) === app.resolve(Late<Adopted>.self))
    await app.delete()
  }

  @Test func r11TheGraphHasWhatWasLoadedBeforeAnythingIsRequested() async throws {
    enum Seen: Library {
      static let name = "late-seen"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] { Component(Late<Seen>.self) { _ in Late() } }
    }
    let app = try Self.configure("late-seen")
    let child = try app.container.child {}
    // Without the notification, which another thread handles.
    _ = LibraryRegistry.register(adding: Seen.self)
    #expect(app.graph.libraries.contains { $0.name == "late-seen" })
    #expect(child.graph.libraries.contains { $0.name == "late-seen" })
    await app.delete()
  }

  @Test func r11DeferredNeedsAreDeliveredWithoutALookUp() async throws {
    enum Delivered: Library {
      static let name = "late-delivered"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] { Component(Late<Delivered>.self) { _ in Late() } }
    }
    struct Waiting: Sendable { let late: Deferred<Late<Delivered>> }
    let components = Source {
      Component(Waiting.self, needs: .deferred(Late<Delivered>.self)) { _, late in Waiting(late: late) }
    }
    let app = try Self.configure("late-delivered", [components])
    let late = try app.resolve(Waiting.self).late
    #expect(try late.get() == nil)
    let (deliveries, delivery) = AsyncStream<Late<Delivered>>.makeStream()
    late.whenAvailable { delivery.yield($0) }
    async let value = late.value()
    LibraryRegistry.register(Delivered.self)
    var iterator = deliveries.makeAsyncIterator()
    let delivered = await iterator.next()
    let awaited = try await value
    #expect(try delivered === app.resolve(Late<Delivered>.self))
    #expect(awaited === delivered)
    await app.delete()
  }

  enum Nested<Tag: Sendable>: Library {
    static var name: String { "late-nested-\(Tag.self)".filter { $0.isLetter || $0.isNumber || $0 == "-" } }
    static var version: SemanticVersion { SemanticVersion(1, 0, 0) }
    static var components: [AnyComponent] { Component(Late<Tag>.self) { _ in Late() } }
  }

  /// One of the threads or the queue adopts the library; the other threads wait for the adoption and then
  /// find the component.
  @Test func r11EveryThreadFindsLibrariesRegisteredBefore() async throws {
    let app = try Self.configure("late-threads")
    func check<Tag: Sendable>(_ tag: Tag.Type, depth: Int) async throws {
      LibraryRegistry.register(Nested<Tag>.self)
      let found = await withTaskGroup(of: Late<Tag>?.self) { group in
        for _ in 0..<4 { group.addTask { await onThread { try? app.resolve(Late<Tag>.self) } } }
        return await group.reduce(into: [Late<Tag>?]()) { $0.append($1) }
      }
      #expect(found.count == 4 && found.allSatisfy { $0 != nil && $0 === found[0] })
      if depth > 0 { try await check([Tag].self, depth: depth - 1) }
    }
    try await check(Int8.self, depth: 12)
    await app.delete()
  }

  @Test func r11ALibraryThatRegistersDuringConfigurationIsAdopted() async throws {
    enum Meanwhile: Library {
      static let name = "late-meanwhile"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] { Component(Late<Meanwhile>.self) { _ in Late() } }
    }
    struct Loader: Sendable {}
    let components = Source {
      Component(Loader.self) { _ in
        LibraryRegistry.register(Meanwhile.self)
        return Loader()
      }.timing(.eager)
    }
    let app = try Self.configure("late-meanwhile", [components])
    #expect(app.graph.libraries.contains { $0.name == "late-meanwhile" })
    await app.delete()
  }

  @Test func r11AChildHasWhatItsParentAdopts() async throws {
    enum Inherited: Library {
      static let name = "late-inherited"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] { Component(Late<Inherited>.self) { _ in Late() } }
    }
    let app = try Self.configure("late-inherited")
    let child = try app.container.child {}
    LibraryRegistry.register(Inherited.self)
    #expect(try child.resolve(Late<Inherited>.self) === app.resolve(Late<Inherited>.self))
    await app.delete()
  }

  // MARK: - Not adopting

  @Test func r11AnAppWithExplicitLibrariesAdoptsNoOthers() async throws {
    enum Given: Library {
      static let name = "late-given"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] { [] }
    }
    enum Foreign: Library {
      static let name = "late-foreign"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] { Component(Late<Foreign>.self) { _ in Late() } }
    }
    LibraryRegistry.register(Given.self)
    let listed = try App.configure(
      name: "late-listed", options: AppOptions(projectID: "p", data: .memory), libraries: [Given.self])
    let filtered = try Self.configure("late-filtered", only: ["late-given"])
    LibraryRegistry.register(Foreign.self)
    for app in [listed, filtered] {
      try app.adoptLoadedLibraries()
      #expect(try app.resolveIfPresent(Late<Foreign>.self) == nil)
      await app.delete()
    }
  }

  @Test func r11ACollidingLibraryIsReportedUntilTheCollisionEnds() async throws {
    enum Collides: Library {
      static let name = "late-collides"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] { Component(Late<Collides>.self) { _ in Late() } }
    }
    let own = Late<Collides>()
    let components = Source { Component(Late<Collides>.self) { _ in own } }
    let app = try Self.configure("late-collides", [components])
    LibraryRegistry.register(Collides.self)
    for _ in 0..<2 {
      let thrown = error(ConfigurationError.self) { try app.adoptLoadedLibraries() }
      #expect(thrown?.problems.map(\.code) == [.duplicateKey])
      #expect(thrown?.description.contains("late-collides 1.0.0") == true)
    }
    #expect(try app.resolve(Late<Collides>.self) === own)
    #expect(!app.graph.libraries.contains { $0.name == "late-collides" })
    try await app.container.update { $0.remove(Late<Collides>.self) }.value
    try app.adoptLoadedLibraries()
    #expect(try app.resolve(Late<Collides>.self) !== own)
    await app.delete()
  }

  @Test func r11AFailingEagerComponentPreventsTheAdoption() async throws {
    let repairs = Counter()
    let errand = Errand(app: "late-eager") { if repairs.value == 0 { throw Failure() } }
    EagerLibrary.errand.withLock { $0 = errand }
    let app = try Self.configure("late-eager")
    LibraryRegistry.register(EagerLibrary.self)
    let thrown = error(ConfigurationError.self) { try app.adoptLoadedLibraries() }
    #expect(thrown?.problems.map(\.code) == [.adoption])
    #expect(thrown?.description.contains("late-eager") == true)
    #expect(try app.resolveIfPresent(Late<EagerLibrary>.self) == nil)
    repairs.increment()
    try app.adoptLoadedLibraries()
    #expect(app.graph.libraries.contains { $0.name == "late-eager" })
    await app.delete()
  }

  @Test func r11AdoptionDuringACreationIsRejectedAndTriedAgain() async throws {
    enum Wanted: Library {
      static let name = "late-wanted"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] { Component(Late<Wanted>.self) { _ in Late() } }
    }
    struct Hasty: Sendable {}
    let components = Source {
      Component(Hasty.self) { _ in
        try App.app(name: "late-wanted")?.adoptLoadedLibraries()
        return Hasty()
      }
    }
    let app = try Self.configure("late-wanted", [components])
    LibraryRegistry.register(Wanted.self)
    let thrown = error(ComponentError.self) { try app.resolve(Hasty.self) }
    #expect(thrown?.code == .updateWhileCreating)
    #expect(try app.resolve(Late<Wanted>.self) === app.resolve(Late<Wanted>.self))
    await app.delete()
  }

  @Test func r11ADeletedAppAdoptsNothing() async throws {
    let app = try Self.configure("late-deleted")
    await app.delete()
    let thrown = error(ComponentError.self) { try app.adoptLoadedLibraries() }
    #expect(thrown?.code == .appDeleted)
  }

  // MARK: - Copies of Core

  @Test func r11ThisProcessHasOneCore() {
    #if os(Linux) || canImport(Darwin)
      #expect(LibraryRegistry.coreImages.count == 1)
      #expect(CoreImages.current.own == 0)
    #endif
    #expect(CoreImages.problem == nil)
  }

  @Test func r11SeveralCoresAreAProblemThatNamesThem() {
    let problem = CoreImages(paths: ["/bin/host", "/lib/plugin.so"], own: 1).problem
    #expect(problem?.code == .severalCores)
    #expect(problem?.message.contains("/bin/host, /lib/plugin.so (this one).") == true)
    #expect(CoreImages(paths: ["/bin/host"], own: 0).problem == nil)
  }
}

/// A library with an eager component, which every app creates, and whose action runs in one app only.
enum EagerLibrary: Library {
  static let name = "late-eager"
  static let version = SemanticVersion(1, 0, 0)
  static let errand = Lock<LibraryAdoptionTests.Errand?>(nil)
  static var components: [AnyComponent] {
    Component(LibraryAdoptionTests.Late<EagerLibrary>.self) { context in
      let errand = errand.withLock { $0 }
      if let errand, try context.app.name == errand.app { try errand.action() }
      return LibraryAdoptionTests.Late()
    }.timing(.eager)
  }
}
