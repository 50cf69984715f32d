/// The rules for imports: which module may import which.
///
/// Interop modules import only the toolchain's modules; Core's modules those listed in ``core``; products only Core and interop
/// modules, never another product, apart from the one that ``extensions`` lists. Tests of a product may import that product in addition.
enum ImportRules {
  /// The modules that come with the toolchain or the operating system. All modules may import them.
  private static let toolchain: Set<String> = [
    "Swift", "Foundation", "FoundationEssentials", "FoundationNetworking", "Dispatch", "Observation",
    "Synchronization", "Glibc",
    "Musl", "Darwin", "WinSDK", "ucrt", "Android", "Security", "CommonCrypto",
    "Combine",
  ]

  /// The modules that the modules of Core may import in addition to the toolchain's. `*` stands for all interop modules.
  private static let core: [String: Set<String>] = [
    "Components": ["TenonThreads", "TenonJSON"],
    "Documents": ["TenonHashes", "TenonJSON", "TenonStoreInterop"],
    "Hashes": [],
    "JSON": [],
    "SQLite": ["CSQLite", "TenonChecksums"],
    "Transport": [
      "CTransport", "TenonHTTP", "TenonURLSession", "TenonCore", "TenonJSON", "TenonTransportInterop",
      "TenonAuthInterop", "TenonAppCheckInterop",
    ],
    "WebChannel": ["TenonJSON"],
    "Testing": ["TenonCore", "TenonDocuments", "TenonTransport", "Testing", "*"],
  ]

  /// The modules of Core that products may import.
  private static let coreModules: Set<String> = [
    "TenonCore", "TenonHashes", "TenonJSON", "TenonTransport", "TenonSQLite", "TenonDocuments",
    "TenonWebChannel", "CCrypt",
  ]

  /// The products that extend another one, with what they may import in addition: the product, and a package behind a trait.
  private static let extensions: [String: Set<String>] = ["StoreCombine": ["TenonStore", "OpenCombine"]]

  /// Returns the violations in a file.
  static func findings(_ source: SourceFile) -> [Finding] {
    let parts = source.path.split(separator: "/").map(String.init)
    guard parts.count > 3, parts[2] == "Sources" else { return testFindings(source, parts) }
    let (area, name) = (parts[0], parts[1])
    return source.imports.compactMap { module, index in
      guard let reason = refusal(of: module, area: area, name: name, parts: parts) else { return nil }
      return source.finding(at: index, reason)
    }
  }

  /// Returns the reason why a module must not be imported; `nil` if it may.
  ///
  /// - Parameters:
  ///   - module: the imported module.
  ///   - area: the top-level folder: `Core`, `Interop` or `Products`.
  ///   - name: the folder of the importing module.
  ///   - parts: the components of the file's path.
  private static func refusal(of module: String, area: String, name: String, parts: [String]) -> String? {
    switch area {
    case "Interop":
      return toolchain.contains(module)
        ? nil : "the interop \(name) imports \(module); an interop imports nothing but the toolchain"
    case "Core":
      if name == "Components", parts.contains("Kernel"), module.hasPrefix("Foundation") {
        return "Core's kernel imports \(module); it does without Foundation"
      }
      guard let allowed = core[name] else { return "Core/\(name) isn't on the map; add it to ImportRules" }
      let isAllowed =
        toolchain.contains(module) || allowed.contains(module) || (allowed.contains("*") && isInterop(module))
      return isAllowed ? nil : "Core/\(name) imports \(module), which the map doesn't allow"
    default:
      if toolchain.contains(module) || coreModules.contains(module) || isInterop(module) { return nil }
      if extensions[name]?.contains(module) == true { return nil }
      return module.hasPrefix("Tenon")
        ? "the product \(name) imports the product \(module); products know each other through interops only"
        : "the product \(name) imports the package \(module); libraries need no third-party package"
    }
  }

  /// Returns the violations in a product's tests, which may import their own product, Core and the interop modules.
  private static func testFindings(_ source: SourceFile, _ parts: [String]) -> [Finding] {
    guard parts.count > 3, parts[0] == "Products", parts[2] == "Tests" else { return [] }
    let forTests: Set<String> = ["Tenon\(parts[1])", "TenonTesting", "Testing", "SQLiteFaults"]
    let allowed = coreModules.union(toolchain).union(forTests)
    return source.imports.compactMap { module, index in
      guard !allowed.contains(module), !isInterop(module) else { return nil }
      return source.finding(
        at: index,
        "the tests of \(parts[1]) import \(module); tests that join products belong to Integration"
      )
    }
  }

  /// Whether a module is an interop module, by its name.
  private static func isInterop(_ module: String) -> Bool {
    module.hasPrefix("Tenon") && module.hasSuffix("Interop")
  }
}
