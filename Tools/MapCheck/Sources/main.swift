import Foundation

// Checks that the sources follow the architecture: which module may import which, that interop modules contain no logic, that
// numbers from outside are converted by checked conversions, and that libraries don't import the full Foundation on Linux.
// Usage: map-check [ROOT]

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count <= 1, arguments.first?.hasPrefix("-") != true else {
  FileHandle.standardError.write(
    Data("usage: map-check [ROOT]\nChecks the sources below ROOT, the present directory by default.\n".utf8)
  )
  exit(2)
}
do {
  let check = try MapCheck(root: URL(filePath: arguments.first ?? "."))
  for finding in check.findings { print(finding) }
  print("map-check: \(check.fileCount) files, \(check.findings.count) findings")
  exit(check.findings.isEmpty ? 0 : 1)
} catch {
  FileHandle.standardError.write(Data("map-check: \(error)\n".utf8))
  exit(2)
}
