/// Products import the toolchain, interop modules, their own parts and what the configuration allows all of
/// them, but never another product, except for a product that extends another one and is listed in
/// `products.extensions`.
enum ProductImports: LintRule {
  static let id = "product-imports"
  static let summary =
    "A product imports no other product; products know each other through interop modules only."

  static func findings(in package: LintedPackage) -> [Finding] {
    let configuration = package.configuration
    return package.files(.products, of: Self.self).filter(\.isSource).flatMap { file in
      let own = package.productParts[file.module, default: []].union(
        configuration.products.extensions[file.module] ?? [])
      return file.source.imports.compactMap { module, index -> Finding? in
        let isAllowed =
          ToolchainModules.names.contains(module) || configuration.products.imports.contains(module)
          || configuration.isInterop(module) || own.contains(module)
        guard !isAllowed else { return nil }
        return file.source.finding(id, at: index, refusal(of: module, by: file.module, in: package))
      }
    }
  }

  private static func refusal(of module: String, by product: String, in package: LintedPackage) -> String {
    // By its name, a module with the package's prefix or Tenon's is a product, even one of another package.
    let prefixes = ["Tenon", package.configuration.prefix].filter { !$0.isEmpty }
    if package.productModules.contains(module) || prefixes.contains(where: module.hasPrefix) {
      return
        "the product \(product) imports the product \(module); products know each other through interops only"
    }
    return
      "the product \(product) imports the package \(module); list it in products.imports if every product may use it"
  }
}
