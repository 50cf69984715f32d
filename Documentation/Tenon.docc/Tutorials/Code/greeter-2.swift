import TenonAuthInterop
import TenonCore

final class Greeter: Sendable {
  private let auth: (any AuthInterop)?

  init(auth: (any AuthInterop)?) { self.auth = auth }

  func greeting() async throws -> String {
    "Hello, \(try await auth?.currentUserID == nil ? "guest" : "user")"
  }
}

enum GreeterLibrary: Library {
  static let name = "greeter"
  static let version = SemanticVersion(1, 0, 0)
  @ComponentBuilder static var components: [AnyComponent] {
    Component(Greeter.self, needs: .optional((any AuthInterop).self)) { _, auth in Greeter(auth: auth) }
  }
}
