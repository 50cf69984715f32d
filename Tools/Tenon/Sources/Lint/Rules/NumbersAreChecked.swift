/// No number from outside can end the process: numbers of servers, files, headers, tokens and databases have
/// any value, so conversions, ranges, counts and subscripts must not trap.
///
/// The rule applies to all sources, except those that the configuration excepts because they read no input,
/// so no file that reads input can be forgotten. It rejects:
/// - conversions to integers without a label that states what happens to other numbers: `exactly:`,
///   `clamping:`, `truncatingIfNeeded:`, or `decimal:` of TenonJSON for text;
/// - durations of computed numbers, instead of `Duration.wait(seconds:)`;
/// - ranges with computed bounds, and methods like `dropFirst(_:)` with computed counts;
/// - subscripts with a number from outside, and its sums, differences and products except by `&+`, `&-` and
///   `&*`. Such a number is recognized by the declarations of the file: what is bound to a member of JSON or
///   of a row, or to a checked conversion.
///
/// Literals, constants of types, and the `count` of something in memory are accepted. What is known to be in
/// range is justified by a comment on the line or above it: `// Checked: REASON`.
///
/// The rule scans the text; it knows no types. It doesn't recognize conversions whose type isn't named, as in
/// `let a: Int = .init(b)`, nor numbers that another file has read.
enum NumbersAreChecked: LintRule {
  static let id = "numbers-are-checked"
  static let summary = "No conversion, range, count or subscript of a number from outside can trap."
  static let isOptional = true

  static func findings(in package: LintedPackage) -> [Finding] {
    let sources = package.files.filter { !$0.isForTests && package.isInScope($0, of: Self.self) }.map(
      \.source)
    return sources.flatMap { source in
      package.isExcepted(source.path, from: Self.self) ? unfounded(source) : violations(source)
    }
  }

  /// Returns the violations in a file.
  private static func violations(_ source: SourceFile) -> [Finding] {
    func finding(_ line: Int, _ message: String) -> Finding {
      Finding(rule: id, message: message, location: .init(path: source.path, line: line))
    }
    var unused = Set(source.justified.values)
    let violations = NumberScanner.violations(source.code).filter { violation in
      guard let comment = source.justified[violation.line] else { return true }
      unused.remove(comment)
      return false
    }
    return violations.map { finding($0.line, $0.message) }
      + unused.sorted().map { finding($0, "a comment \"Checked:\" where nothing can trap; remove it") }
  }

  /// Returns a finding if an excepted file uses what reads numbers from outside: JSON, rows of a database, or
  /// header fields.
  private static func unfounded(_ source: SourceFile) -> [Finding] {
    guard NumberScanner.identifiers(source.code).contains(where: readers.contains) else { return [] }
    return [
      Finding(
        rule: id, message: "\(source.path) is excepted from \(id), but it reads numbers from outside",
        location: .init(path: LintConfiguration.fileName, line: nil))
    ]
  }

  private static let readers: Set = [
    "TenonJSON", "TenonJSONReader", "TenonSQLite", "CSQLite", "JSON", "JSONValue", "FirestoreJSON", "Row",
    "HTTPHeaders",
    "headers",
  ]
}
