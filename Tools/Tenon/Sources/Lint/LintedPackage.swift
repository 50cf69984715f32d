import Foundation

/// A Swift file in one of the areas of the map.
struct LintedFile {
  enum Area { case core, interop, products }

  let area: Area
  /// The folder of the module in its area, for example `Auth`.
  let module: String
  let source: SourceFile
  /// The name of the part of the module in whose folder the file is, for example `Engine` in
  /// `Products/Store/Engine/Sources`.
  let part: String?
  /// Whether the file is in the folder `Sources` of the module or of a part.
  let isSource: Bool
  /// Whether the file is in a folder `Tests`.
  let isTest: Bool
  /// Whether only tests use the file: it is a test itself, or in a module that is meant for tests.
  let isForTests: Bool

  /// The module that declares what the file declares.
  var owner: Owner { Owner(area: area, module: module) }
  struct Owner: Hashable {
    let area: Area
    let module: String
  }
}

/// The sources of a package, sorted into the areas of its map.
struct LintedPackage {
  let configuration: LintConfiguration
  let files: [LintedFile]
  /// The tests outside the areas of the map, in the folders for which the configuration selects an optional
  /// rule.
  let otherTests: [SourceFile]
  /// The protocols that interop modules declare.
  let interopProtocols: [InteropProtocol]
  let interopProtocolNames: Set<String>
  /// The modules of the products.
  let productModules: Set<String>
  /// The modules of the parts of products, for example `TenonStoreEngine`, by the names of the products.
  let productParts: [String: Set<String>]

  /// A protocol of an interop module, and where it is declared.
  struct InteropProtocol {
    let name: String
    let source: SourceFile
    let position: String.Index

    func finding(_ rule: String, _ message: String) -> Finding { source.finding(rule, at: position, message) }
  }

  /// Reads a package.
  ///
  /// - Parameters:
  ///   - root: the package's root folder.
  ///   - configuration: the map.
  ///   - mayBeEmpty: whether the package may have none of the folders of its map yet.
  /// - Throws: ``CommandError`` if the package has none of the folders of its map; errors of reading files.
  init(root: URL, configuration: LintConfiguration, mayBeEmpty: Bool = false) throws {
    let areas: [(LintedFile.Area, String)] = [
      (.core, configuration.core.folder), (.interop, configuration.interop.folder),
      (.products, configuration.products.folder),
    ]
    var files: [LintedFile] = []
    var hasArea = false
    for (area, folder) in areas {
      let directory = root.appending(path: folder)
      guard FileManager.default.fileExists(atPath: directory.path) else { continue }
      hasArea = true
      for path in try FileManager.default.subpathsOfDirectory(atPath: directory.path).sorted()
      where path.hasSuffix(".swift") {
        let text = try String(contentsOf: directory.appending(path: path), encoding: .utf8)
        let source = SourceFile(path: "\(folder)/\(path)", text: text)
        if let file = LintedFile(source, area: area, inner: path, configuration: configuration) {
          files.append(file)
        }
      }
    }
    guard hasArea || mayBeEmpty else {
      throw CommandError(
        "\(root.path) has none of the folders \(areas.map(\.1).joined(separator: ", ")). Name the package's folder with --package-path, move modules to \(configuration.interop.folder)/NAME/Sources and \(configuration.products.folder)/NAME/Sources, or name other folders in \(LintConfiguration.fileName), as tenon lint --help describes."
      )
    }
    let selected = Set(configuration.optionalRules.values.joined())
    let others = selected.filter { folder in
      folder.hasSuffix("/") && !areas.contains { LintConfiguration.contains("\($0.1)/", folder) }
    }
    self.init(
      configuration: configuration, files: files,
      otherTests: try others.sorted().flatMap { try Self.tests(in: String($0.dropLast()), of: root) })
  }

