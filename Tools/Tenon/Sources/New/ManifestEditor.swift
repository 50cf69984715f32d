import Foundation

/// Adds entries to a manifest.
protocol ManifestEditor {
  /// Whether the manifest is that of Tenon itself.
  var isTenon: Bool { get }
  /// Returns a manifest with what is new.
  func adding(_ additions: ManifestAdditions, to text: String) throws -> String
  /// Returns other files of the package that change with new libraries.
  func others(libraries: [String], root: URL) throws -> [(path: String, text: String)]
  /// Returns what is left to do.
  func notes(product: ProductTemplates, combinations: [Combination]) -> [String]
}

/// What is new in a manifest: an interop module, a product with its tests and executables, or both.
struct ManifestAdditions {
  let modules: NewModules
  /// The name of the interop.
  var interop: String?
  var product: ProductTemplates?
  var combinations: [Combination] = []
}

/// Adds entries to a manifest whose targets are a literal list in the call of `Package`, or that has none.
struct PlainManifestEditor: ManifestEditor {
  let isTenon = false

  /// - Throws: ``CommandError`` if the package can't use Tenon.
  init(manifest: PackageManifest, text: String) throws {
    guard manifest.dependencies.contains("tenon") else {
      let list =
        text.contains("dependencies:") ? "" : " Without such a list, add dependencies: […] after name:."
      throw CommandError(
        "Package.swift doesn't depend on tenon. Add .package(url: \"https://github.com/OWNER/tenon\", from: \"0.2.0\") to its dependencies, or .package(name: \"tenon\", path: …) for a clone.\(list)"
      )
    }
    let version = text.firstMatch(of: /swift-tools-version:\s*(\d+)\.(\d+)/)
    guard let version, let major = Int(version.1), major >= 6 else {
      throw CommandError("Package.swift must begin with \"// swift-tools-version: 6.0\" or a later version.")
    }
  }

  private static let settings = """
    swiftSettings: [
        .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
      ]
    """

  private static func dependency(_ name: String, isOwn: Bool) -> String {
    isOwn ? "\"\(name)\"" : ".product(name: \"\(name)\", package: \"tenon\")"
  }

  private static func target(_ kind: String, _ name: String, _ dependencies: [String], path: String) -> String
  {
    let list =
      dependencies.isEmpty
      ? "" : "\n  dependencies: [\n    \(dependencies.joined(separator: ",\n    ")),\n  ],"
    return ".\(kind)(\n  name: \"\(name)\",\(list)\n  path: \"\(path)\",\n  \(settings))"
  }

  /// The entries of targets, and the modules that become library products.
  private static func entries(_ additions: ManifestAdditions) -> (targets: [String], libraries: [String]) {
    var (targets, libraries) = ([String](), [String]())
    let modules = additions.modules
    if let interop = additions.interop {
      let path = String(modules.interopSources(interop).dropLast())
      targets.append(target("target", modules.interop(interop), [], path: path))
      libraries.append(modules.interop(interop))
    }
    guard let product = additions.product else { return (targets, libraries) }
    let folder = "\(modules.configuration.products.folder)/\(product.name)"
    let interops = product.interops.map { dependency($0.module, isOwn: $0.isOwn) }
    let core = dependency("TenonCore", isOwn: false)
    let own = dependency(product.module, isOwn: true)
    targets += [
      target("target", product.module, [core] + interops, path: "\(folder)/Sources"),
      target(
        "testTarget", "\(product.module)Tests",
        [own, core, dependency("TenonTesting", isOwn: false)] + interops, path: "\(folder)/Tests"),
    ]
    targets += additions.combinations.map { combination in
      let linked = product.links(combination).map { dependency($0.module, isOwn: $0.isOwn) }
      return target(
        "executableTarget", combination.executable, [own, core] + linked,
        path: "Integration/\(combination.folder)")
    }
    return (targets, libraries + [product.module])
  }

  /// Returns a manifest with targets, and with library products if it declares products.
  func adding(_ additions: ManifestAdditions, to text: String) throws -> String {
    let (targets, modules) = Self.entries(additions)
    let libraries = modules.map { ".library(name: \"\($0)\", targets: [\"\($0)\"])" }
    guard
      let added = Self.withList(text).flatMap({
        ListEditor.append(targets, toListAfter: "targets:", in: Self.outermost($0))
      })
    else {
      throw CommandError(
        "The targets in Package.swift aren't one literal list, so these entries can't be added. Add all of them by hand to the targets:\n\n"
          + targets.joined(separator: ",\n") + "\n\nand to the products, if other packages use them:\n\n"
          + libraries.joined(separator: ",\n") + "\n\nNothing was changed.")
    }
    let text = Self.restored(added)
    return ListEditor.append(libraries, toListAfter: "products:", in: text) ?? text
  }

