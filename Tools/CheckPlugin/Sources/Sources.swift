import Foundation
import PackagePlugin

/// The Swift files of a package and of those that it depends on, by their `#fileID`.
struct Sources {
  private var paths: [String: String] = [:]
  /// The folder of the package.
  private let root: URL

  init(of package: Package) {
    root = package.directoryURL
    var seen: Set<Package.ID> = []
    add(package, root: package.directoryURL.path + "/", &seen)
  }

  private mutating func add(_ package: Package, root: String, _ seen: inout Set<Package.ID>) {
    guard seen.insert(package.id).inserted else { return }
    for case let target as any SourceModuleTarget in package.targets {
      for file in target.sourceFiles where file.url.pathExtension == "swift" {
        let path = file.url.path
        paths["\(target.moduleName)/\(file.url.lastPathComponent)"] =
          path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path
      }
    }
    for dependency in package.dependencies { add(dependency.package, root: root, &seen) }
  }

  /// Returns the path of a file, relative to the package if it is below it.
  ///
  /// - Parameter fileID: the module and the name of the file. Returned if no such file is known.
  func path(of fileID: String) -> String { paths[fileID] ?? fileID }

  /// Returns the place of a declaration.
  ///
  /// - Parameters:
  ///   - fileID: the module and the name of the file.
  ///   - line: the line; `nil` if it isn't known.
  func location(of fileID: String, line: Int?) -> Finding.Location {
    let path = path(of: fileID)
    let text = line.flatMap { lines(of: path).element($0 - 1) }
    return .init(path: path, line: line, column: text.map(Self.column))
  }

  /// Returns the place at which a type is declared; `nil` if no file or more than one of its module does.
  ///
  /// - Parameter type: the type with its module, for example `Shop.ShopLibrary`.
  func declaration(of type: String) -> Finding.Location? {
    let parts = type.split(separator: ".")
    guard parts.count == 2 else { return nil }
    var found: [Finding.Location] = []
    for (fileID, path) in paths where fileID.hasPrefix("\(parts[0])/") {
      for (index, line) in lines(of: path).enumerated() {
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        let declares = zip(words, words.dropFirst()).contains { keyword, word in
          word == parts[1] && ["enum", "struct", "class", "actor"].contains(keyword)
        }
        if declares { found.append(.init(path: path, line: index + 1, column: Self.column(of: line))) }
      }
    }
    return found.count == 1 ? found[0] : nil
  }

  /// Returns the lines of a file; none if it can't be read.
  ///
  /// - Parameter path: the path, relative to the package if it is below it.
  private func lines(of path: String) -> [Substring] {
    let file = path.hasPrefix("/") ? URL(filePath: path) : root.appending(path: path)
    return (try? String(contentsOf: file, encoding: .utf8))?.split(
      separator: "\n", omittingEmptySubsequences: false)
      ?? []
  }

  /// Returns the column of the first character of a line that isn't blank, counted from 1.
  private static func column(of line: Substring) -> Int {
    line.utf8.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.count + 1
  }
}

extension Array {
  /// Returns an element; `nil` if there is none at the index.
  fileprivate func element(_ index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
