/// A rule of `tenon lint`. Each has a separate file in `Rules`, and is listed in ``Lint/rules``.
protocol LintRule: SendableMetatype {
  /// The stable identifier.
  static var id: String { get }
  /// The rule in one sentence.
  static var summary: String { get }
  /// Whether the rule applies only to the folders for which the configuration selects it. `false` by default.
  static var isOptional: Bool { get }
  /// Returns the violations in a package.
  static func findings(in package: LintedPackage) -> [Finding]
}

extension LintRule {
  static var isOptional: Bool { false }
}