  /// Returns a manifest that has a list of targets, as that of `swift package init --type empty` has none;
  /// `nil` if there is no plain call of `Package` to add it to.
  private static func withList(_ text: String) -> String? {
    let code = CodeOnly.blanking(outermost(text))
    guard !code.contains(/\btargets\s*:/), !code.contains(/\.targets\b/) else { return text }
    return ListEditor.append("targets: []", toCallOf: "Package", before: following, in: text)
  }

  /// The arguments of `Package` that follow its targets.
  private static let following = [
    "swiftLanguageModes:", "swiftLanguageVersions:", "cLanguageStandard:", "cxxLanguageStandard:",
  ]

  // `targets:` is also an argument of products. There, it is written differently while the list is changed.
  private static let mark = "targets\u{1}:"
  private static func outermost(_ text: String) -> String {
    text.replacing(#/(\.(?:library|executable|plugin)\([^()]*?)targets:/#) { "\($0.1)\(mark)" }
  }
  private static func restored(_ text: String) -> String { text.replacing(mark, with: "targets:") }

  func others(libraries: [String], root: URL) throws -> [(path: String, text: String)] { [] }

  func notes(product: ProductTemplates, combinations: [Combination]) -> [String] {
    ["Now: swift test --filter \(product.module)Tests && swift run \(combinations.last?.executable ?? "")"]
  }
}

/// Adds entries to Tenon's own manifest, in its vocabulary.
struct TenonManifestEditor: ManifestEditor {
  let isTenon = true

  func adding(_ additions: ManifestAdditions, to text: String) throws -> String {
    var text = text
    if let interop = additions.interop { text = try adding(interop: interop, to: text) }
    if let product = additions.product {
      text = try adding(product: product, combinations: additions.combinations, to: text)
    }
    return text
  }

  private func adding(interop name: String, to text: String) throws -> String {
    try replacing(/var interops: \[String\] (\{\s*\[.*?\]\s*\})/, in: text) { list in
      let names = (list.matches(of: /"\w+"/).map { String($0.0) } + ["\"\(name)\""]).sorted()
      return "var interops: [String] {\n  [\(names.joined(separator: ", "))]\n}"
    }
  }

  private func adding(
    product: ProductTemplates, combinations: [Combination], to text: String
  ) throws -> String {
    let speaks = product.interops.map { "\"\($0.name)\"" }.joined(separator: ", ")
    var text = try replacing(/\n( +\+ storeCombine\n)/, in: text) {
      "\n    + product(\"\(product.name)\", speaks: [\(speaks)])\n\($0)"
    }
    let lists = combinations.map { "[\($0.products.map { "\"\($0)\"" }.joined(separator: ", "))]," }
    text = try replacing(/\n( +\]\.map\(combination\))/, in: text) {
      "\n" + lists.map { "      \($0)\n" }.joined() + $0
    }
    text = try replacing(/\+ \[(.*?)\]\.map \{ features\(of: \$0/, in: text) {
      "+ [\($0), \"\(product.name)\"].map { features(of: $0"
    }
    return try replacing(/let products = \[\n(.*?)\n +\]\.map/, in: text) {
      "let products = [\n\($0)\n    \"\(product.name)\",\n  ].map"
    }
  }

  /// Replaces the only match of a pattern.
  private func replacing(
    _ pattern: Regex<(Substring, Substring)>, in text: String, of path: String = "Package.swift",
    with replacement: (Substring) -> String
  ) throws -> String {
    let matches = text.matches(of: pattern.dotMatchesNewlines())
    guard matches.count == 1, let match = matches.first else {
      throw CommandError("\(path) no longer has the form that tenon new knows. Nothing was changed.")
    }
    return String(text[..<match.range.lowerBound] + replacement(match.1) + text[match.range.upperBound...])
  }

  func others(libraries: [String], root: URL) throws -> [(path: String, text: String)] {
    // This test lists every library.
    let path = "Integration/Tests/ConsumerTests.swift"
    let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
    let lines = libraries.map { "\n    \"\($0)\"," }.joined()
    return [
      (
        path,
        try replacing(/static let libraries = \[(.*?)\n  \]/, in: text, of: path) {
          "static let libraries = [\($0)\(lines)\n  ]"
        }
      )
    ]
  }

  func notes(product: ProductTemplates, combinations: [Combination]) -> [String] {
    [
      "Now: swift test --filter \(product.module)Tests && swift run \(combinations.last?.executable ?? "")",
      "Write Integration/MATRIX.md again: swift build -c release && .build/release/tenon-matrix generate",
    ]
  }
}
