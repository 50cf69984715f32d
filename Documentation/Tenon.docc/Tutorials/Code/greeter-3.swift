import TenonAuth
import TenonAuthInterop
import TenonCore
import TenonEmbedded

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

@main struct Program {
  static func main() async throws {
    let app = try App.configure(
      options: AppOptions(projectID: "demo", backend: .embedded(directory: nil)),
      libraries: [GreeterLibrary.self, AuthLibrary.self, EmbeddedLibrary.self])
    let greeter = try app.resolve(Greeter.self, from: GreeterLibrary.self)
    print(try await greeter.greeting())
    try await Auth.auth().signInAnonymously()
    print(try await greeter.greeting())
  }
}
