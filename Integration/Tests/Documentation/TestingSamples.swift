// The samples of the article on tests, which are tests themselves.

// sample: app, override
import TenonAuthInterop
import TenonCore
import TenonEmbedded
import TenonStore
import TenonTesting
import Testing

// sample: end
// sample: app
/// The app of all tests, which is configured when the first one uses it.
let testApp = Result {
  try App.configure(
    name: "greeting-tests", options: AppOptions(projectID: "demo", backend: .embedded(directory: nil)),
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
    #expect(try await store.document("notes/tea").getDocument().data()?["title"] as? String == "Tea")
  }
  // sample: end
}

// sample: rules
struct RulesTests {
  let rules: SecurityRules
  let documents: [String: Fields] = ["users/ann": ["name": "A", "age": 20]]

  init() throws {
    rules = try SecurityRules(
      source: """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{database}/documents {
            match /users/{user} {
              allow update: if request.auth.uid == user
                && request.resource.data.age >= 18;
            }
          }
        }
        """)
  }

  @Test func usersChangeTheirOwnDocument() async throws {
    let renaming = RulesOperation.update("users/ann", ["name": "Ann"])
    try await rules.expectAllowed(renaming, as: .user("ann"), documents: documents)
    try await rules.expectDenied(renaming, as: .user("bob"), documents: documents)
    try await rules.expectDenied(.update("users/ann", ["age": 17]), as: .user("ann"), documents: documents)
  }
}
// sample: end
