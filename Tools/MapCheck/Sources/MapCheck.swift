import Foundation

/// Something that breaks a rule of the map.
struct Finding: Hashable, CustomStringConvertible {
  let path: String
  let line: Int
  let message: String

  var description: String { "\(path):\(line): \(message)" }
}

/// All sources below a root, and what is wrong with them.
struct MapCheck {
  struct NotAMap: Error, CustomStringConvertible {
    let root: URL
    var description: String {
      "\(root.path) has no folder Core, Interop or Products; name the package's root"
    }
  }

  let findings: [Finding]
  let fileCount: Int

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
      findings += ImportRules.findings(source) + UncheckedRule.findings(source)
      if path.hasPrefix("Interop/") { findings += InterfaceRules.findings(source) }
    }
    findings += RegistrationRule.findings(paths) + kernel.findings
    self.findings = findings
    fileCount = paths.count
  }
}
