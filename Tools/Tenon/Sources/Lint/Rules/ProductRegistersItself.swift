/// Every product registers its library, so that linking it is enough.
enum ProductRegistersItself: LintRule {
  static let id = "product-registers-itself"
  static let summary = "A product registers its library, so that linking it is enough."

  static func findings(in package: LintedPackage) -> [Finding] {
    let sources = Dictionary(grouping: package.files(.products).filter(\.isSource), by: \.module)
    return sources.sorted { $0.key < $1.key }.compactMap { product, files in
      guard package.configuration.products.extensions[product] == nil,
        !files.contains(where: { $0.source.code.contains(/\bLibraryRegistry\s*\.\s*register\s*\(/) })
      else { return nil }
      let path = "\(package.configuration.products.folder)/\(product)/Sources/\(product)Library.swift"
      return Finding(
        rule: id, message: "the product \(product) doesn't register itself",
        location: .init(path: path, line: nil),
        repairs: [
          "Add the declaration that the documentation of Library shows, which calls LibraryRegistry.register."
        ])
    }
  }
}
