/// Interop modules declare protocols and the plain values passed through them. They contain no logic and hold
/// no state.
enum InteropHoldsInterfaces: LintRule {
  static let id = "interop-holds-interfaces"
  static let summary =
    "An interop module holds only interfaces and plain values: no classes, functions with bodies or state."

  static func findings(in package: LintedPackage) -> [Finding] {
    package.files(.interop, of: Self.self).flatMap { file in
      InteropScanner.violations(file.source.code, protocols: package.interopProtocolNames).filter {
        $0.kind == .implementation
      }
      .map { file.source.finding(id, at: $0.position, $0.message) }
    }
  }
}
