/// What a component needs is an interface of an interop module, or something that its own product declares,
/// such as a protocol that apps implement.
///
/// A protocol that the package doesn't declare is taken for one of another package's interop modules. Needs
/// that `Component(from:)` infers from the parameters of a function are seen as far as ``InferredNeeds``
/// finds that function.
enum NeedsAreInterfaces: LintRule {
  static let id = "needs-are-interfaces"
  static let summary =
    "A component needs interfaces of interop modules, or what its own product declares; what Component(from:) infers is seen if its "
    + "closure states the types, or if its function is declared once in the same module with these labels."

  static func findings(in package: LintedPackage) -> [Finding] {
    let declared = Dictionary(grouping: package.files.filter { !$0.isTest }, by: \.owner)
      .mapValues { files in Set(files.flatMap { Declarations.types($0.source.code) }) }
    let everything = declared.values.reduce(into: Set<String>()) { $0.formUnion($1) }
    let inferred = Dictionary(grouping: package.files(.products).filter(\.isSource), by: \.owner)
      .mapValues { files in InferredNeeds(of: files.map(\.source.code)) }
    return package.files(.products, of: Self.self).filter(\.isSource).flatMap { file in
      let needs =
        ComponentNeeds.needs(file.source.code) + (inferred[file.owner]?.needs(file.source.code) ?? [])
      return needs.sorted { $0.position < $1.position }.compactMap { need -> Finding? in
        let name = need.name
        let isInterface =
          need.isExistential && (package.interopProtocolNames.contains(name) || !everything.contains(name))
        guard !isInterface, declared[file.owner]?.contains(name) != true else { return nil }
        return file.source.finding(
          id, at: need.position,
          "a component of \(file.module) needs \(need.type), which is neither an interface of an interop module nor declared by \(file.module)"
        )
      }
    }
  }
}
