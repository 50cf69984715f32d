import Foundation

/// Finds the file that a `#fileID` means. It has the form `Module/File.swift`, without the folders in
/// between.
final class SourceIndex {
  /// The package's folder; `nil` if there is none.
  private let root: URL?
  /// The paths of the package's Swift files by their names, relative to `root`.
  private lazy var paths: [String: [String]] = Self.files(in: root)

  /// Creates an index of the package to which a program belongs.
  ///
  /// - Parameter program: the program. The package is the next folder above it with a manifest, or else the
  ///   current folder if that has one.
  convenience init(near program: URL?) {
    let start = program?.deletingLastPathComponent()
    self.init(
      root: start.flatMap(Self.package)
        ?? Self.package(from: URL(filePath: FileManager.default.currentDirectoryPath)))
  }

  /// Creates an index of the files below a folder; an empty one if it is `nil`.
  init(root: URL?) { self.root = root?.resolvingSymlinksInPath() }

  /// Returns the path of a file, relative to the package.
  ///
  /// - Parameters:
  ///   - fileID: the module and the name of the file.
  ///   - line: a line on which the file declares a component.
  /// - Returns: the path, or `fileID` itself if no file or more than one matches.
  func path(of fileID: String, line: Int?) -> String {
    let parts = fileID.split(separator: "/")
    guard parts.count > 1, let module = parts.first, let name = parts.last else { return fileID }
    let all = paths[String(name)] ?? []
    let ofModule = all.filter { $0.split(separator: "/").dropLast().contains(module) }
    for candidates in [ofModule, all] {
      if candidates.count == 1 { return candidates[0] }
      let declaring = candidates.filter { declares($0, on: line) }
      if declaring.count == 1 { return declaring[0] }
    }
    return fileID
  }

  /// Returns the column of the first character of a line that isn't blank, counted from 1; `nil` if there is
  /// no such line.
  ///
  /// - Parameters:
  ///   - path: the path of the file, as ``path(of:line:)`` returns it.
  ///   - line: the line, counted from 1.
  func column(of path: String, line: Int?) -> Int? {
    text(of: path, line: line).flatMap { text in
      text.utf8.firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        .map { text.utf8.distance(from: text.startIndex, to: $0) + 1 }
    }
  }

  /// Returns the place at which a type is declared.
  ///
  /// - Parameter type: the type with its module, for example `Shop.ShopLibrary`.
  /// - Returns: the place; `nil` if no file or more than one of the module's, or of all, declares the type.
  func declaration(of type: String) -> Finding.Location? {
    let parts = type.split(separator: ".")
    guard parts.count == 2 else { return nil }
    var found: [Finding.Location] = []
    for path in paths.values.joined().sorted() {
      for (index, text) in lines(of: path).enumerated() where Self.declares(text, parts[1]) {
        found.append(.init(path: path, line: index + 1, column: column(of: path, line: index + 1)))
      }
    }
    let ofModule = found.filter { $0.path.split(separator: "/").dropLast().contains(parts[0]) }
    return ofModule.count == 1 ? ofModule[0] : found.count == 1 ? found[0] : nil
  }

  /// Returns whether a line declares a type of a name.
  private static func declares(_ line: Substring, _ name: Substring) -> Bool {
    let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    return zip(words, words.dropFirst()).contains { keyword, word in
      word == name && ["enum", "struct", "class", "actor"].contains(keyword)
    }
  }

  /// Returns whether a line of a file declares a component.
  private func declares(_ path: String, on line: Int?) -> Bool {
    text(of: path, line: line)?.contains("Component") ?? false
  }

  /// Returns a line of a file, without its end; `nil` if there is no such line.
  private func text(of path: String, line: Int?) -> Substring? {
    guard let line else { return nil }
    let lines = lines(of: path)
    let index = line.subtractingReportingOverflow(1).partialValue
    return lines.indices.contains(index) ? lines[index] : nil
  }

  /// Returns the lines of a file; none if it can't be read.
  private func lines(of path: String) -> [Substring] {
    guard let root, let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) else {
      return []
    }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// Returns the next folder with a manifest, from a folder upwards.
  private static func package(from start: URL) -> URL? {
    var folder = start.standardizedFileURL.resolvingSymlinksInPath()
    while folder.path != "/" {
      if FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) {
        return folder
      }
      folder.deleteLastPathComponent()
    }
    return nil
  }

  /// Returns the Swift files of a package, without those in hidden folders.
  private static func files(in root: URL?) -> [String: [String]] {
    guard let root,
      let files = FileManager.default.enumerator(
        at: root, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
    else { return [:] }
    var paths: [String: [String]] = [:]
    for case let file as URL in files where file.pathExtension == "swift" {
      paths[file.lastPathComponent, default: []].append(String(file.path.dropFirst(root.path.count + 1)))
    }
    return paths.mapValues { $0.sorted() }
  }
}
