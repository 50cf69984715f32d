/// Interop modules import only the toolchain's modules, so that depending on an interface adds nothing to a
/// program, and those modules of plain values that the configuration lists, which pass through the
/// interfaces.
enum InteropImports: LintRule {
  static let id = "interop-imports"
  static let summary = "An interop module imports the toolchain and what `interop.imports` lists."

  static func findings(in package: LintedPackage) -> [Finding] {
    let values = package.configuration.interop.imports
    return package.files(.interop, of: Self.self).filter { !$0.isTest }.flatMap { file in
      file.source.imports.filter { module, _ in
        !ToolchainModules.names.contains(module) && !values.contains(module)
      }.map { module, index in
        file.source.finding(
          id, at: index,
          "the interop \(file.module) imports \(module); an interop imports only the toolchain and modules of plain values"
        )
      }
    }
  }
}