  /// Returns the files in the folders `Tests` below a folder; none if it doesn't exist.
  private static func tests(in folder: String, of root: URL) throws -> [SourceFile] {
    let directory = root.appending(path: folder)
    guard FileManager.default.fileExists(atPath: directory.path) else { return [] }
    return try FileManager.default.subpathsOfDirectory(atPath: directory.path).sorted().filter {
      $0.hasSuffix(".swift") && "/\($0)".contains("/Tests/")
    }.map { path in
      SourceFile(
        path: "\(folder)/\(path)",
        text: try String(contentsOf: directory.appending(path: path), encoding: .utf8))
    }
  }

  private init(configuration: LintConfiguration, files: [LintedFile], otherTests: [SourceFile]) {
    (self.configuration, self.files, self.otherTests) = (configuration, files, otherTests)
    interopProtocols = files.filter { $0.area == .interop && !$0.isTest }.flatMap { file in
      Declarations.protocols(file.source.code).map {
        InteropProtocol(name: $0.name, source: file.source, position: $0.position)
      }
    }
    interopProtocolNames = Set(interopProtocols.map(\.name))
    let products = files.filter { $0.area == .products }
    productModules = Set(products.map { configuration.prefix + $0.module })
    productParts = products.reduce(into: [:]) { parts, file in
      guard let part = file.part else { return }
      parts[file.module, default: []].insert(configuration.prefix + file.module + part)
    }
  }

  /// Returns the files of an area.
  func files(_ area: LintedFile.Area) -> [LintedFile] { files.filter { $0.area == area } }

  /// Returns the files of an area that aren't excepted from a rule.
  func files(_ area: LintedFile.Area, of rule: any LintRule.Type) -> [LintedFile] {
    files.filter { $0.area == area && !isExcepted($0.source.path, from: rule) }
  }

  /// Returns the files to which an optional rule applies and that aren't excepted from it.
  func files(of rule: any LintRule.Type) -> [LintedFile] {
    files.filter { isInScope($0, of: rule) && !isExcepted($0.source.path, from: rule) }
  }

  /// Returns the tests to which an optional rule applies and that aren't excepted from it.
  func tests(of rule: any LintRule.Type) -> [SourceFile] {
    (files.filter(\.isTest).map(\.source) + otherTests).filter {
      isInScope($0, of: rule) && !isExcepted($0.path, from: rule)
    }
  }

  /// Returns the protocols of interop modules whose files aren't excepted from a rule.
  func interopProtocols(of rule: any LintRule.Type) -> [InteropProtocol] {
    interopProtocols.filter { !isExcepted($0.source.path, from: rule) }
  }

  /// Whether the configuration selects an optional rule for a file.
  func isInScope(_ file: LintedFile, of rule: any LintRule.Type) -> Bool { isInScope(file.source, of: rule) }

  private func isInScope(_ source: SourceFile, of rule: any LintRule.Type) -> Bool {
    (configuration.optionalRules[rule.id] ?? []).contains { LintConfiguration.contains($0, source.path) }
  }

  /// Whether an exception of the configuration covers a file.
  func isExcepted(_ path: String, from rule: any LintRule.Type) -> Bool {
    configuration.exceptions.contains { $0.rule == rule.id && $0.covers(path) }
  }
}

extension LintedFile {
  /// Sorts a file into its module; `nil` if it isn't in the folder of a module.
  fileprivate init?(_ source: SourceFile, area: Area, inner: String, configuration: LintConfiguration) {
    let parts = inner.split(separator: "/")
    guard parts.count > 1 else { return nil }
    let module = String(parts[0])
    // A module's folder may hold that of a part with its own sources and tests.
    let isTest = parts.dropFirst().prefix(2).contains("Tests")
    let part =
      parts.count > 3 && parts[2] == "Sources" && !isTest && parts[1] != "Sources" ? String(parts[1]) : nil
    self.init(
      area: area, module: module, source: source, part: part,
      isSource: part != nil || (parts.count > 2 && parts[1] == "Sources"), isTest: isTest,
      isForTests: isTest || (area == .core && configuration.core.forTests.contains(module)))
  }
}
