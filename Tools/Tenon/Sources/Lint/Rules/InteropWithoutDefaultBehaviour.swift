/// The protocols of interop modules have no default implementations, which would hide what an implementation
/// lacks.
enum InteropWithoutDefaultBehaviour: LintRule {
  static let id = "interop-without-default-behaviour"
  static let summary = "An interop module extends none of its protocols with behaviour."

  static func findings(in package: LintedPackage) -> [Finding] {
    package.files(.interop, of: Self.self).flatMap { file in
      InteropScanner.violations(file.source.code, protocols: package.interopProtocolNames).filter {
        $0.kind == .defaultBehaviour
      }
      .map { file.source.finding(id, at: $0.position, $0.message) }
    }
  }
}
