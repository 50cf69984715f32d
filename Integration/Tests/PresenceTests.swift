import Foundation
import TenonCore
import Testing

/// Optional dependencies, present and absent: each executable links one combination of products.
struct PresenceTests {
  private func report(_ executable: String) async throws -> Report {
    let result = try await Executable(executable).run()
    try #require(result.status == 0, "\(result.errors)")
    return try Report(result)
  }

  @Test func functionsAloneWorksWithoutAuth() async throws {
    let report = try await report("functions-alone")
    #expect(report.graph.libraries.map(\.name) == ["tenon-embedded", "tenon-functions"])
    #expect(report.providersOfAuth(for: "tenon-functions") == [])
    #expect(report.facts["greeting"] == "hello from nobody")
  }

  @Test func functionsWithAuthCarriesTheToken() async throws {
    let report = try await report("functions-auth")
    #expect(report.graph.libraries.map(\.name) == ["tenon-auth", "tenon-embedded", "tenon-functions"])
    #expect(report.providersOfAuth(for: "tenon-functions") == ["Auth"])
    let userID = try #require(report.facts["userID"])
    #expect(!userID.isEmpty)
    #expect(report.facts["before"] == "hello from nobody")
    #expect(report.facts["during"] == "hello from \(userID)")
    #expect(report.facts["after"] == "hello from nobody")
  }

  @Test func storeAloneKeepsDocumentsWithoutAuth() async throws {
    let report = try await report("store-alone")
    #expect(report.graph.libraries.map(\.name) == ["tenon-store"])
    #expect(report.providersOfAuth(for: "tenon-store") == [])
    #expect(report.facts["titles"] == "first, second")
    #expect(report.facts["changes"] == "added first, added second, modified second")
  }

  @Test func storeWithAuthKeepsDocumentsOfTheUser() async throws {
    let report = try await report("store-auth")
    #expect(report.graph.libraries.map(\.name) == ["tenon-auth", "tenon-embedded", "tenon-store"])
    #expect(report.providersOfAuth(for: "tenon-store") == ["Auth"])
    let userID = try #require(report.facts["userID"])
    #expect(report.facts["owner"] == userID)
  }

  /// What isn't linked must not be in the binary either: no symbol of the module `TenonAuth`, which Swift mangles
  /// as its length and its name.
  @Test(arguments: [
    ("functions-alone", false), ("functions-auth", true), ("store-alone", false), ("store-auth", true),
  ])
  func symbolsOfAuthAreOnlyWhereItIsLinked(executable: String, isLinked: Bool) async throws {
    let nm = try await Executable(path: "/usr/bin/env").run(["nm", Executable(executable).url.path])
    try #require(nm.status == 0, "\(nm.errors)")
    #expect(nm.lines.contains { $0.contains("9TenonCore") })
    #expect(nm.lines.contains { $0.contains("9TenonAuth") } == isLinked)
  }
}

extension Report {
  /// Who meets the need for Auth in the first component of a library that has it.
  fileprivate func providersOfAuth(for library: String) -> [String]? {
    graph.components.filter { $0.library == library }.flatMap(\.needs).first { $0.name == "any AuthInterop" }?
      .providers
  }
}
