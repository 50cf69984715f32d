import Foundation
import TenonProcesses
import TenonTestSupport
import TenonTesting
import Testing

@testable import tenon

/// `tenon new` in a package that depends on Tenon.
@Suite(.limited) struct NewTests {
  private static let manifest = """
    // swift-tools-version: 6.2
    import PackageDescription

    let package = Package(
      name: "travel",
      platforms: [.macOS("15.0")],
      products: [.library(name: "Base", targets: ["Base"])],
      dependencies: [.package(name: "tenon", path: "\(LintFixture.packageRoot.path)")],
      targets: [
        // targets: [ in a comment
        .target(name: "Base", path: "Base")
      ]
    )

    """

  /// Runs a closure with a package.
  private func withPackage(
    _ manifest: String = Self.manifest, _ files: [String: String] = [:], _ body: (URL) throws -> Void
  ) throws {
    let root = try LintFixture.folder(
      ["Package.swift": manifest, "Base/Base.swift": "struct Base {}\n"].merging(files) { $1 })
    defer { try? FileManager.default.removeItem(at: root) }
    try body(root)
  }

  private func plan(_ root: URL, product name: String, needs: [String] = [], provides: String? = nil) throws
    -> NewPlan
  {
    try NewTarget(root: root).plan(
      product: name, needs: try needs.map { try NewNeed($0) }, provides: provides)
  }

  private func write(_ plan: NewPlan, to root: URL) throws {
    try plan.write(to: root) { _ = try PackageManifest(root: root) }
  }

