import ArgumentParser
import Foundation
import TenonCore
import TenonFoundation
import TenonProcesses

extension GraphFormat: ExpressibleByArgument {}

/// `tenon graph`: draws the components that are linked into a program, or those of a running one.
struct GraphCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph",
    abstract: "Draws the components of a program: what needs what, and why.",
    discussion: """
      Reads what is linked into an executable, which is started but ended before its main function, or what a program wrote with \
      App.graph.json, which also has the order and the times of creation. A graph with problems is drawn as far as it is known.

      The page (--format html) is one file that needs no network.

      EXAMPLES
        tenon graph .build/debug/MyServer
        tenon graph .build/debug/MyServer --format html --output graph.html
        tenon graph --product MyServer --format mermaid
        tenon graph --file graph.json --format html --output graph.html
        my-server --print-graph | tenon graph --file -

      Exit codes: 0 drawn, 1 there is no graph to draw, 64 wrong arguments.
      """)

  @Argument(help: "An executable that links TenonCore.", completion: .file())
  var executable: String?

  @Option(help: "An executable product, which is built first with `swift build`.")
  var product: String?

  @OptionGroup var package: PackageOptions

  @Option(help: "A file with the JSON of App.graph.json; - for standard input.", completion: .file())
  var file: String?

  @Option(help: "text, mermaid, dot, json or html.")
  var format = GraphFormat.text

  @Option(name: .shortAndLong, help: "The file to write; standard output by default.", completion: .file())
  var output: String?

  func validate() throws {
    guard [executable, product, file].count(where: { $0 != nil }) == 1 else {
      throw ValidationError("Name one of an executable, --product and --file.")
    }
    guard package.path == nil || product != nil else {
      throw ValidationError("--package-path is the package of a --product. Add --product, or leave it out.")
    }
  }

  func run() throws {
    let text = try format.render(document())
    guard let output else { return print(text) }
    do {
      try Data((text + "\n").utf8).write(to: URL(filePath: output), options: .atomic)
    } catch {
      throw CommandError("\(output) can't be written: \(error.systemReason).")
    }
  }

  private func document() throws -> GraphDocument {
    if let file { return try Self.read(file) }
    if let product { return try Self.inspect(ProductBuild.executable(of: product, in: package.folder)) }
    return try Self.inspect(executable ?? "")
  }

  /// The size from which a file isn't read.
  static let sizeLimit = 64 << 20

  /// Reads a document.
  ///
  /// - Parameter path: the path of the file; `-` for standard input.
  static func read(_ path: String) throws -> GraphDocument {
    let title = path == "-" ? "standard input" : URL(filePath: path).lastPathComponent
    let data: Data
    do {
      let handle =
        path == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(filePath: path))
      data = try handle.read(upToCount: sizeLimit) ?? Data()
    } catch {
      throw CommandError("\(path) can't be read. Name a file with the JSON of App.graph.json.")
    }
    guard data.count < sizeLimit else {
      throw CommandError("\(title) has more than 64 MB; no graph is so large.")
    }
    return try GraphDocument(json: data, title: title)
  }

  /// Inspects an executable.
  static func inspect(_ path: String) throws -> GraphDocument {
    let program = try Program.executable(at: path)
    switch program.inspect(libraries: nil, limit: 30) {
    case .inspected(let inspection):
      return GraphDocument(title: program.name, graph: inspection.graph, problems: inspection.problems)
    case .failed(let reason): throw CommandError("\(program.name) \(reason).")
    }
  }
}

/// Builds a product of a package.
enum ProductBuild {
  /// Builds an executable product and returns its path. What the build prints goes to standard error.
  ///
  /// - Parameters:
  ///   - product: the product's name.
  ///   - package: the package's folder.
  static func executable(of product: String, in package: String) throws -> String {
    let arguments = ["build", "--package-path", package]
    _ = try swift(arguments + ["--product", product], "\(product) can't be built")
    let folder = try swift(arguments + ["--show-bin-path"], "The build folder isn't known")
    return URL(filePath: folder).appending(path: product).path
  }

  private static func swift(_ arguments: [String], _ failure: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["swift"] + arguments
    let isQuery = arguments.contains("--show-bin-path")
    let pipe = Pipe.exclusive
    process.standardOutput = isQuery ? pipe : FileHandle.standardError
    try process.start()
    let data = isQuery ? pipe.fileHandleForReading.readDataToEndOfFile() : Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw CommandError("\(failure): `swift \(arguments.joined(separator: " "))` failed.")
    }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
