/// The result of checking a package against its map.
struct Lint {
  /// All rules.
  static let rules: [any LintRule.Type] = [
    CoreImports.self, InteropImports.self, InteropHoldsInterfaces.self, InteropWithoutStaticRequirements.self,
    InteropWithoutDefaultBehaviour.self, InteropHasOneImplementation.self, InteropHasAConsumer.self,
    ProductImports.self, ProductTestImports.self, ProductRegistersItself.self, NeedsAreInterfaces.self,
    ExceptionsAreCurrent.self, NumbersAreChecked.self, FoundationEssentials.self, JSONHasLimits.self,
    NoUncheckedSendable.self,
    NoUnsafeMemory.self, TestsHaveLimits.self, WaitsHaveLimits.self,
  ]

  /// The violations.
  let findings: [Finding]
  /// The number of files that were checked.
  let fileCount: Int

  /// Checks a package with the rules that always apply and the optional ones that its configuration selects.
  init(_ package: LintedPackage) {
    fileCount = package.files.count + package.otherTests.count
    findings = Self.rules.filter { !$0.isOptional || package.configuration.optionalRules[$0.id] != nil }
      .flatMap { $0.findings(in: package) }
  }
}
