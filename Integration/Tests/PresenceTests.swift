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

  @Test func functionsWithAuthAndAppCheckCarriesBothTokens() async throws {
    let report = try await report("functions-auth-appcheck")
    #expect(
      report.graph.libraries.map(\.name) == [
        "tenon-app-check", "tenon-auth", "tenon-embedded", "tenon-functions",
      ]
    )
    #expect(report.providers(of: "any AppCheckInterop", in: "tenon-functions") == ["AppCheck"])
    #expect(report.providers(of: "any AppCheckInterop", in: "tenon-auth") == ["AppCheck"])
    #expect(report.providersOfAuth(for: "tenon-functions") == ["Auth"])
    let userID = try #require(report.facts["userID"])
    for fact in ["free", "enforced", "limited"] {
      #expect(report.facts[fact] == "hello from \(userID) in 1:42:web:a1")
    }
  }

  @Test func authWithAppCheckSignsInWhereAppCheckIsEnforced() async throws {
    let report = try await report("auth-appcheck")
    #expect(report.graph.libraries.map(\.name) == ["tenon-app-check", "tenon-auth", "tenon-embedded"])
    #expect(report.providers(of: "any AppCheckInterop", in: "tenon-auth") == ["AppCheck"])
    #expect(report.facts["email"] == "ada@example.com")
    #expect(report.facts["isRenewed"] == "true")
    #expect(report.facts["refusal"] == "firebase-app-check-token-is-invalid")
  }

  @Test func authAloneSignsUpInAndOut() async throws {
    let report = try await report("auth-alone")
    #expect(report.graph.libraries.map(\.name) == ["tenon-auth", "tenon-embedded"])
    #expect(report.facts["isRenewed"] == "true" && report.facts["kept"] == "nobody")
    #expect(report.facts["present"] == report.facts["userID"])
    #expect(report.facts["refusal"]?.hasSuffix("(wrong-password)") == true)
  }

  @Test func functionsWithAppCheckNeedsNoAuth() async throws {
    let report = try await report("functions-appcheck")
    #expect(report.graph.libraries.map(\.name) == ["tenon-app-check", "tenon-embedded", "tenon-functions"])
    #expect(report.providers(of: "any AppCheckInterop", in: "tenon-functions") == ["AppCheck"])
    #expect(report.providersOfAuth(for: "tenon-functions") == [])
    #expect(report.facts["greeting"] == "hello from nobody in 1:42:web:a1")
  }

  @Test func storeWithAuthWorksWhereAppCheckIsEnforced() async throws {
    let report = try await report("store-auth-appcheck")
    #expect(
      report.graph.libraries.map(\.name) == [
        "tenon-app-check", "tenon-auth", "tenon-embedded", "tenon-store",
      ])
    #expect(report.providersOfAuth(for: "tenon-store") == ["Auth"])
    #expect(report.providers(of: "any AppCheckInterop", in: "tenon-auth") == ["AppCheck"])
    let userID = try #require(report.facts["userID"])
    #expect(report.facts["owner"] == userID)
  }

  @Test(arguments: [
    ("functions-alone", "tenon-functions"), ("functions-auth", "tenon-auth"), ("auth-alone", "tenon-auth"),
  ])
  func withoutAppCheckNoLibraryHasIt(executable: String, library: String) async throws {
    #expect(try await report(executable).providers(of: "any AppCheckInterop", in: library) == [])
  }

  @Test func storeAloneStoresDocumentsWithoutAuth() async throws {
    let report = try await report("store-alone")
    #expect(report.graph.libraries.map(\.name) == ["tenon-store"])
    #expect(report.providersOfAuth(for: "tenon-store") == [])
    #expect(report.facts["titles"] == "first, second")
    #expect(report.facts["changes"] == "added first, added second, modified second")
  }

  @Test func storeWithAuthStoresDocumentsOfTheUser() async throws {
    let report = try await report("store-auth")
    #expect(report.graph.libraries.map(\.name) == ["tenon-auth", "tenon-embedded", "tenon-store"])
    #expect(report.providersOfAuth(for: "tenon-store") == ["Auth"])
    let userID = try #require(report.facts["userID"])
    #expect(report.facts["owner"] == userID)
  }

  /// Products that aren't linked must not be in the binary either: it has no symbol of the modules
  /// `TenonAuth` and `TenonAppCheck`, which Swift mangles as their lengths and names.
  @Test(arguments: [
    ("functions-alone", false, false), ("functions-auth", true, false),
    ("functions-auth-appcheck", true, true),
    ("functions-appcheck", false, true), ("auth-alone", true, false), ("auth-appcheck", true, true),
    ("store-alone", false, false), ("store-auth", true, false), ("store-auth-appcheck", true, true),
  ])
  func symbolsAreOnlyWhereTheirProductIsLinked(executable: String, auth: Bool, appCheck: Bool) async throws {
    let nm = try await Executable(path: "/usr/bin/env").run(["nm", Executable(executable).url.path])
    try #require(nm.status == 0, "\(nm.errors)")
    #expect(nm.lines.contains { $0.contains("9TenonCore") })
    #expect(nm.lines.contains { $0.contains("9TenonAuth") } == auth)
    #expect(nm.lines.contains { $0.contains("13TenonAppCheck") } == appCheck)
  }
}

extension Report {
  /// Returns the providers of Auth for the first component of a library that depends on it.
  fileprivate func providersOfAuth(for library: String) -> [String]? {
    providers(of: "any AuthInterop", in: library)
  }

  /// Returns the providers of a dependency of the first component of a library that has it.
  fileprivate func providers(of need: String, in library: String) -> [String]? {
    graph.components.filter { $0.library == library }.flatMap(\.needs).first { $0.name == need }?.providers
  }
}
