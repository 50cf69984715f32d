import Foundation

/// Adds entries to a manifest.
protocol ManifestEditor {
  /// Whether the manifest is that of Tenon itself.
  var isTenon: Bool { get }
  /// Returns a manifest with an interop module.
  func adding(interop name: String, modules: NewModules, to text: String) throws -> String
  /// Returns a manifest with a product, its tests and its executables.
  func adding(product: ProductTemplates, combinations: [Combination], to text: String) throws -> String
  /// Returns other files of the package that change with new libraries.
  func others(libraries: [String], root: URL) throws -> [(path: String, text: String)]
  /// Returns what is left to do.
  func notes(product: ProductTemplates, combinations: [Combination]) -> [String]
}

/// Adds entries to a manifest whose targets are a literal list in the call of `Package`.
struct PlainManifestEditor: ManifestEditor {
  let isTenon = false

  /// - Throws: ``CommandError`` if the package can't use Tenon.
  init(manifest: PackageManifest, text: String) throws {
    guard manifest.dependencies.contains("tenon") else {
      throw CommandError(
        "Package.swift doesn't depend on tenon. Add .package(url: \"https://github.com/OWNER/tenon\", from: \"0.2.0\") to its dependencies, or .package(name: \"tenon\", path: …) for a clone."
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

  func adding(interop name: String, modules: NewModules, to text: String) throws -> String {
    let module = modules.interop(name)
    let path = String(modules.interopSources(name).dropLast())
    return try adding([Self.target("target", module, [], path: path)], library: module, to: text)
  }

  func adding(product: ProductTemplates, combinations: [Combination], to text: String) throws -> String {
    let modules = product.modules
    let folder = "\(modules.configuration.products.folder)/\(product.name)"
    let interops = product.interops.map { Self.dependency($0.module, isOwn: $0.isOwn) }
    let core = Self.dependency("TenonCore", isOwn: false)
    let own = Self.dependency(product.module, isOwn: true)
    var entries = [
      Self.target("target", product.module, [core] + interops, path: "\(folder)/Sources"),
      Self.target(
        "testTarget", "\(product.module)Tests",
        [own, core, Self.dependency("TenonTesting", isOwn: false)] + interops, path: "\(folder)/Tests"),
    ]
    entries += combinations.map { combination in
      let linked = product.links(combination).map { Self.dependency($0.module, isOwn: $0.isOwn) }
      return Self.target(
        "executableTarget", combination.executable, [own, core] + linked,
        path: "Integration/\(combination.folder)")
    }
    return try adding(entries, library: product.module, to: text)
  }

  /// Returns a manifest with targets, and with a library product if it declares products.
  private func adding(_ targets: [String], library: String, to text: String) throws -> String {
    guard var text = ListEditor.append(targets, toListAfter: "targets:", in: Self.outermost(text)) else {
      throw CommandError(
        "The targets in Package.swift aren't one literal list, so these entries can't be added. Add them by hand:\n\n"
          + targets.joined(separator: ",\n") + "\n\nNothing was changed.")
    }
    text = Self.restored(text)
    return ListEditor.append(
      [".library(name: \"\(library)\", targets: [\"\(library)\"])"], toListAfter: "products:", in: text)
      ?? text
  }

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

  func adding(interop name: String, modules: NewModules, to text: String) throws -> String {
    try replacing(/var interops: \[String\] (\{\s*\[.*?\]\s*\})/, in: text) { list in
      let names = (list.matches(of: /"\w+"/).map { String($0.0) } + ["\"\(name)\""]).sorted()
      return "var interops: [String] {\n  [\(names.joined(separator: ", "))]\n}"
    }
  }

  func adding(product: ProductTemplates, combinations: [Combination], to text: String) throws -> String {
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
