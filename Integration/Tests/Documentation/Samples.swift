import Foundation
import Testing

/// The regions of compiled files that pages show, by their names: the file's name, a dot and the name of the
/// region.
///
/// A region begins at a comment `// sample: name` and ends at `// sample: end`. Regions of one file with the
/// same name are parts of one sample; a part may belong to several samples, whose names are separated by
/// commas.
struct Samples {
  private(set) var texts: [String: String] = [:]

  init(root: URL) throws {
    let programs = try Page.files(in: root.appending(path: "Documentation/Samples"), named: ".swift")
    let tests = try Page.files(
      in: root.appending(path: "Integration/Tests/Documentation"), named: "Samples.swift")
    let server = packageRoot.appending(path: "Integration/NotesServer/Sources/main.swift")
    for file in programs + tests + [server] {
      let stem = file.deletingPathExtension().lastPathComponent
      for (name, text) in Self.regions(of: try String(contentsOf: file, encoding: .utf8)) {
        texts["\(stem).\(name)"] = text
      }
    }
  }

  static func regions(of source: String) -> [String: String] {
    var regions: [String: [[Substring]]] = [:]
    var names: [String] = []
    for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
      let code = line.trimmingCharacters(in: .whitespaces)
      if code == "// sample: end" {
        names = []
      } else if code.hasPrefix("// sample: ") {
        names = code.dropFirst("// sample: ".count).split(separator: ", ").map(String.init)
        for name in names { regions[name, default: []].append([]) }
      } else {
        for name in names {
          let part = regions[name, default: []].count - 1
          regions[name, default: []][part].append(line)
        }
      }
    }
    return regions.mapValues { parts in parts.map(Self.outdented).joined(separator: "\n") }
  }

  /// The lines without the indentation that all of them share, and without empty ones at the end.
  private static func outdented(_ lines: [Substring]) -> String {
    let isBlank = { (line: Substring) in line.allSatisfy(\.isWhitespace) }
    let used = lines.filter { !isBlank($0) }
    let indentation = used.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    let last = lines.lastIndex { !isBlank($0) } ?? lines.startIndex - 1
    return lines[...last].map { $0.dropFirst(indentation) + "\n" }.joined()
  }
}

/// A page of the documentation.
struct Page: Sendable, CustomTestStringConvertible {
  /// A block of code.
  struct Fence: Sendable {
    let line: Int
    let language: String
    let text: String
    /// The content of the HTML comment above it; empty if there is none.
    let marker: String
  }

  let url: URL
  let path: String
  let text: String
  var testDescription: String { path }

  /// The pages in which samples are checked. The pages of errors have a separate test.
  static func all(root: URL) throws -> [Page] {
    var files = [root.appending(path: "README.md")]
    for area in ["Documentation", "Core", "Interop", "Products"] {
      files += try Self.files(in: root.appending(path: area), named: ".md").filter {
        !$0.path.contains("/Errors/")
      }
    }
    return try files.map { file in
      let path = String(file.path.dropFirst(root.path.count).drop { $0 == "/" })
      return Page(url: file, path: path, text: try String(contentsOf: file, encoding: .utf8))
    }
  }

  /// The files in a folder and those below it whose names have an ending.
  static func files(in folder: URL, named ending: String) throws -> [URL] {
    guard let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else {
      return []
    }
    return files.compactMap { $0 as? URL }.filter { $0.path.hasSuffix(ending) }.sorted { $0.path < $1.path }
  }

  var fences: [Fence] {
    var fences: [Fence] = []
    var open: (line: Int, language: String, marker: String)?
    var (lines, marker) = ([Substring](), "")
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if let fence = open {
        if line == "```" {
          let text = lines.map { $0 + "\n" }.joined()
          fences.append(Fence(line: fence.line, language: fence.language, text: text, marker: fence.marker))
          (open, marker) = (nil, "")
        } else {
          lines.append(line)
        }
      } else if line.hasPrefix("```") {
        (open, lines) = ((index + 1, String(line.dropFirst(3)), marker), [])
      } else if let comment = line.wholeMatch(of: /<!-- (.*) -->/) {
        marker = String(comment.output.1)
      } else if !line.isEmpty {
        marker = ""
      }
    }
    return fences
  }

  /// The targets of links to other files of the repository.
  var relativeLinks: [String] {
    let links = text.matches(of: /\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/).map {
      String($0.output.1 ?? $0.output.2 ?? "")
    }
    return links.filter { !$0.contains(":") && !$0.hasPrefix("#") && !$0.isEmpty }
  }
}
