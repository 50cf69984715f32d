import Foundation

/// An executable without symbols.
enum StrippedBinary {
  /// How many times as large executables are if they are built with `-enable-testing`: between 1.07 and 1.10
  /// times for the combinations, with Swift 6.3 on Linux.
  static let testingFactor = 1.085

  /// Returns the size in bytes of a copy of an executable, without symbols.
  ///
  /// - Throws: ``MatrixError`` without `strip`, which belongs to binutils and to Xcode.
  static func size(of program: URL) throws -> Int {
    let copy = FileManager.default.temporaryDirectory.appending(path: "tenon-matrix-\(UUID())")
    defer { try? FileManager.default.removeItem(at: copy) }
    do { _ = try Command("/usr/bin/env", ["strip", "-o", copy.path, program.path]).run() } catch {
      throw MatrixError("\(error) Measuring sizes requires strip, of the package binutils or of Xcode.")
    }
    guard let size = try FileManager.default.attributesOfItem(atPath: copy.path)[.size] as? Int else {
      throw MatrixError("\(copy.path), which strip has written, has no size.")
    }
    return size
  }
}
