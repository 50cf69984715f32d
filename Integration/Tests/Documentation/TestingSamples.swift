// The samples of the article on tests, which are tests themselves.

// sample: library
import TenonAuthInterop
import TenonCore
// sample: end
import TenonEmbedded
import TenonStore
// sample: override, app
import TenonTesting
import Testing

// sample: end
// sample: library
protocol Greeting: Sendable {
  func greeting() async throws -> String
}

struct PoliteGreeting: Greeting {
  let auth: (any AuthInterop)?
  func greeting() async throws -> String { "Hello, \(try await auth?.currentUserID ?? "guest")" }
}

enum GreetingLibrary: Library {
  static let name = "greeting"
  static let version = SemanticVersion(1, 0, 0)
  @ComponentBuilder static var components: [AnyComponent] {
    Component((any Greeting).self, needs: .optional((any AuthInterop).self)) { _, auth in
      PoliteGreeting(auth: auth)
    }
  }
}
// sample: end

// sample: app
/// The app of all tests, which is configured when the first one uses it.
let testApp = Result {
  try App.configure(
    named: "greeting-tests", options: AppOptions(projectID: "demo", backend: .embedded(directory: nil)),
    libraries: [GreetingLibrary.self, EmbeddedLibrary.self, StoreLibrary.self])
}
// sample: end

// sample: override
struct GreetingTests {
  static func ada() -> FakeAuth {
    let auth = FakeAuth()
    auth.signIn(userID: "Ada")
    return auth
  }

  @Test(.overrides { Component((any AuthInterop).self) { _ in ada() } })
  func greetsTheUser() async throws {
    let greeting = try testApp.get().resolve((any Greeting).self)
    #expect(try await greeting.greeting() == "Hello, Ada")
  }

  @Test func greetsAGuestWithoutAuth() async throws {
    let greeting = try testApp.get().resolve((any Greeting).self)
    #expect(try await greeting.greeting() == "Hello, guest")
  }
}
// sample: end

struct GraphSamples {
  // sample: graph
  @Test func theLibrariesFitTogether() {
    expectValidGraph(of: [GreetingLibrary.self])
  }
  // sample: end

  // sample: store
  @Test func aNoteIsStored() async throws {
    let store = try Store.store(app: testApp.get(), database: "note-test")
    try await store.document("notes/tea").setData(["title": "Tea"]).confirmed()
    #expect(try await store.document("notes/tea").getDocument()["title"] == "Tea")
  }
  // sample: end
}
