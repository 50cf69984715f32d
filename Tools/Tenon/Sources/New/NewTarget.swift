import Foundation
import TenonCore

/// A package to which modules are added.
struct NewTarget {
  let root: URL
  let configuration: LintConfiguration
  let manifest: PackageManifest
  private let manifestText: String
  /// The text of `.tenon-lint.json`; `nil` if there is none.
  private let lintText: String?
  private let package: LintedPackage
  /// How entries are added to the manifest.
  private let editor: any ManifestEditor

  /// Reads a package.
  ///
  /// - Throws: ``CommandError`` if it isn't one to which modules can be added.
  init(root: URL) throws {
    self.root = root
    manifest = try PackageManifest(root: root)
    configuration = try LintConfiguration(packageRoot: root)
    manifestText = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
    let lintFile = root.appending(path: LintConfiguration.fileName)
    lintText =
      FileManager.default.fileExists(atPath: lintFile.path)
      ? try String(contentsOf: lintFile, encoding: .utf8) : nil
    package = try LintedPackage(root: root, configuration: configuration, mayBeEmpty: true)
    editor =
      manifest.name == "tenon" && manifestText.contains("func product(")
      ? TenonManifestEditor() : try PlainManifestEditor(manifest: manifest, text: manifestText)
  }

  private var modules: NewModules { NewModules(configuration: configuration, isTenon: editor.isTenon) }

  /// Returns the changes that add an interop.
  func plan(interop name: String) throws -> NewPlan {
    try validate(name, module: modules.interop(name), folder: "\(configuration.interop.folder)/\(name)")
    var plan = NewPlan()
    add(interop: name, to: &plan)
    plan.replace(
      "Package.swift",
      try editor.adding(ManifestAdditions(modules: modules, interop: name), to: manifestText))
    let rules = [InteropHasOneImplementation.id, InteropHasAConsumer.id]
    let exceptions = try LintExceptions(text: lintText).adding(rules, for: modules.interopSources(name))
    try add(exceptions, to: &plan)
    for file in try editor.others(libraries: [modules.interop(name)], root: root) {
      plan.replace(file.path, file.text)
    }
    plan.notes.append(
      "Now describe in \(modules.interopFile(name)) what other products need, and implement it: tenon new product … --provides \(name)"
    )
    if editor.isTenon {
      let contract = "Core/Testing/Sources/Contracts/\(modules.interface(name))Contract.swift"
      plan.notes.append(
        "Then write a fake in Core/Testing/Sources/Fakes/Fake\(name).swift and, in \(contract), the contract suite that it and every implementation run."
      )
    }
    return plan
  }

  /// Returns the changes that add a product.
  func plan(product name: String, needs: [NewNeed], provides: String?) throws -> NewPlan {
    try validate(name, module: modules.product(name), folder: "\(configuration.products.folder)/\(name)")
    guard Set(needs.map(\.name)).count == needs.count else {
      throw CommandError("A need is named twice. Name it once.")
    }
    guard !needs.contains(where: { $0.name == provides }) else {
      throw CommandError("\(name) can't need \(provides ?? ""), which it provides itself.")
    }
    let resolved = try needs.map { ResolvedNeed(interop: try known($0.name), isOptional: $0.isOptional) }
    for need in resolved where !need.isOptional && need.interop.product == nil {
      throw CommandError(
        "No product implements \(need.interop.interface) yet, so a program couldn't have \(name). Make the need optional, '\(need.interop.name)?', or add the product first."
      )
    }

    var plan = NewPlan()
    var additions = ManifestAdditions(modules: modules)
    var exceptions = LintExceptions(text: lintText)
    if let provides {
      if let existing = try? known(provides), existing.isOwn {
        guard existing.product == nil, case .template = existing.fake else {
          throw CommandError(
            existing.product.map {
              "\(existing.interface) is implemented by \($0) already. Nothing was changed."
            }
              ?? "\(existing.interface) has requirements that tenon new can't implement. Leave out --provides, and add .providing(…) to the component."
          )
        }
        exceptions = try exceptions.removing(
          InteropHasOneImplementation.id, for: modules.interopSources(provides))
      } else {
        try validate(
          provides, module: modules.interop(provides), folder: "\(configuration.interop.folder)/\(provides)")
        add(interop: provides, to: &plan)
        additions.interop = provides
        exceptions = try exceptions.adding([InteropHasAConsumer.id], for: modules.interopSources(provides))
      }
    }
    for need in resolved where need.interop.isOwn {
      exceptions = try exceptions.removing(
        InteropHasAConsumer.id, for: modules.interopSources(need.interop.name))
    }

    let product = ProductTemplates(name: name, needs: resolved, provides: provides, modules: modules)
    let combinations = try Combination.all(of: resolved).map { needs in
      let combination = Combination(product: name, needs: needs)
      guard !manifest.targets.contains(combination.executable) else {
        throw CommandError("The target \(combination.executable) exists already. Nothing was changed.")
      }
      return combination
    }
    for file in product.files(combinations) { plan.add(file.path, file.text) }
    (additions.product, additions.combinations) = (product, combinations)
    plan.replace("Package.swift", try editor.adding(additions, to: manifestText))
    try add(exceptions, to: &plan)
    let libraries = [additions.interop.map(modules.interop)].compactMap(\.self) + [product.module]
    for file in try editor.others(libraries: libraries, root: root) { plan.replace(file.path, file.text) }
    plan.notes += editor.notes(product: product, combinations: combinations)
    if configuration.prefix.isEmpty {
      plan.notes.append(
        "The module \(product.module) has the name of its type. For another one, set \"prefix\" in \(LintConfiguration.fileName) first."
      )
    }
    return plan
  }

