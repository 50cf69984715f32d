/// Interop modules import only the toolchain's modules, so that depending on an interface adds nothing to a program.
enum InteropImports: LintRule {
  static let id = "interop-imports"
  static let summary = "An interop module imports nothing but the toolchain's modules."

  static func findings(in package: LintedPackage) -> [Finding] {
    package.files(.interop, of: Self.self).filter { !$0.isTest }.flatMap { file in
      file.source.imports.filter { !ToolchainModules.names.contains($0.module) }.map {
        file.source.finding(
          id, at: $0.index,
          "the interop \(file.module) imports \($0.module); an interop imports nothing but the toolchain")
      }
    }
  }
}
