import Foundation

/// A block of code in the documentation comment of a declaration.
struct CommentSample: Sendable {
  /// The source, relative to the root of the package.
  let path: String
  /// The number of the first line of code.
  let line: Int
  /// The language that the opening fence names; empty if there is none.
  let language: String
  /// The code, without what precedes it in the comment.
  let lines: [String]
  /// Whether it is about a declaration with the access level `package`, which only this package can use.
  let isOfThisPackage: Bool

  /// The module's folder, for example `Products/Store`.
  var folder: String { path.split(separator: "/").prefix(2).joined(separator: "/") }

  /// The place of a line of the code, counted from 0.
  func place(of index: Int = 0) -> String { "\(path):\(line + index)" }

  /// The blocks in the sources of all modules that this package offers, or builds its products on.
  static func all(root: URL) throws -> [CommentSample] {
    try ["Core", "Interop", "Products"].flatMap { area in
      try Page.files(in: root.appending(path: area), named: ".swift").flatMap { file in
        let path = String(file.path.dropFirst(root.path.count).drop { $0 == "/" })
        return samples(in: try String(contentsOf: file, encoding: .utf8), path: path)
      }
    }
  }

  static func samples(in source: String, path: String) -> [CommentSample] {
    guard source.contains("```") else { return [] }
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    let comments = lines.map(comment)
    var samples: [CommentSample] = []
    var (index, fence) = (0, Int?.none)
    while index < lines.count {
      if comments[index]?.hasPrefix("```") == true {
        if let start = fence {
          samples.append(
            CommentSample(
              path: path, line: start + 2, language: String(comments[start]?.dropFirst(3) ?? ""),
              lines: comments[start + 1..<index].map { String($0 ?? "") },
              isOfThisPackage: isOfThisPackage(lines.suffix(from: index))))
        }
        fence = fence == nil ? index : nil
      }
      index += 1
    }
    return samples
  }

  /// Returns the text of a line of a documentation comment; `nil` for other lines.
  private static func comment(_ line: Substring) -> Substring? {
    let code = line.drop { $0 == " " }
    guard code.hasPrefix("///") else { return nil }
    return code.dropFirst(code.hasPrefix("/// ") ? 4 : 3)
  }

  /// Returns whether the declaration after the end of a comment has the access level `package`.
  private static func isOfThisPackage(_ lines: ArraySlice<Substring>) -> Bool {
    let declaration = lines.first { line in
      let code = line.drop { $0 == " " }
      return !code.hasPrefix("//") && (!code.hasPrefix("@") || code.contains(" "))
    }
    return declaration?.contains(/\bpackage\b/) == true
  }
}
