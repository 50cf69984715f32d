import TenonAuthInterop
import TenonCore

final class Greeter: Sendable {
  private let auth: (any AuthInterop)?

  init(auth: (any AuthInterop)?) { self.auth = auth }

  func greeting() async throws -> String {
    "Hello, \(try await auth?.currentUserID == nil ? "guest" : "user")"
  }
}
