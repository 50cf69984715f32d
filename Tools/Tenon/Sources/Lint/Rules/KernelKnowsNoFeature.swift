/// The kernel can be read on its own, so it uses no name that a feature folder beside it declares.
///
/// Features attach through the hooks of `Features`. `Tools/check-features` verifies that the kernel builds without each feature;
/// this rule names the offending identifier and its position.
enum KernelKnowsNoFeature: LintRule {
  static let id = "kernel-knows-no-feature"
  static let summary = "The kernel names nothing that a feature folder beside it declares."
  static let isOptional = true

  static func findings(in package: LintedPackage) -> [Finding] {
    guard let kernel = package.configuration.kernel else { return [] }
    // The feature folders by the names that they declare.
    var features: [Substring: String] = [:]
    // The names declared by the kernel and the folders that it depends on.
    var known: Set<Substring> = []
    for file in package.files where file.source.path.hasPrefix(kernel.parent) {
      let folder = file.source.path.dropFirst(kernel.parent.count).prefix { $0 != "/" }
      if file.source.path.hasPrefix(kernel.folder + "/") || kernel.foundations.contains(String(folder)) {
        known.formUnion(Declarations.all(file.source.code))
      } else {
        for name in Declarations.visible(file.source.code) { features[name] = String(folder) }
      }
    }
    features = features.filter { !known.contains($0.key) }
    return package.files(of: Self.self).map(\.source).filter { $0.path.hasPrefix(kernel.folder + "/") }
      .flatMap { source in
        source.code.matches(of: /\b[A-Za-z_]\w*/.wordBoundaryKind(.simple)).compactMap { match -> Finding? in
          guard let feature = features[match.0] else { return nil }
          return source.finding(
            id, at: match.range.lowerBound,
            "the kernel names \(match.0), which the feature \(feature) declares; declare a hook in Features")
        }
      }
  }
}
