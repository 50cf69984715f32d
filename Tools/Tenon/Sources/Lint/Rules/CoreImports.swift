/// Modules of Core import the toolchain's modules and what the configuration allows each of them.
enum CoreImports: LintRule {
  static let id = "core-imports"
  static let summary = "A module of Core imports the toolchain and what `core.imports` lists for it."

  static func findings(in package: LintedPackage) -> [Finding] {
    let allowed = package.configuration.core.imports
    return package.files(.core, of: Self.self).filter(\.isSource).flatMap { file in
      let name = "\(package.configuration.core.folder)/\(file.module)"
      return file.source.imports.compactMap { module, index -> Finding? in
        guard let own = allowed[file.module] else {
          return file.source.finding(
            id, at: index, "\(name) isn't on the map; add it to core.imports in \(LintConfiguration.fileName)"
          )
        }
        let isAllowed =
          ToolchainModules.names.contains(module) || own.contains(module)
          || (own.contains("*") && package.configuration.isInterop(module))
        return isAllowed
          ? nil : file.source.finding(id, at: index, "\(name) imports \(module), which the map doesn't allow")
      }
    }
  }
}
