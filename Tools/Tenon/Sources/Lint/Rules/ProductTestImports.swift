/// The tests of a product import that product and no other, because all tests of a package may be linked into
/// one process, in which no product could be absent.
enum ProductTestImports: LintRule {
  static let id = "product-test-imports"
  static let summary = "The tests of a product import that product, but no other one."

  static func findings(in package: LintedPackage) -> [Finding] {
    let configuration = package.configuration
    let allowed = ToolchainModules.names.union(configuration.products.imports).union(
      configuration.products.testImports
    )
    .union(["Testing", "XCTest"])
    return package.files(.products, of: Self.self).filter(\.isTest).flatMap { file in
      let own = package.productParts[file.module, default: []].union([configuration.prefix + file.module])
      return file.source.imports.compactMap { module, index -> Finding? in
        guard !own.contains(module), !allowed.contains(module), !configuration.isInterop(module) else {
          return nil
        }
        return file.source.finding(
          id, at: index,
          "the tests of \(file.module) import \(module); tests that join products belong to Integration")
      }
    }
  }
}
