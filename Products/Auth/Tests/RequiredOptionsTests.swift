import TenonAuthInterop
import TenonCore
import TenonTestSupport
import Testing

@testable import TenonAuth

/// R14: what Auth requires of an app's options, and what happens without it.
@Suite(.limited) struct RequiredOptionsTests {
  @Test func r14AnAppWithAuthRequiresAnAPIKey() {
    let thrown = #expect(throws: ConfigurationError.self) {
      try App.configure(
        name: "auth-without-key", options: AppOptions(projectID: "p", data: .memory),
        libraries: [AuthLibrary.self])
    }
    #expect(thrown?.problems.map(\.code) == [.missingOption])
    #expect(
      thrown?.problems.first?.message == "tenon-auth requires the option apiKey, which isn't set.")
  }

  @Test func r14WhatIsRequiredDependsOnTheBackendAndTheDirectory() {
    func required(_ options: AppOptions) -> [AppOption] { AuthLibrary.requiredOptions(with: options) }
    #expect(required(AppOptions(projectID: nil)) == [.apiKey, .projectID])
    #expect(required(AppOptions(backend: .emulator(.standard()), data: .memory)) == [.apiKey])
    #expect(required(AppOptions(backend: .embedded(directory: nil))) == [])
    #expect(required(AppOptions(data: .directory("/d"))) == [.apiKey])
  }

  /// A login that can't exist doesn't make a database fail.
  @Test func r14WhatNeedsAuthOptionallyDoesWithoutOneThatHasNoKey() async throws {
    struct Database: ComponentSource {
      var components: [AnyComponent] {
        AuthLibrary.components
        Component(String.self, needs: .optional((any AuthInterop).self)) { _, auth in
          auth == nil ? "without a user" : "with a user"
        }
      }
    }
    let app = try App.configure(
      name: "database-without-login", options: AppOptions(projectID: "p", data: .memory), libraries: [],
      sources: [Database()])
    #expect(try app.resolve(String.self) == "without a user")
    let thrown = #expect(throws: ComponentError.self) { try app.resolve(Auth.self) }
    #expect(thrown?.code == .unavailable)
    #expect(thrown?.reason.contains("Set AppOptions.apiKey.") == true)
    await app.delete()
  }
}
