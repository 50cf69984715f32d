import ArgumentParser

/// The option that names a package, spelled as `swift build` and SwiftPM's other commands spell it.
struct PackageOptions: ParsableArguments {
  @Option(
    name: .customLong("package-path"),
    help: ArgumentHelp("The package's folder; the current one by default.", valueName: "path"),
    completion: .directory)
  var path: String?

  /// The package's folder.
  var folder: String { path ?? "." }
}
