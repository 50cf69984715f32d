/// Memory that the compiler doesn't check is used only in the files that the configuration lists with their
/// reasons.
enum NoUnsafeMemory: LintRule {
  static let id = "no-unsafe-memory"
  static let summary = "Unsafe pointers, casts and references appear only in excepted files."
  static let isOptional = true

  static func findings(in package: LintedPackage) -> [Finding] {
    let unsafe =
      /\bUnmanaged\b|\bunsafeDowncast\b|\bunsafeBitCast\b|\bUnsafe\w*Pointer\b|\w*[uU]nsafe\w*Ref\b|unowned\(unsafe\)/
    return package.files(of: Self.self).flatMap { file in
      file.source.code.matches(of: unsafe).map {
        file.source.finding(
          id, at: $0.range.lowerBound, "\($0.0) outside the files that \(LintConfiguration.fileName) excepts")
      }
    }
  }
}
