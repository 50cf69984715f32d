import Foundation
import PackagePlugin

/// The Swift files of a package and of those that it depends on, by their `#fileID`.
struct Sources {
  private var paths: [String: String] = [:]

  init(of package: Package) {
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
}
