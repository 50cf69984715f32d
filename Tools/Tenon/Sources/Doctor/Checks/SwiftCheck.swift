import Foundation
import TenonProcesses

/// The toolchain on the path is new enough.
enum SwiftCheck {
  /// The oldest version that builds this package.
  static let oldest = (major: 6, minor: 3)

  /// - Parameter run: runs `swift --version`; `nil` if it can't be run.
  static func result(_ run: () -> String? = version) -> Diagnosis {
    let required = "\(oldest.major).\(oldest.minor)"
    let fix = "Install Swift \(required) or later: https://swift.org/install"
    guard let text = run() else { return .problem("Swift", "swift isn't on the PATH", fix: fix) }
    guard let match = text.firstMatch(of: /Swift version (\d{1,4})\.(\d{1,4})[^ ]*/),
      let major = Int(match.1),
      let minor = Int(match.2)
    else { return .warning("Swift", "swift --version prints no version", fix: fix) }
    let isOldEnough = (major, minor) >= oldest
    return isOldEnough
      ? .ok("Swift", "\(match.0)") : .problem("Swift", "\(match.0) is older than \(required)", fix: fix)
  }

  private static func version() -> String? {
    let process = Process()
    let output = Pipe.exclusive
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["swift", "--version"]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.start()) != nil else { return nil }
    let data = try? output.fileHandleForReading.readToEnd()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? data.map { String(decoding: $0, as: UTF8.self) } : nil
  }
}
