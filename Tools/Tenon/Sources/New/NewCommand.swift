import ArgumentParser
import Foundation

/// Adds interop modules, products and adapters to a package.
struct NewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract:
      "Adds an interop module or a product, which builds, passes its tests and follows the map from the start, or an adapter.",
    subcommands: [NewInteropCommand.self, NewProductCommand.self, NewAdapterCommand.self])
}

/// The options of all three commands.
struct NewOptions: ParsableArguments {
  @OptionGroup var package: PackageOptions

  @Flag(help: "Print what would be written, and write nothing.")
  var dryRun = false

  /// Applies changes, or prints them, and says what was done.
  ///
  /// - Parameters:
  ///   - plan: the changes.
  ///   - isFormatted: whether new files are formatted as the package says.
  func apply(_ plan: NewPlan, isFormatted: Bool = true) throws {
    if dryRun {
      for change in plan.changes {
        print("=== \(change.path)\(change.isNew ? "" : " (changed)")")
        print(change.text)
      }
      return
    }
    let root = URL(filePath: package.folder)
    try plan.write(to: root) {
      let new = plan.changes.filter { $0.isNew && $0.path.hasSuffix(".swift") }.map {
        root.appending(path: $0.path)
      }
      if isFormatted { SwiftFormat.format(new) }
      _ = try PackageManifest(root: root)
    }
    for change in plan.changes { print("\(change.isNew ? "wrote" : "changed") \(change.path)") }
    if let path = package.path { print("In \(path):") }
    for note in plan.notes { print(note) }
  }
}

struct NewInteropCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "interop",
    abstract: "Adds an interop module: the interface through which products use each other.",
    discussion: """
      Until a product implements the interface and another one uses it, exceptions in .tenon-lint.json say so. `tenon new product`
      removes them.

      EXAMPLES
        tenon new interop Forecast
        tenon new interop Forecast --package-path ../weather --dry-run
      """)

  @Argument(help: "The name, for example Forecast for the protocol ForecastInterop.")
  var name: String
  @OptionGroup var options: NewOptions

  func run() throws {
    let target = try NewTarget(root: URL(filePath: options.package.folder))
    try options.apply(try target.plan(interop: name))
  }
}

struct NewProductCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "product",
    abstract:
      "Adds a product: its library, registration, accessor and tests, and executables of its combinations.",
    discussion: """
      A need is the name of an interop module of the package, or one of Tenon's: Admin, Auth, AppCheck, Observability, Storage,
      Store (the remote of the documents) and Transport. TenonAuthInterop is another way to write Auth. A question mark makes it
      optional; quote it for the shell. There is one executable per combination of optional needs present and absent.

      EXAMPLES
        tenon new product Weather --needs 'Auth?' --provides Forecast
        tenon new product Travel --needs 'Forecast,Store' --dry-run
      """)

  @Argument(help: "The name, for example Weather for the class Weather and its accessor weather().")
  var name: String
  @Option(help: "The interops that the product needs, separated by commas; NAME? is optional.")
  var needs: String?
  @Option(
    help:
      "The interop that the product implements. It is created, unless it exists as `tenon new interop` made it."
  )
  var provides: String?
  @OptionGroup var options: NewOptions

  func run() throws {
    let target = try NewTarget(root: URL(filePath: options.package.folder))
    let needs = try (needs ?? "").split(separator: ",").map { try NewNeed(String($0)) }
    try options.apply(try target.plan(product: name, needs: needs, provides: provides))
  }
}

struct NewAdapterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adapter",
    abstract:
      "Writes a file that connects Tenon with another package, such as swift-log or Hummingbird, into a target.",
    discussion: """
      The file is yours to change. It is under 80 lines, because an adapter in Tenon would make every app fetch the package. The
      command prints how to add the package to Package.swift.

      ADAPTERS
      \(Adapter.all.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))

      EXAMPLES
        tenon new adapter swift-log
        tenon new adapter hummingbird --target Server --package-path ../shop --dry-run
      """)

  @Argument(help: "The name of the package.")
  var name: String
  @Option(help: "The target that gets the file. By default, the only executable one.")
  var target: String?
  @OptionGroup var options: NewOptions

  func run() throws {
    let adapter = try Adapter.named(name)
    let package = try NewAdapter(root: URL(filePath: options.package.folder))
    // As it was compiled and tested.
    try options.apply(try package.plan(adapter, target: target), isFormatted: false)
  }
}

/// A need as the command line names it.
struct NewNeed: Equatable {
  let name: String
  let isOptional: Bool

  init(_ text: String) throws {
    let text = text.filter { $0 != " " }
    isOptional = text.hasSuffix("?")
    name = isOptional ? String(text.dropLast()) : text
    guard !name.isEmpty else { throw CommandError("A need has no name. Write --needs 'Auth?,Storage'.") }
  }
}
