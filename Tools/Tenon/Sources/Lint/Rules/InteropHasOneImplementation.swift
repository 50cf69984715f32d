/// Each protocol of an interop module is implemented by exactly one product, so linking that product provides
/// it.
enum InteropHasOneImplementation: LintRule {
  static let id = "interop-has-one-implementation"
  static let summary = "Every protocol of an interop module is implemented by exactly one product."

  static func findings(in package: LintedPackage) -> [Finding] {
    let sources = package.files(.products).filter { file in
      file.isSource && package.interopProtocolNames.contains { file.source.code.contains($0) }
    }
    let conformances = sources.map { (product: $0.module, names: Declarations.conformances($0.source.code)) }
    return package.interopProtocols(of: Self.self).compactMap { declared in
      let products = Set(conformances.filter { $0.names.contains(declared.name) }.map(\.product)).sorted()
      guard products.count != 1 else { return nil }
      guard products.isEmpty else {
        return declared.finding(
          id, "\(declared.name) is implemented by several products: \(products.joined(separator: ", "))")
      }
      var finding = declared.finding(id, "no product implements \(declared.name)")
      finding.repairs = [LintExceptions.repair(id, of: declared, "Implement it in a product")]
      return finding
    }
  }
}
