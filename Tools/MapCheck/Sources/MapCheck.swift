import Foundation

/// A violation of a rule.
struct Finding: Hashable, CustomStringConvertible {
  let path: String
  /// The line, counted from 1.
  let line: Int
  let message: String

  var description: String { "\(path):\(line): \(message)" }
}

/// The result of checking all Swift files below a root folder.
struct MapCheck {
  /// The error for a folder that contains none of the expected folders.
  struct NotAMap: Error, CustomStringConvertible {
    let root: URL
    var description: String {
      "\(root.path) has no folder Core, Interop or Products; name the package's root"
    }
  }

  /// The violations.
  let findings: [Finding]
  /// The number of files that were checked.
  let fileCount: Int

  /// Checks the files in `Core`, `Interop` and `Products`.
  ///
  /// - Parameter root: the package's root folder.
  /// - Throws: ``NotAMap`` if none of these folders exists; errors of reading files.
  init(root: URL) throws {
    let areas = ["Core", "Interop", "Products"]
    guard areas.contains(where: { FileManager.default.fileExists(atPath: root.appending(path: $0).path) })
    else {
      throw NotAMap(root: root)
    }
    var findings: [Finding] = []
    var kernel = KernelRules()
    var paths: [String] = []
    for area in areas {
      for path in try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: area).path)
        .sorted()
      where path.hasSuffix(".swift") { paths.append("\(area)/\(path)") }
    }
    for path in paths {
      let source = SourceFile(
        path: path,
        text: try String(contentsOf: root.appending(path: path), encoding: .utf8)
      )
      kernel.add(source)
      findings += ImportRules.findings(source) + UncheckedRule.findings(source) + JSONRule.findings(source)
      findings += NumberRule.findings(source) + FoundationRule.findings(source)
      if path.hasPrefix("Interop/") { findings += InterfaceRules.findings(source) }
    }
    findings += RegistrationRule.findings(paths) + NumberRule.staleExemptions(paths) + kernel.findings
    self.findings = findings
    fileCount = paths.count
  }
}