  private func add(interop name: String, to plan: inout NewPlan) {
    plan.add(modules.interopFile(name), InteropTemplate.text(name, interface: modules.interface(name)))
  }

  private func add(_ exceptions: LintExceptions, to plan: inout NewPlan) throws {
    guard let text = exceptions.text, text != lintText else { return }
    _ = try LintConfiguration(json: Data(text.utf8))
    if lintText == nil {
      plan.add(LintConfiguration.fileName, text)
    } else {
      plan.replace(LintConfiguration.fileName, text)
    }
  }

  /// Throws an error for a name that is malformed or in use.
  private func validate(_ name: String, module: String, folder: String) throws {
    try Names.validate(name)
    let isTaken =
      manifest.targets.contains(module)
      || FileManager.default.fileExists(atPath: root.appending(path: folder).path)
    if isTaken { throw CommandError("\(module) exists already. Nothing was changed.") }
  }

  /// Returns the interop of a name.
  private func known(_ text: String) throws -> KnownInterop {
    let name = shortName(text)
    let interface = modules.interface(name)
    if editor.isTenon, KnownInterop.ofTenon.contains(name) {
      let known = KnownInterop.tenon(name)
      return KnownInterop(
        name: name, module: known.module, interface: known.interface, isOwn: true, product: known.product,
        fake: known.fake, isContributed: known.isContributed)
    }
    if let declared = package.interopProtocols.first(where: { $0.name == interface }),
      manifest.targets.contains(modules.interop(name))
    {
      let implementing = package.files(.products).first {
        $0.isSource && Declarations.conformances($0.source.code).contains(interface)
      }
      let isTemplate = declared.source.code.contains(
        #/protocol \w+: Sendable \{\s*var status: String \{ get async throws \}\s*\}/#)
      return KnownInterop(
        name: name, module: modules.interop(name), interface: interface, isOwn: true,
        product: implementing?.module,
        fake: isTemplate ? .template : .none)
    }
    if !editor.isTenon, KnownInterop.ofTenon.contains(name) { return .tenon(name) }
    let own = package.interopProtocols.map(\.name).filter { $0.hasSuffix(configuration.interop.suffix) }
      .map { String($0.dropLast(configuration.interop.suffix.count)) }
    let known = Set(own + KnownInterop.ofTenon).sorted()
    let near = NearMisses.names(near: name, among: known)
    let question = near.isEmpty ? "" : " Did you mean \(near.joined(separator: " or "))?"
    throw CommandError(
      "There is no interop \(name).\(question) Known are \(known.joined(separator: ", ")). Add one with: tenon new interop \(name)"
    )
  }
}

extension NewTarget {
  /// Returns the name of an interop that was written as its module or its protocol, for example `Auth` for
  /// `TenonAuthInterop`.
  private func shortName(_ text: String) -> String {
    if text == "StoreRemote" { return "Store" }
    let suffix = configuration.interop.suffix
    guard text.hasSuffix(suffix), text.count > suffix.count else { return text }
    let name = String(text.dropLast(suffix.count))
    let prefixes = ["Tenon", configuration.prefix].filter { !$0.isEmpty && $0.count < name.count }
    return prefixes.first { name.hasPrefix($0) }.map { String(name.dropFirst($0.count)) } ?? name
  }
}

/// The names and places of modules.
struct NewModules {
  let configuration: LintConfiguration
  let isTenon: Bool

  func product(_ name: String) -> String { configuration.prefix + name }
  func interop(_ name: String) -> String { configuration.prefix + interface(name) }
  func interface(_ name: String) -> String { name + configuration.interop.suffix }
  func interopSources(_ name: String) -> String { "\(configuration.interop.folder)/\(name)/Sources/" }
  func interopFile(_ name: String) -> String { interopSources(name) + interface(name) + ".swift" }
}

/// A program that links a product with some of the products that it needs.
struct Combination {
  let product: String
  /// The needs whose products are linked.
  let needs: [ResolvedNeed]

  /// The products, for example `Weather` and `Auth`, each once.
  var products: [String] {
    needs.compactMap(\.interop.product).reduce(into: [product]) { products, name in
      if !products.contains(name) { products.append(name) }
    }
  }
  /// The name of the program's folder, for example `WeatherAuth`.
  var folder: String { products.joined() + (products.count == 1 ? "Alone" : "") }
  /// The name of the program, for example `weather-auth`.
  var executable: String {
    Names.kebab(
      products.joined().replacing("AppCheck", with: "Appcheck") + (products.count == 1 ? "Alone" : ""))
  }

  /// Returns the sets of needs to link: every set of the products of optional ones, with all required ones.
  /// Of more than four such products, none, each alone, and all.
  static func all(of needs: [ResolvedNeed]) -> [[ResolvedNeed]] {
    let products = needs.filter(\.isOptional).compactMap(\.interop.product)
    // Programs with one of Tenon's products link the embedded backend anyway.
    let hasBackend = needs.contains {
      !$0.interop.isOwn && $0.interop.product != nil && $0.interop.product != backend
    }
    var optional: [String] = []
    for name in products where !optional.contains(name) && !(name == backend && hasBackend) {
      optional.append(name)
    }
    var sets: [Set<String>] = [[]]
    if optional.count <= 4 {
      for name in optional { sets += sets.map { $0.union([name]) } }
    } else {
      sets += optional.map { [$0] } + [Set(optional)]
    }
    return sets.map { set in
      needs.filter { need in !need.isOptional || need.interop.product.map(set.contains) == true }
    }
  }

  /// The product that is the backend of programs.
  private static let backend = "Embedded"
}
