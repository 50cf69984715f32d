import Foundation
import TenonProcesses

/// The formatter of the toolchain, which breaks lines that are long because of many needs or a long name.
enum SwiftFormat {
  /// Formats files by the nearest `.swift-format`. Without a formatter, the files stay as they are.
  static func format(_ files: [URL]) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["swift", "format", "format", "--in-place"] + files.map(\.path)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.start()) != nil else { return }
    process.waitUntilExit()
  }
}
