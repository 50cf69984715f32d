/// Libraries don't link the full Foundation on Linux, where loading it takes longer than the rest of a
/// program.
///
/// Sources import `FoundationEssentials` where it exists. `Foundation` is allowed only in branches of `#if`
/// that exclude Linux, as the `#else` of `#if canImport(FoundationEssentials)`. What only tests use is
/// exempt.
///
/// A module can still be linked by another one that it imports; examine a program that links every product,
/// for example with `ldd`.
enum FoundationEssentials: LintRule {
  static let id = "foundation-essentials"
  static let summary = "Libraries import FoundationEssentials where it exists, not the full Foundation."
  static let isOptional = true

  /// The modules that link the full Foundation.
  private static let modules: Set = ["Foundation", "FoundationNetworking", "FoundationInternationalization"]
  /// Conditions that don't hold on Linux.
  private static let otherPlatforms: Set = [
    "!canImport(FoundationEssentials)", "!os(Linux)", "os(Windows)", "canImport(Darwin)",
    "canImport(Security)",
  ]
  /// Conditions that hold on Linux, so that the branches after theirs are for other platforms.
  private static let linux: Set = ["canImport(FoundationEssentials)", "os(Linux)"]

  static func findings(in package: LintedPackage) -> [Finding] {
    package.files(of: Self.self).filter { !$0.isForTests }.map(\.source).flatMap { source in
      source.imports.filter { modules.contains($0.module) }.compactMap { module, index in
        guard !isForOtherPlatforms(source.code[..<index]) else { return nil }
        return source.finding(
          id, at: index,
          "\(module) takes long to load on Linux; import FoundationEssentials if canImport(FoundationEssentials)"
        )
      }
    }
  }

  /// Whether the code that follows some other code in a file isn't compiled on Linux, as far as the
  /// conditions tell.
  private static func isForOtherPlatforms(_ code: Substring) -> Bool {
    // The conditions of the branches so far, for each open `#if`. That of `#else` is empty.
    var open: [[String]] = []
    for line in code.split(whereSeparator: \.isNewline) {
      guard let match = line.wholeMatch(of: /\s*#(if|elseif|else|endif)\b(.*)/) else { continue }
      let condition = String(match.2.filter { !$0.isWhitespace })
      switch match.1 {
      case "if": open.append([condition])
      case "endif": _ = open.popLast()
      default: if !open.isEmpty { open[open.count - 1].append(condition) }
      }
    }
    return open.contains { branches in
      otherPlatforms.contains(branches.last ?? "") || branches.dropLast().contains(where: linux.contains)
    }
  }
}
