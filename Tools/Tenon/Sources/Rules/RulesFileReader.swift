import Foundation
import TenonRules

/// Reads files of Security Rules.
enum RulesFileReader {
  /// The size above which a file isn't read: files of rules have at most 256 KB, and those of requests are
  /// small.
  private static let largest = 64 << 20

  /// Returns the content of a file.
  ///
  /// - Throws: ``CommandError``.
  static func content(of path: String) throws -> Data {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw CommandError("There is no file \(path), or it can't be read.")
    }
    defer { try? file.close() }
    do {
      let data = try file.read(upToCount: largest) ?? Data()
      guard data.count < largest else { throw CommandError("\(path) is too large.") }
      return data
    } catch let error as CommandError {
      throw error
    } catch {
      throw CommandError("\(path) can't be read. \(error.localizedDescription)")
    }
  }

  /// Returns the text of a file of rules.
  ///
  /// - Throws: ``CommandError``.
  static func text(of path: String) throws -> String {
    guard let text = String(data: try content(of: path), encoding: .utf8) else {
      throw CommandError("\(path) isn't text in UTF-8.")
    }
    return text
  }

  /// Returns the problems of rules as findings.
  ///
  /// - Parameters:
  ///   - problems: the problems.
  ///   - severity: how bad they are.
  ///   - path: the file.
  ///   - text: its text.
  static func findings(
    _ problems: [RulesProblem], _ severity: Finding.Severity, in path: String, _ text: String
  ) -> [Finding] {
    // A line feed alone ends a line, as for the parser.
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    return problems.map { problem in
      var column = problem.column
      if problem.line >= 1, problem.line <= lines.count {
        // Findings count bytes, and problems scalars.
        let before = lines[problem.line - 1].prefix(max(0, problem.column - 1))
        column = String(before).utf8.count + 1
      }
      return Finding(
        rule: problem.code.rawValue, severity: severity, message: problem.message,
        location: .init(path: path, line: problem.line, column: column))
    }
  }
}
