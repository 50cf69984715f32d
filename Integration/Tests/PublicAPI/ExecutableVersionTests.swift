import Foundation
import TenonFoundation
import TenonTestSupport
import Testing

/// The executables that people run print the version of the changelog.
@Suite(.limited(of: .processes)) struct ExecutableVersionTests {
  /// Benchmarks are only built by a deep run.
  static let names =
    ["tenon", "tenon-matrix", "store-spec", "stress", "Notes", "tenon-server"]
    + ["tenon-bench"].filter {
      FileManager.default.fileExists(atPath: Executable.buildDirectory.appending(path: $0).path)
    }

  @Test(arguments: names) func everyExecutableKnowsItsVersion(name: String) async throws {
    let changelog = try String(contentsOf: packageRoot.appending(path: "CHANGELOG.md"), encoding: .utf8)
    let version = try #require(changelog.firstMatch(of: /\n## (\d+\.\d+\.\d+)/)).1
    #expect(Release.version == version)
    let result = try await Executable(name).run(["--version"])
    #expect(result.status == 0 && result.output == "\(version)\n", "\(result.errors)")
  }
}
