/// Each protocol of an interop module is used by a product that doesn't implement it; otherwise, it isn't an
/// interface between products.
enum InteropHasAConsumer: LintRule {
  static let id = "interop-has-a-consumer"
  static let summary =
    "Every protocol of an interop module is used by a product other than those that implement it."

  static func findings(in package: LintedPackage) -> [Finding] {
    // Searching a text for a name is faster than dividing it into words, and few files contain one.
    let mentioning = package.files(.products).filter { file in
      file.isSource && package.interopProtocolNames.contains { file.source.code.contains($0) }
    }
    let sources = mentioning.map { file in
      (
        product: file.module, conformances: Declarations.conformances(file.source.code),
        words: Set(file.source.code.matches(of: /\w+/).map(\.0))
      )
    }
    return package.interopProtocols(of: Self.self).compactMap { declared in
      let implementing = Set(sources.filter { $0.conformances.contains(declared.name) }.map(\.product))
      let using = Set(sources.filter { $0.words.contains(declared.name[...]) }.map(\.product))
      guard using.subtracting(implementing).isEmpty else { return nil }
      var finding = declared.finding(
        id, "no product uses \(declared.name), except for those that implement it")
      finding.repairs = [LintExceptions.repair(id, of: declared, "Use it in another product")]
      return finding
    }
  }
}
