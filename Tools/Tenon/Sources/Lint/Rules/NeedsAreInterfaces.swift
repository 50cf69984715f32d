/// What a component needs is an interface of an interop module, or something that its own product declares, such as a protocol that
/// apps implement.
///
/// A protocol that the package doesn't declare is taken for one of another package's interop modules. Needs that
/// `Component(from:)` infers from the parameters of a function aren't seen.
enum NeedsAreInterfaces: LintRule {
  static let id = "needs-are-interfaces"
  static let summary = "A component needs interfaces of interop modules, or what its own product declares."

  static func findings(in package: LintedPackage) -> [Finding] {
    let declared = Dictionary(grouping: package.files.filter { !$0.isTest }, by: \.owner)
      .mapValues { files in Set(files.flatMap { Declarations.types($0.source.code) }) }
    let everything = declared.values.reduce(into: Set<String>()) { $0.formUnion($1) }
    return package.files(.products, of: Self.self).filter(\.isSource).flatMap { file in
      ComponentNeeds.needs(file.source.code).compactMap { need -> Finding? in
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
