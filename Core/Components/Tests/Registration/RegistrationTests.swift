import TenonTestSupport
import Testing

@testable import TenonCore

/// No code references this library: it is registered because it is linked.
enum LinkedLibrary: Library {
  static let name = "linked-into-the-tests"
  static let version = SemanticVersion(1, 0, 0)
  static var components: [AnyComponent] { [] }

  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(LinkedLibrary.self) }
}

@Suite(.limited) struct RegistrationTests {
  /// A distinct library type for each number, for registering many.
  enum Numbered<Tag>: Library {
    static var name: String { "numbered-\(Tag.self)".filter { $0.isLetter || $0.isNumber || $0 == "-" } }
    static var version: SemanticVersion { SemanticVersion(1, 0, 0) }
    static var components: [AnyComponent] { [] }
  }

  @Test func aLinkedLibraryIsRegistered() {
    #expect(LibraryRegistry.libraries.filter { $0.name == "linked-into-the-tests" }.count == 1)
  }

  @Test func librariesAreValuesWhoseNamesAreReadByKeyPath() throws {
    let library = try #require(LibraryRegistry.libraries.first { $0.name == LinkedLibrary.name })
    #expect(LibraryRegistry.libraries.map(\.name).contains("linked-into-the-tests"))
    #expect(library.type == LinkedLibrary.self && library.version == SemanticVersion(1, 0, 0))
    #expect(library.description == "linked-into-the-tests 1.0.0")
  }

  @Test func registeringTheSameLibraryAgainIsHarmless() {
    LibraryRegistry.register(LinkedLibrary.self)
    #expect(LibraryRegistry.libraries.filter { $0.name == "linked-into-the-tests" }.count == 1)
  }

  @Test func librariesRegisterFromManyThreadsAtOnce() async {
    func register<Tag>(_ tag: Tag.Type, depth: Int, into group: inout TaskGroup<Void>) {
      group.addTask { LibraryRegistry.register(Numbered<Tag>.self) }
      if depth > 0 { register([Tag].self, depth: depth - 1, into: &group) }
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { register(Int.self, depth: 50, into: &group) }
    }
    let libraries = LibraryRegistry.libraries.filter { $0.name.hasPrefix("numbered-") }
    #expect(libraries.count == 51)
    #expect(Set(libraries.map { ObjectIdentifier($0.type) }).count == 51)
  }

  @Test func twoLibrariesOfOneNameAreAConfigurationError() {
    enum Old: Library {
      static let name = "twice"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] { [] }
    }
    enum New: Library {
      static let name = "twice"
      static let version = SemanticVersion(2, 0, 0)
      static var components: [AnyComponent] { [] }
    }
    let thrown = error(ConfigurationError.self) {
      try App.configure(
        name: "twice",
        options: AppOptions(projectID: "p"),
        libraries: [Old.self, New.self, Old.self]
      )
    }
    #expect(thrown?.problems.map(\.code) == [.duplicateLibrary])
    let message = thrown?.problems.first?.message ?? ""
    #expect(
      message.contains("twice is linked 2 times") && message.contains("1.0.0") && message.contains("2.0.0")
    )
  }

  @Test(
    arguments: [
      (SemanticVersion(1, 2, 3), "1.2.3"), (SemanticVersion(2, 0, 0, prerelease: "beta.1"), "2.0.0-beta.1"),
    ])
  func versionsReadAsSemverWritesThem(version: SemanticVersion, text: String) {
    #expect(version.description == text)
  }

  @Test func theUserAgentListsLibrariesAndVersionsByName() {
    enum Beta: Library {
      static let name = "beta lib"
      static let version = SemanticVersion(1, 0, 0, prerelease: "rc/1")
      static var components: [AnyComponent] { [] }
    }
    let text = UserAgent.text(libraries: [LibraryDescription(Beta.self)])
    let pairs = text.split(separator: " ").map(String.init)
    #expect(pairs.contains("beta-lib/1.0.0-rc-1"))
    #expect(pairs.contains { $0.hasPrefix("tenon-core/") } && pairs.contains { $0.hasPrefix("swift/") })
    #expect(pairs == pairs.sorted())
  }

  /// With hundreds of libraries, the head of a request would be longer than servers accept.
  @Test func theUserAgentHasALimitThatLongNamesCannotExceed() {
    enum Long: Library {
      static let name = String(repeating: "long", count: 1_000)
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] { [] }
    }
    enum Short: Library {
      static let name = "short"
      static let version = SemanticVersion(1, 0, 0)
      static var components: [AnyComponent] { [] }
    }
    let many = Array(repeating: LibraryDescription(Short.self), count: 1_000)
    let text = UserAgent.text(libraries: [LibraryDescription(Long.self)] + many)
    #expect(text.contains("short/1.0.0") && text.contains("tenon-core/") && !text.contains("long"))
    #expect(text.utf8.count <= 1_024 && text.utf8.count > 1_000)
  }
}
