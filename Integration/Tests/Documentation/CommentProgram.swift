import Foundation
import Testing

/// The program that the samples in the comments of a module make up.
///
/// What they take for granted is declared by a file in `Documentation/Samples/Comments` that is named after
/// the module's folder.
struct CommentProgram: Sendable, CustomTestStringConvertible {
  /// The folder of the module, for example `Products/Store`.
  let folder: String
  /// Whether the samples use what only this package can use.
  let isOfThisPackage: Bool
  let source: String
  /// Where results are stated: what the program prints if all of them are right.
  let results: [String]

  var testDescription: String { folder + (isOfThisPackage ? ", for this package" : "") }

  /// Returns the programs of all modules. Samples that only this package can use are in separate programs.
  static func all(of samples: [CommentSample], root: URL) throws -> [CommentProgram] {
    let samples = samples.filter { $0.language == "swift" }
    return try Set(samples.map(\.folder)).sorted().flatMap { folder in
      let shared = try [folder, "SwiftUI"].map { name in
        let file = root.appending(path: "Documentation/Samples/Comments/\(name).swift")
        return try String(contentsOf: file, encoding: .utf8)
      }
      return [false, true].compactMap { isOfThisPackage -> CommentProgram? in
        let own = samples.filter { $0.folder == folder && $0.isOfThisPackage == isOfThisPackage }
        guard !own.isEmpty else { return nil }
        return CommentProgram(of: own, in: folder, with: shared.joined(), isOfThisPackage: isOfThisPackage)
      }
    }
  }

  /// Creates the program of some samples.
  ///
  /// - Parameter shared: the code that precedes them.
  init(of samples: [CommentSample], in folder: String, with shared: String, isOfThisPackage: Bool = false) {
    let parts = samples.enumerated().map { number, sample in (name: "sample\(number)", code: sample.checked) }
    let calls = parts.filter { !$0.code.results.isEmpty }.map { "try await \($0.name)()" }
    let sources = zip(samples, parts).map { sample, part in
      sample.wrapped(part.code.lines.joined(separator: "\n"), as: part.name)
    }
    (self.folder, self.isOfThisPackage) = (folder, isOfThisPackage)
    results = parts.flatMap(\.code.results)
    source =
      shared + sources.joined() + """
        func expect<Value: Equatable>(
          _ value: Value, _ stated: Value, file: String = #filePath, line: Int = #line
        ) {
          print(value == stated ? "\\(file):\\(line)" : "\\(file):\\(line): \\(value) is not \\(stated)")
        }
        @main struct Program {
          static func main() async throws {
            \(calls.joined(separator: "\n    "))
          }
        }

        """
  }
}

extension CommentSample {
  /// The code in which each statement of a result is a call of `expect`, and where those are.
  ///
  /// A result is stated in one way: `expression // → value`, which the expression has to equal, or
  /// `print(value) // → text`, which has to be printed. It may also be on the line below.
  fileprivate var checked: (lines: [String], results: [String]) {
    var (lines, results) = (lines, [String]())
    for (index, line) in lines.enumerated() {
      guard let match = line.wholeMatch(of: /(.*?)\/\/ → (.+)/) else { continue }
      let isBelow = match.output.1.allSatisfy { $0 == " " } && index > 0
      let (changed, code) = isBelow ? (index - 1, lines[index - 1]) : (index, String(match.output.1))
      if let printed = code.wholeMatch(of: /\s*print\((.+)\)\s*/)?.output.1 {
        lines[changed] = "expect(String(describing: \(printed)), #\"\(match.output.2)\"#)"
      } else {
        lines[changed] = "expect(\(code), \(match.output.2))"
      }
      results.append(place(of: changed))
    }
    return (lines, results)
  }

  /// Returns the code in a form that several samples of a file can have. Extensions stay at file scope, other
  /// declarations become members of a new type, and statements become the body of a function on the main
  /// actor, as in a main file.
  fileprivate func wrapped(_ code: String, as name: String) -> String {
    let located = "#sourceLocation(file: \"\(path)\", line: \(line))\n\(code)\n#sourceLocation()\n"
    let words =
      /([ )}\/#]|(public|package|private|final|static|struct|enum|class|actor|protocol|extension|func) |@).*/
    guard lines.allSatisfy({ $0.isEmpty || $0.wholeMatch(of: words) != nil }) else {
      return "@MainActor func \(name)() async throws {\n\(located)}\n"
    }
    let extends = lines.contains { $0.hasPrefix("extension ") }
    return extends ? located : "struct \(name) {\n\(located)}\n"
  }
}
