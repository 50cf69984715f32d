import ArgumentParser
import Foundation

/// Checks that a package follows its map.
struct LintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract:
      "Checks that a package's sources follow its map: who may import whom, and what interop modules hold.",
    discussion: """
      The map is described by .tenon-lint.json in the package's root. Without that file, modules are expected in the folders Core,
      Interop and Products, each as NAME/Sources and NAME/Tests, and products may import TenonCore and TenonTransport. The rules are
      checked in the text of the sources, without building them.

      Keys of .tenon-lint.json, all optional:
        prefix       what the names of modules begin with before the name of their folder
        core         folder; imports: for each module, what it may import, "*" for interops; forTests: modules for tests
        interop      folder; suffix: what the names of its modules end with, "Interop" by default; imports: modules of plain values
        products     folder; imports: what every product may import; testImports: what their tests may import in addition;
                     extensions: products that extend others or packages and provide no components, with what each may import
        rules        optional rules, each with the folders in which it applies
        exceptions   rule, path (a file, or a folder with a slash at its end) and reason

      EXAMPLES
        tenon lint
        tenon lint --package-path ../weather --json
        tenon lint --sarif > lint.sarif
        tenon lint --list
      """)

  @OptionGroup var package: PackageOptions

  @Flag(help: "List the rules, each with its identifier and one sentence.")
  var list = false

  @OptionGroup var output: FindingOptions

  func run() throws {
    if list {
      print(Self.list())
      return
    }
    let root = URL(filePath: package.folder)
    let package = try LintedPackage(root: root, configuration: try LintConfiguration(packageRoot: root))
    let lint = Lint(package)
    let count = lint.findings.count
    let summary = "\(lint.fileCount) files, \(count) \(count == 1 ? "finding" : "findings")"
    print(try output.format.render(lint.findings, tool: "tenon lint", summary: summary))
    if count > 0 { throw ExitCode.failure }
  }

  /// Returns the list of rules.
  static func list() -> String {
    func lines(_ rules: [any LintRule.Type]) -> [String] { rules.map { "\($0.id): \($0.summary)" } }
    return
      (lines(Lint.rules.filter { !$0.isOptional }) + ["", "Optional:"]
      + lines(Lint.rules.filter { $0.isOptional }))
      .joined(separator: "\n")
  }
}
