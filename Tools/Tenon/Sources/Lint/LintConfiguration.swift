import Foundation
import TenonJSON

/// The map of a package, and the rules that apply to it. It is read from `.tenon-lint.json` in the package's
/// root.
struct LintConfiguration {
  static let fileName = ".tenon-lint.json"

  /// The prefix of the names of modules, for example `Tenon` for `TenonAuth` in the folder `Auth`.
  var prefix = ""
  var core = Core()
  var interop = Interop()
  var products = Products()
  /// The folders in which optional rules apply, by the rules' identifiers.
  var optionalRules: [String: [String]] = [:]
  var exceptions: [Exception] = []

  struct Core {
    var folder = "Core"
    /// The modules that each module may import in addition to the toolchain; `*` means every interop module.
    var imports: [String: [String]] = [:]
    /// The modules that only tests use.
    var forTests: [String] = []
  }

  struct Interop {
    var folder = "Interop"
    /// The suffix of the names of interop modules.
    var suffix = "Interop"
    /// The modules that all interop modules may import in addition to the toolchain: modules of the plain
    /// values that their protocols pass.
    var imports: [String] = []
  }

  struct Products {
    var folder = "Products"
    /// The modules that all products may import in addition to the toolchain and interop modules.
    var imports = ["TenonCore", "TenonTransport"]
    /// The modules that the tests of products may import in addition.
    var testImports = ["TenonTesting"]
    /// The products that extend another one and provide no components, with what they may import in addition.
    var extensions: [String: [String]] = [:]
  }

  /// Files to which a rule doesn't apply.
  struct Exception {
    var rule: String
    /// A file, or a folder with a slash at its end.
    var path: String
    var reason: String
    func covers(_ file: String) -> Bool { LintConfiguration.contains(path, file) }
  }

  /// The configuration of a package without a file.
  init() {}

  /// Reads the file of a package; returns the defaults if there is none.
  ///
  /// - Throws: ``CommandError`` if the file is malformed or has an unknown key or rule.
  init(packageRoot root: URL) throws {
    let file = root.appending(path: Self.fileName)
    guard FileManager.default.fileExists(atPath: file.path) else {
      self.init()
      return
    }
    try self.init(json: try Data(contentsOf: file))
  }

  /// Reads a configuration.
  ///
  /// - Throws: ``CommandError`` if it is malformed or has an unknown key or rule.
  init(json: Data) throws {
    let value: Any
    do { value = try JSONSerialization.jsonObject(with: json) } catch {
      throw CommandError("\(Self.fileName) isn't JSON\(Self.place(ofMistakeIn: json)).")
    }
    let root = try SettingsReader(value, at: "", of: String(decoding: json, as: UTF8.self))
    try root.allow(["prefix", "core", "interop", "products", "rules", "exceptions"])
    prefix = try root.string("prefix") ?? prefix
    if let reader = try root.object("core") {
      try reader.allow(["folder", "imports", "forTests"])
      core.folder = try reader.string("folder") ?? core.folder
      core.imports = try reader.lists("imports") ?? core.imports
      core.forTests = try reader.strings("forTests") ?? core.forTests
    }
    if let reader = try root.object("interop") {
      try reader.allow(["folder", "suffix", "imports"])
      interop.folder = try reader.string("folder") ?? interop.folder
      interop.suffix = try reader.string("suffix") ?? interop.suffix
      interop.imports = try reader.strings("imports") ?? interop.imports
      guard !interop.suffix.isEmpty else {
        throw CommandError(
          "\(Self.fileName): interop.suffix is empty, so interop modules can't be recognized.")
      }
    }
    if let reader = try root.object("products") {
      try reader.allow(["folder", "imports", "testImports", "extensions"])
      products.folder = try reader.string("folder") ?? products.folder
      products.imports = try reader.strings("imports") ?? products.imports
      products.testImports = try reader.strings("testImports") ?? products.testImports
      products.extensions = try reader.lists("extensions") ?? products.extensions
    }
    optionalRules = try root.lists("rules") ?? [:]
    for rule in optionalRules.keys {
      try root.check(rule, isOneOf: Self.ids { $0.isOptional }, as: "rule in rules")
    }
    for reader in try root.objects("exceptions") ?? [] {
      try reader.allow(["rule", "path", "reason"])
      let exception = Exception(
        rule: try reader.required(reader.string("rule"), "rule"),
        path: try reader.required(reader.string("path"), "path"),
        reason: try reader.required(reader.string("reason"), "reason"))
      try root.check(exception.rule, isOneOf: Self.ids { _ in true }, as: "rule in exceptions")
      exceptions.append(exception)
    }
  }

  /// Returns where a text stops being JSON and why, as the end of a sentence.
  private static func place(ofMistakeIn json: Data) -> String {
    do { _ = try JSON.decode([String: JSON].self, from: json) } catch let error as JSONError {
      let (line, column) = error.place(in: json)
      return ": at line \(line), column \(column), \(error.reason)"
    } catch {}
    return ""
  }

  private static func ids(_ isIncluded: (any LintRule.Type) -> Bool) -> [String] {
    Lint.rules.filter(isIncluded).map { $0.id }
  }

  /// Whether a module is an interop module, of this package or another one, by its name.
  func isInterop(_ module: String) -> Bool { module.hasSuffix(interop.suffix) }

  /// Whether a path is a file, or below a folder with a slash at its end.
  static func contains(_ path: String, _ file: String) -> Bool {
    path == file || path.hasSuffix("/") && file.hasPrefix(path)
  }
}
