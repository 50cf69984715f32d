import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// How busy this machine is, so that time limits of tests don't fail on a machine that is too busy to run
/// them.
package enum MachineLoad {
  /// The factor by which the time limits of tests are longer than on a quiet machine; at least 1.
  ///
  /// It is the number of threads that want to run for each processor that this process may use, on average
  /// over the last minute, so a test gets as much processor time within its limit as on a quiet machine. It
  /// is 1 where the system has no such average.
  package static var patience: Double {
    #if os(Windows) || os(WASI) || os(Android)
      return 1
    #else
      var averages: [Double] = [0]
      guard getloadavg(&averages, 1) == 1 else { return 1 }
      return max(1, averages[0] / Double(processors))
    #endif
  }

  /// The number of processors that this process may use; at least 1. Foundation's number includes those that
  /// `taskset` excludes.
  package static let processors: Int = {
    let all = max(1, ProcessInfo.processInfo.activeProcessorCount)
    // Only on Linux: the bits of the allowed processors, in groups of 32.
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    guard let mask = status.firstMatch(of: /Cpus_allowed:\s*([0-9a-f,]+)/) else { return all }
    let allowed = mask.1.reduce(0) { $0 + ($1.hexDigitValue ?? 0).nonzeroBitCount }
    return min(all, max(1, allowed))
  }()
}