  /// The files of a package and their content.
  private func content(_ root: URL) throws -> [String: Data] {
    var result: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) {
      result[path] = (try? Data(contentsOf: root.appending(path: path))) ?? Data()
    }
    return result
  }

  @Test func productsAndTheirInteropAreAddedAndFollowTheMap() throws {
    try withPackage { root in
      try write(
        try plan(root, product: "Weather", needs: ["Auth?", "Storage?"], provides: "Forecast"), to: root)
      try write(try plan(root, product: "Trips", needs: ["Forecast"]), to: root)
      try write(try NewTarget(root: root).plan(interop: "Mail"), to: root)
      #expect(
        try PackageManifest(root: root).targets == [
          "Base", "ForecastInterop", "Weather", "WeatherTests", "weather-alone", "weather-auth",
          "weather-storage",
          "weather-auth-storage", "Trips", "TripsTests", "trips-weather", "MailInterop",
        ])
      let configuration = try LintConfiguration(packageRoot: root)
      // Only Mail has neither an implementation nor a consumer yet.
      #expect(configuration.exceptions.map(\.path) == ["Interop/Mail/Sources/", "Interop/Mail/Sources/"])
      let lint = Lint(try LintedPackage(root: root, configuration: configuration))
      #expect(lint.findings == [] && lint.fileCount >= 8)

      try write(try plan(root, product: "Post", provides: "Mail"), to: root)
      #expect(try LintConfiguration(packageRoot: root).exceptions.map(\.rule) == [InteropHasAConsumer.id])
    }
  }

  /// The real thing, with a build, takes minutes the first time; this checks the types against the Core of
  /// this build.
  @Test(.deep) func generatedSourcesCompile() throws {
    let modules = Bundle.main.bundleURL.appending(path: "Modules")
    let build = modules.deletingLastPathComponent()
    try #require(
      FileManager.default.fileExists(atPath: modules.appending(path: "TenonCore.swiftmodule").path))
    try withPackage { root in
      try write(try plan(root, product: "Weather", provides: "Forecast"), to: root)
      try write(try NewTarget(root: root).plan(interop: "Mail"), to: root)
      try write(try plan(root, product: "Trips", needs: ["Forecast", "Mail?"]), to: root)
      func compile(_ module: String, _ folder: String) throws {
        let folder = root.appending(path: folder)
        let sources = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.currentDirectoryURL = root
        process.arguments =
          [
            "swiftc", "-emit-module", "-module-name", module, "-swift-version", "6", "-warnings-as-errors",
            "-parse-as-library",
            "-enable-upcoming-feature", "InternalImportsByDefault", "-enable-upcoming-feature",
            "MemberImportVisibility", "-I",
            modules.path, "-I", root.path,
          ]
          + ["TenonLocks", "TenonThreads"].flatMap {
            ["-Xcc", "-fmodule-map-file=\(build.appending(path: "\($0).build/module.modulemap").path)"]
          } + sources.map { folder.appending(path: $0).path }
        try process.start()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(module)")
      }
      try compile("ForecastInterop", "Interop/Forecast/Sources")
      try compile("MailInterop", "Interop/Mail/Sources")
      try compile("Weather", "Products/Weather/Sources")
      try compile("Trips", "Products/Trips/Sources")
    }
  }

  @Test(
    arguments: [
      ("weather", [], nil, "can't be a name"), ("Weather!", [], nil, "can't be a name"),
      ("../Weather", [], nil, "can't be a name"), ("String", [], nil, "means something else"),
      ("Default", [], nil, "means something else"), ("WeatherInterop", [], nil, "Leave out"),
      ("Base", [], nil, "Base exists already"),
      ("Weather", ["Nothing"], nil, "There is no interop Nothing. Known are"),
      ("Weather", ["Stroage"], nil, "There is no interop Stroage. Did you mean Storage? Known are"),
      ("Weather", ["maps?"], nil, "There is no interop maps. Did you mean Maps or Mail? Known are"),
      ("Weather", ["Auth", "Auth?"], nil, "named twice"), ("Weather", ["Auth"], "Auth", "can't need Auth"),
      ("Weather", ["?"], nil, "A need has no name"),
      ("Weather", ["Mail"], nil, "No product implements MailInterop"),
      ("Weather", [], "Maps", "requirements that tenon new can't implement"),
      ("Weather", [], "Used", "implemented by User already"), ("User", [], nil, "User exists already"),
    ] as [(String, [String], String?, String)])
  func aMistakeChangesNothing(name: String, needs: [String], provides: String?, expected: String) throws {
    let interop = { (name: String, requirement: String) in
      "public protocol \(name)Interop: Sendable {\n  \(requirement)\n}\n"
    }
    let status = "var status: String { get async throws }"
    let targets = ["Mail", "Maps", "Used"].map {
      ".target(name: \"\($0)Interop\", path: \"Interop/\($0)/Sources\"),"
    }
    let manifest = Self.manifest.replacing("targets: [\n", with: "targets: [\n\(targets.joined())")
    let files = [
      "Interop/Mail/Sources/A.swift": interop("Mail", status),
      "Interop/Maps/Sources/A.swift": interop("Maps", "func a()"),
      "Interop/Used/Sources/A.swift": interop("Used", status),
      "Products/User/Sources/A.swift": "struct A: UsedInterop {}",
    ]
    try withPackage(manifest, files) { root in
      let before = try content(root)
      let error = #expect(throws: CommandError.self) {
        try write(try plan(root, product: name, needs: needs, provides: provides), to: root)
      }
      #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
      #expect(try content(root) == before)
    }
  }

  @Test(
    arguments: [
      (
        "  targets: [", "  targets: [.target(name: \"Other\", path: \"Base\")] + [", "Add all of them by hand"
      ),
      ("name: \"tenon\"", "name: \"another\"", "doesn't depend on tenon"),
      ("tools-version: 6.2", "tools-version: 5.10", "must begin with"),
      ("let package", "let package = nonsense", "SwiftPM rejects Package.swift"),
    ])
  func aManifestThatCannotBeEditedIsLeftAlone(old: String, new: String, expected: String) throws {
    try withPackage(Self.manifest.replacing(old, with: new)) { root in
      let before = try content(root)
      let error = #expect(throws: CommandError.self) {
        try write(try plan(root, product: "Weather"), to: root)
      }
      #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
      #expect(try content(root) == before)
    }
  }

  /// As `swift package init --type empty` writes it, with a dependency.
  @Test func aManifestWithoutTargetsGetsThem() throws {
    let start = """
      // swift-tools-version: 6.3
      // The swift-tools-version declares the minimum version of Swift required to build this package.

      import PackageDescription

      let package = Package(
          name: "travel",
          dependencies: [.package(name: "tenon", path: "\(LintFixture.packageRoot.path)")]
      """
    for end in ["\n)\n", ",\n    swiftLanguageModes: [.v6]\n)\n"] {
      try withPackage(start + end) { root in
        try write(try plan(root, product: "Weather", needs: ["Auth?"], provides: "Forecast"), to: root)
        #expect(
          try PackageManifest(root: root).targets == [
            "ForecastInterop", "Weather", "WeatherTests", "weather-alone", "weather-auth",
          ])
      }
    }
  }

  @Test func everyEntryIsPrintedThatCannotBeAdded() throws {
    let manifest = Self.manifest.replacing(
      "  targets: [", with: "  targets: [.target(name: \"Other\", path: \"Base\")] + [")
    try withPackage(manifest) { root in
      let error = #expect(throws: CommandError.self) {
        try plan(root, product: "Weather", needs: ["Auth?"], provides: "Forecast")
      }
      for name in ["ForecastInterop", "Weather", "WeatherTests", "weather-alone", "weather-auth"] {
        #expect(error?.description.contains("\n  name: \"\(name)\"") == true, "\(name)")
      }
      #expect(error?.description.contains(".library(name: \"Weather\"") == true)
    }
  }

  /// What has the documents is the remote, which several libraries contribute.
  @Test(arguments: ["Store", "StoreRemote", "TenonStoreInterop"])
  func aProductCanNeedTheDocuments(need: String) throws {
    try withPackage { root in
      let plan = try plan(root, product: "Weather", needs: [need])
      let texts = plan.changes.map(\.text).joined()
      #expect(texts.contains("needs: .all((any StoreRemote).self)"))
      #expect(texts.contains("import TenonStoreInterop") && texts.contains("FakeStoreRemote()"))
      #expect(texts.contains(".product(name: \"TenonStoreInterop\", package: \"tenon\")"))
      try write(plan, to: root)
      let lint = Lint(
        try LintedPackage(root: root, configuration: try LintConfiguration(packageRoot: root)))
      #expect(lint.findings == [])
    }
  }

  /// The article on products shows what is written, apart from what only that product does.
  @Test func theArticleOnProductsShowsWhatIsWritten() throws {
    let page = try String(
      contentsOf: LintFixture.packageRoot.appending(path: "Documentation/Tenon.docc/WriteAProduct.md"),
      encoding: .utf8)
    let manifest = """
      // swift-tools-version: 6.3
      import PackageDescription
      let package = Package(
        name: "weather",
        dependencies: [.package(name: "tenon", path: "\(LintFixture.packageRoot.path)")]
      )

      """
    try withPackage(manifest) { root in
      let plan = try plan(root, product: "Weather", needs: ["Auth?"], provides: "Weather")
      func text(_ path: String) throws -> String {
        try #require(plan.changes.first { $0.path.hasSuffix(path) }?.text, "\(path)")
      }
      // The formatter breaks lines, so white space doesn't count.
      func words(_ text: some StringProtocol) -> String { String(text.filter { !$0.isWhitespace }) }
      #expect(words(page).contains(words(try text("/WeatherLibrary.swift"))))
      let product = try text("/Weather.swift")
      let own = try #require(product.firstRange(of: "  /// The interfaces of other libraries"))
      #expect(words(page).contains(words(product[..<own.lowerBound])))
      let changed = words(try text("Package.swift"))
      let start = try #require(changed.firstRange(of: "targets:["))
      // A comma and the ends of the list and of the package follow the last entry.
      let entries = changed[start.upperBound...].dropLast(3)
      #expect(entries.hasPrefix(".target(name:\"WeatherInterop\"") && entries.hasSuffix("])"))
      #expect(words(page).contains(entries), "\(entries)")
    }
  }

  @Test func aFailureAfterWritingRestoresEverything() throws {
    struct Refusal: Error {}
    try withPackage { root in
      let before = try content(root)
      let plan = try plan(root, product: "Weather", needs: ["Auth?"], provides: "Forecast")
      #expect(throws: CommandError.self) { try plan.write(to: root) { throw Refusal() } }
      #expect(try content(root) == before)
    }
  }

  @Test func aFileThatExistsIsNotReplaced() throws {
    try withPackage(Self.manifest, ["Integration/WeatherAlone/main.swift": "print()\n"]) { root in
      let before = try content(root)
      let plan = try plan(root, product: "Weather")
      let error = #expect(throws: CommandError.self) { try write(plan, to: root) }
      #expect(
        error?.description == "Integration/WeatherAlone/main.swift exists already. Nothing was changed.")
      #expect(try content(root) == before)
    }
  }

  @Test(.deep) func thisPackageGetsEntriesInItsVocabulary() throws {
    let plan = try plan(LintFixture.packageRoot, product: "Weather", needs: ["Auth?"], provides: "Forecast")
    let manifest = try #require(plan.changes.first { $0.path == "Package.swift" }?.text)
    #expect(
      manifest.contains("    + product(\"Weather\", speaks: [\"Auth\", \"Forecast\"])\n    + storeCombine\n"))
    #expect(manifest.contains("      [\"Weather\"],\n      [\"Weather\", \"Auth\"],\n    ].map(combination)"))
    #expect(manifest.contains("\"Storage\", \"Weather\"].map { features(of: $0"))
    #expect(manifest.contains("\"Auth\", \"Forecast\", \"Observability\""))
    let consumers = try #require(
      plan.changes.first { $0.path == "Integration/Tests/ConsumerTests.swift" }?.text)
    #expect(consumers.contains("\"TenonForecastInterop\",\n    \"TenonWeather\",\n  ]"))
    let paths = plan.changes.map(\.path)
    #expect(paths.contains("Integration/Features/Weather/Sources/WeatherFeatures.swift"))
    #expect(paths.contains("Integration/Combinations/WeatherAuth/Sources/main.swift"))
    let file = LintFixture.packageRoot.appending(path: "Products/Weather").path
    #expect(!FileManager.default.fileExists(atPath: file), "planning writes nothing")
  }

  @Test(.deep) func anInteropOfThisPackageIsToldWhereItsFakeAndContractBelong() throws {
    let notes = try NewTarget(root: LintFixture.packageRoot).plan(interop: "Forecast").notes
    let last = try #require(notes.last)
    #expect(last.contains("Core/Testing/Sources/Fakes/FakeForecast.swift"))
    #expect(last.contains("Core/Testing/Sources/Contracts/ForecastInteropContract.swift"))
    // The interops of this package follow that pattern.
    let testing = LintFixture.packageRoot.appending(path: "Core/Testing/Sources")
    for path in ["Fakes/FakeAuth.swift", "Contracts/AuthInteropContract.swift"] {
      #expect(FileManager.default.fileExists(atPath: testing.appending(path: path).path))
    }
    try withPackage { root in
      let notes = try NewTarget(root: root).plan(interop: "Mail").notes
      #expect(notes.count == 1)
    }
  }

  @Test func moreThanFourOptionalNeedsAreTriedOutAloneAndTogether() {
    func needs(_ count: Int) -> [ResolvedNeed] {
      (0..<count).map { ResolvedNeed(interop: .tenon("N\($0)"), isOptional: true) }
    }
    #expect(Combination.all(of: needs(4)).count == 16)
    #expect(Combination.all(of: needs(6)).map(\.count) == [0, 1, 1, 1, 1, 1, 1, 6])
  }

  @Test(arguments: [
    ("Weather", "weather", "weather"), ("AppCheck", "appCheck", "app-check"),
    ("URLTools", "urlTools", "url-tools"),
    ("URL2", "url2", "url-2"), ("ABC", "abc", "abc"),
  ])
  func namesHaveTheFormsOfMembersAndPrograms(name: String, member: String, kebab: String) {
    #expect(Names.member(name) == member)
    #expect(Names.kebab(name) == kebab)
  }
}
