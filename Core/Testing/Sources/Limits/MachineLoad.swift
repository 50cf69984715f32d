import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// How busy this machine is, so that time limits of tests don't fail on a machine that is too busy to run them.
package enum MachineLoad {
  /// The factor by which the time limits of tests are longer than on a quiet machine; at least 1.
  ///
  /// It is 1 until two threads per processor want to run, which is what this package's own tests need at most, and then
  /// grows with the average number of such threads in the last minute. It is 1 where the system doesn't tell.
  package static var patience: Double {
    #if os(Windows) || os(WASI) || os(Android)
      return 1
    #else
      var averages: [Double] = [0]
      guard getloadavg(&averages, 1) == 1 else { return 1 }
      return max(1, averages[0] / Double(2 * processors))
    #endif
  }

  /// The number of processors that this process may use; at least 1.
  static let processors = max(1, ProcessInfo.processInfo.activeProcessorCount)
}
