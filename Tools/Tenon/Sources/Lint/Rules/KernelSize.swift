/// The kernel's length is limited, so that it can be read at one go.
enum KernelSize: LintRule {
  static let id = "kernel-size"
  static let summary = "The kernel has no more lines of code than the configuration allows."
  static let isOptional = true

  static func findings(in package: LintedPackage) -> [Finding] {
    guard let kernel = package.configuration.kernel else { return [] }
    let lines = package.files(of: Self.self).lazy.map(\.source).filter {
      $0.path.hasPrefix(kernel.folder + "/")
    }
    .reduce(0) { $0 + $1.codeLineCount }
    guard lines > kernel.lineLimit else { return [] }
    return [
      Finding(
        rule: id, message: "the kernel has \(lines) lines of code; it has \(kernel.lineLimit) at most",
        location: .init(path: kernel.folder, line: nil))
    ]
  }
}
