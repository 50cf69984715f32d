import Foundation
import TenonCore
import TenonTestSupport
import Testing

/// Optional dependencies, present and absent: each executable links one combination of products.
@Suite(.limited) struct PresenceTests {
  private func report(_ executable: String) async throws -> Report {
    let result = try await Executable(executable).run()
    try #require(result.status == 0, "\(result.errors)")
    return try Report(result)
  }

  /// What an executable links besides the product that it tries out and the backend.
  struct Linked: Sendable, CustomTestStringConvertible {
    let executable: String
    let hasAuth: Bool
    let hasAppCheck: Bool
    var testDescription: String { executable }
    /// Whether it links StoreSync.
    var hasSync: Bool { executable.hasPrefix("store-sync") }
    /// Whether it links Embedded.
    var hasEmbedded: Bool { !["store-alone", "store-sync"].contains(executable) }
  }

  private static func combinations(of product: String) -> [Linked] {
    [
      ("alone", false, false), ("auth", true, false), ("appcheck", false, true),
      ("auth-appcheck", true, true),
    ].map { Linked(executable: "\(product)-\($0)", hasAuth: $1, hasAppCheck: $2) }
  }

  /// Returns the names of the libraries that an executable must have.
  private func libraries(_ product: String, _ linked: Linked) -> [String] {
    (linked.hasAppCheck ? ["tenon-app-check"] : []) + (linked.hasAuth ? ["tenon-auth"] : [])
      + ["tenon-embedded", product]
  }

