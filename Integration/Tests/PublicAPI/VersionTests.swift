import Foundation
import TenonCore
import TenonTestSupport
import TenonTesting
import Testing

/// The version is stated in several places, which a release changes together.
@Suite(.limited) struct VersionTests {
  /// The version at the top of the changelog.
  private let version: String

  init() throws {
    let changelog = try String(contentsOf: packageRoot.appending(path: "CHANGELOG.md"), encoding: .utf8)
    version = String(try #require(changelog.firstMatch(of: /\n## (\d+\.\d+\.\d+)/)).1)
  }

  @Test func everyLibraryHasTheVersionOfTheChangelog() async throws {
    let libraries = LibraryRegistry.libraries.filter { $0.name.hasPrefix("tenon-") }
    #expect(libraries.count >= 7)
    for library in libraries { #expect(library.version.description == version, "\(library.name)") }
    let app = try App.configure(name: "version", options: AppOptions(projectID: "version"), libraries: [])
    #expect(app.context.userAgent.contains("tenon-core/\(version)"))
    await app.delete()
  }

  @Test func documentationAndToolsNameTheVersionOfTheChangelog() throws {
    let editor = packageRoot.appending(path: "Tools/Tenon/Sources/New/ManifestEditor.swift")
    let texts = try Page.all(root: packageRoot).map(\.text) + [String(contentsOf: editor, encoding: .utf8)]
    let named = texts.flatMap { $0.matches(of: /\/tenon\\?", from: \\?"([^"\\]+)/).map { String($0.1) } }
    #expect(named.count >= 4)
    #expect(named.allSatisfy { $0 == version }, "\(named)")
  }
}
