/// The protocols of interop modules have no static requirements, because which instance is used depends on
/// the app.
enum InteropWithoutStaticRequirements: LintRule {
  static let id = "interop-without-static-requirements"
  static let summary = "A protocol of an interop module has no static requirements."

  static func findings(in package: LintedPackage) -> [Finding] {
    package.files(.interop, of: Self.self).flatMap { file in
      InteropScanner.violations(file.source.code, protocols: package.interopProtocolNames).filter {
        $0.kind == .staticRequirement
      }
      .map { file.source.finding(id, at: $0.position, $0.message) }
    }
  }
}
