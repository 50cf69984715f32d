import Foundation
import TenonTestSupport
import TenonTesting
import Testing

/// `Tools/check-api`, which compares the public API of libraries with their pages.
enum PublicAPI {
  /// Compares the API.
  ///
  /// - Parameters:
  ///   - build: the folder of a finished build.
  ///   - modules: the modules; all that need no trait if none is named.
  static func check(_ modules: String..., in build: URL) async throws -> Executable.Result {
    let tool = packageRoot.appending(path: "Tools/check-api").path
    return try await Executable(path: "/usr/bin/env").run(["python3", tool, "--build", build.path] + modules)
  }

  fileprivate static var hasPython: Bool {
    get async throws { try await Executable(path: "/usr/bin/env").run(["which", "python3"]).status == 0 }
  }
}

extension Trait where Self == RequirementTrait {
  /// Skips the tests if there is no Python.
  static var python: Self {
    .requires("python3 isn't installed; Tools/bootstrap --all installs it") { try await PublicAPI.hasPython }
  }
}