  @Test(arguments: combinations(of: "functions"))
  func functionsCarriesTheTokensOfWhatIsLinked(linked: Linked) async throws {
    let report = try await report(linked.executable)
    #expect(report.graph.libraries.map(\.name) == libraries("tenon-functions", linked))
    #expect(report.providersOfAuth(for: "tenon-functions") == (linked.hasAuth ? ["Auth"] : []))
    #expect(
      report.providers(of: "any AppCheckInterop", in: "tenon-functions")
        == (linked.hasAppCheck ? ["AppCheck"] : []))
    let anonymous = linked.hasAppCheck ? "carries the app's token" : "carries no token"
    let signedIn =
      linked.hasAppCheck ? "carries the user's token and the app's token" : "carries the user's token"
    let missing = "nobody can sign in: Auth isn't linked"
    #expect(report["Call without a user"] == anonymous)
    #expect(report["Call of a signed-in user"] == (linked.hasAuth ? signedIn : missing))
    #expect(report["Call after signing out"] == (linked.hasAuth ? anonymous : missing))
    #expect(
      report["Limited-use App Check tokens"]
        == (linked.hasAppCheck ? "a new token in each call" : "no effect: App Check isn't linked"))
    #expect(
      report["Where App Check is enforced"]
        == (linked.hasAppCheck ? "accepted" : "rejected (`unauthenticated`)"))
  }

  @Test(arguments: combinations(of: "storage"))
  func storageIsAcceptedWhereItsTokensAreRequired(linked: Linked) async throws {
    let report = try await report(linked.executable)
    #expect(report.graph.libraries.map(\.name) == libraries("tenon-storage", linked))
    #expect(report.providersOfAuth(for: "tenon-storage") == (linked.hasAuth ? ["Auth"] : []))
    #expect(
      report.providers(of: "any AppCheckInterop", in: "tenon-storage")
        == (linked.hasAppCheck ? ["AppCheck"] : []))
    #expect(report["Objects without access rules"] == "uploaded, listed, downloaded, deleted")
    #expect(report["Upload without a user where one is required"] == "rejected (`unauthorized`)")
    #expect(
      report["Upload of a signed-in user where one is required"]
        == (linked.hasAuth ? "accepted" : "nobody can sign in: Auth isn't linked"))
    #expect(
      report["Where App Check is enforced"]
        == (linked.hasAppCheck ? "accepted" : "rejected (`unauthorized-app`)"))
  }

  @Test func authWithAppCheckSignsInWhereAppCheckIsEnforced() async throws {
    let report = try await report("auth-appcheck")
    #expect(report.graph.libraries.map(\.name) == ["tenon-app-check", "tenon-auth", "tenon-embedded"])
    #expect(report.providers(of: "any AppCheckInterop", in: "tenon-auth") == ["AppCheck"])
    #expect(report["Where App Check is enforced"] == "accepted")
    #expect(report.facts["isRenewed"] == "true")
    #expect(report.facts["refusal"] == "firebase-app-check-token-is-invalid")
  }

  @Test func authAloneSignsUpAndInButNotWhereAppCheckIsEnforced() async throws {
    let report = try await report("auth-alone")
    #expect(report.graph.libraries.map(\.name) == ["tenon-auth", "tenon-embedded"])
    #expect(report["Sign-up with a password"] == "signs the user in")
    #expect(report["Renewal of the ID token"] == "a token" && report.facts["kept"] == "nobody")
    #expect(report.facts["present"] == report.facts["userID"])
    #expect(report["Sign-in with a wrong password"] == "rejected (`wrong-password`)")
    #expect(
      report["Where App Check is enforced"] == "rejected (`firebase-app-check-token-is-invalid`)")
  }

  @Test(arguments: [
    ("functions-alone", "tenon-functions"), ("functions-auth", "tenon-auth"), ("auth-alone", "tenon-auth"),
    ("storage-auth", "tenon-auth"),
  ])
  func withoutAppCheckNoLibraryHasIt(executable: String, library: String) async throws {
    #expect(try await report(executable).providers(of: "any AppCheckInterop", in: library) == [])
  }

  @Test func storeAloneStoresDocumentsWithoutAuth() async throws {
    let report = try await report("store-alone")
    #expect(report.graph.libraries.map(\.name) == ["tenon-store"])
    #expect(report.providersOfAuth(for: "tenon-store") == [])
    #expect(report.facts["titles"] == "first, second" && report.facts["userID"] == "nobody")
    #expect(report.facts["changes"] == "added first, added second, modified second")
    #expect(report["Documents"] == "written, queried and listened to")
    #expect(report["A second device"] == "doesn't see them: no backend is linked")
    #expect(report["Backup to a file"] == "written and restored")
    #expect(report["Backup to Storage"] == "rejected (`unavailable`): “Link the product TenonStorage”")
  }

  #if canImport(Glibc)
    @Test func withoutAProviderOfObservabilityRecordingAllocatesNothing() async throws {
      let report = try await report("store-alone")
      #expect(report.providers(of: "any ObservabilityInterop", in: "tenon-store") == [])
      #expect(report.facts["allocationsOfRecording"] == "0")
    }
  #endif

  @Test(arguments: [
    Linked(executable: "store-storage", hasAuth: false, hasAppCheck: false),
    Linked(executable: "store-auth", hasAuth: true, hasAppCheck: false),
    Linked(executable: "store-auth-appcheck", hasAuth: true, hasAppCheck: true),
    Linked(executable: "store-sync-auth", hasAuth: true, hasAppCheck: false),
    Linked(executable: "store-sync-auth-appcheck", hasAuth: true, hasAppCheck: true),
  ])
  func storeHasTheUserOfTheLinkedAuth(linked: Linked) async throws {
    let report = try await report(linked.executable)
    let storage = linked.executable == "store-storage" ? ["tenon-storage"] : []
    #expect(
      report.graph.libraries.map(\.name)
        == libraries("tenon-store", linked).dropLast() + storage + ["tenon-store"]
        + (linked.hasSync ? ["tenon-store-sync"] : []))
    #expect(report.providersOfAuth(for: "tenon-store") == (linked.hasAuth ? ["Auth"] : []))
    let missing = "nobody can sign in: Auth isn't linked"
    #expect(report["Documents"] == "written, queried and listened to")
    #expect(report["A signed-in user"] == (linked.hasAuth ? "is known to Store" : missing))
    #expect(
      report["Sign-in where App Check is enforced"]
        == (linked.hasAuth ? linked.hasAppCheck ? "accepted" : "rejected" : missing))
    #expect(report["A second device"] == "sees the documents")
    #expect(report["Backup to a file"] == "written and restored")
    #expect(
      report["Backup to Storage"]
        == (storage.isEmpty
          ? "rejected (`unavailable`): “Link the product TenonStorage”" : "written and restored"))
    checkServerUse(report, linked)
  }

  @Test func storeWithAdminReadsAndWritesPastTheRules() async throws {
    let linked = Linked(executable: "store-admin", hasAuth: false, hasAppCheck: false)
    let report = try await report(linked.executable)
    #expect(report.graph.libraries.map(\.name) == ["tenon-admin", "tenon-embedded", "tenon-store"])
    #expect(report.providers(of: "any AdminInterop", in: "tenon-store") == ["Admin"])
    #expect(report["A document that the rules hide"] == "written and read as an administrator")
    checkServerUse(report, linked)
  }

  @Test(arguments: ["store-alone", "store-auth", "store-sync"])
  func withoutAdminStoreSaysWhatToLink(executable: String) async throws {
    let report = try await report(executable)
    #expect(
      report["A document that the rules hide"]
        == "rejected (`failed-precondition`): “Link the product TenonAdmin”")
  }

  /// Without Auth and Embedded, Store works with a server if StoreSync is linked.
  @Test(arguments: ["store-alone", "store-sync"])
  func storeUsesAServerIfStoreSyncIsLinked(executable: String) async throws {
    let linked = Linked(executable: executable, hasAuth: false, hasAppCheck: false)
    let report = try await report(executable)
    #expect(
      report.graph.libraries.map(\.name) == ["tenon-store"] + (linked.hasSync ? ["tenon-store-sync"] : []))
    #expect(report["Documents"] == "written, queried and listened to")
    #expect(
      report["A second device"]
        == (linked.hasSync ? "sees the documents" : "doesn't see them: no backend is linked"))
    checkServerUse(report, linked)
  }

  /// Each backend has one remote at most. Without one, nothing pretends to be sent (P1), with an emulator as
  /// in production.
  private func checkServerUse(_ report: Report, _ linked: Linked) {
    let sync = linked.hasSync ? "StoreSync" : "none"
    #expect(
      report["Remote of `.embedded`, `.emulator`, `.production`"]
        == "\(linked.hasEmbedded ? "Embedded" : "none"), \(sync), \(sync)")
    #expect(
      report["With a server"]
        == (linked.hasSync
          ? "writes are sent, another device receives them"
          : "writes wait, reads come from this device, the rest is rejected (`unavailable`): “Link TenonStoreSync”")
    )
    let missing = "nothing is sent: StoreSync isn't linked"
    #expect(
      report["A user's documents on a server that protects them"]
        == (linked.hasSync ? linked.hasAuth ? "accepted" : "rejected (`permission-denied`)" : missing))
    #expect(
      report["Documents of a server that requires App Check"]
        == (linked.hasSync ? linked.hasAppCheck ? "accepted" : "rejected (`unauthenticated`)" : missing))
  }

  /// Products that aren't linked must not be in the binary either: it has no symbol of the modules
  /// `TenonAuth` and `TenonAppCheck`, which Swift mangles as their lengths and names.
  @Test(
    arguments: combinations(of: "functions") + combinations(of: "storage") + [
      Linked(executable: "auth-alone", hasAuth: true, hasAppCheck: false),
      Linked(executable: "auth-appcheck", hasAuth: true, hasAppCheck: true),
      Linked(executable: "store-alone", hasAuth: false, hasAppCheck: false),
      Linked(executable: "store-storage", hasAuth: false, hasAppCheck: false),
      Linked(executable: "store-auth", hasAuth: true, hasAppCheck: false),
      Linked(executable: "store-auth-appcheck", hasAuth: true, hasAppCheck: true),
      Linked(executable: "store-sync", hasAuth: false, hasAppCheck: false),
      Linked(executable: "store-sync-auth", hasAuth: true, hasAppCheck: false),
      Linked(executable: "store-sync-auth-appcheck", hasAuth: true, hasAppCheck: true),
    ])
  func symbolsAreOnlyWhereTheirProductIsLinked(linked: Linked) async throws {
    let nm = try await Executable(path: "/usr/bin/env").run(["nm", Executable(linked.executable).url.path])
    try #require(nm.status == 0, "\(nm.errors)")
    let symbols = Data(nm.output.utf8)
    func hasSymbols(of module: String) -> Bool { symbols.range(of: Data(module.utf8)) != nil }
    #expect(hasSymbols(of: "9TenonCore"))
    #expect(hasSymbols(of: "9TenonAuth") == linked.hasAuth)
    #expect(hasSymbols(of: "13TenonAppCheck") == linked.hasAppCheck)
    for (module, product) in [
      ("14TenonFunctions", "functions"), ("12TenonStorage", "storage"), ("10TenonStore", "store"),
      ("14TenonStoreSync", "sync"),
    ] {
      #expect(
        hasSymbols(of: module)
          == linked.executable.split(separator: "-").contains { $0 == product },
        "\(module)")
    }
  }

  /// The time that `tenon-matrix` measures must be that of a launch, without the features.
  @Test func withTheArgumentLinkedAProgramPrintsItsLibrariesOnly() async throws {
    let result = try await Executable("storage-auth").run(["--linked"])
    #expect(result.status == 0 && result.lines == ["tenon-auth", "tenon-embedded", "tenon-storage"])
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
