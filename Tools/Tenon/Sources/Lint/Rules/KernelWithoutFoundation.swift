/// The kernel does without Foundation, so that programs can be as small as the container allows.
enum KernelWithoutFoundation: LintRule {
  static let id = "kernel-without-foundation"
  static let summary = "The kernel imports no part of Foundation."
  static let isOptional = true

  static func findings(in package: LintedPackage) -> [Finding] {
    guard let kernel = package.configuration.kernel else { return [] }
    return package.files(of: Self.self).map(\.source).filter { $0.path.hasPrefix(kernel.folder + "/") }
      .flatMap { source in
        source.imports.filter { $0.module.hasPrefix("Foundation") }.map {
          source.finding(id, at: $0.index, "Core's kernel imports \($0.module); it does without Foundation")
        }
      }
  }
}
