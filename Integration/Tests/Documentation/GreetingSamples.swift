// The library that the samples of the article on tests replace parts of.

// sample: library
import TenonAuthInterop
import TenonCore

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
