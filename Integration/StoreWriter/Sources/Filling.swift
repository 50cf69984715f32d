import Foundation
import TenonStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes until the disk is full or the file can't grow, then makes space and continues with the same store.
struct Filling {
  let store: Store
  /// The greatest size of files; `nil` if the disk itself is small.
  let limit: UInt64?

  func run() async throws {
    let ballast = URL(filePath: CommandLine.arguments[2]).deletingLastPathComponent()
      .appending(path: "ballast")
    // A file to remove when there is no space left.
    if limit == nil { try Data(repeating: 1, count: 600_000).write(to: ballast) }
    try await store.document("kept/first").setData(["n": 0])
    try limitFiles(limit)
    try await fill()
    // The earlier documents are still there, and the rejected ones aren't.
    let count = try await store.collection("kept").count.getAggregation().count ?? 0
    try say("count \(count)")
    if limit == nil { try FileManager.default.removeItem(at: ballast) }
    try limitFiles(nil)
    try await store.document("kept/last").setData(["n": -1])
    try say("done last")
  }

  private func fill() async throws {
    let text = String(repeating: "x", count: 20_000)
    for number in 1... {
      do {
        try await store.document("kept/n\(number)").setData(["n": number, "text": text])
        try say("done \(number)")
      } catch let error as StoreError {
        try say("refused \(error.code.rawValue)")
        return
      }
    }
  }

  /// Sets or removes a limit on the size of files. A write beyond it fails with an error instead of a signal.
  private func limitFiles(_ size: UInt64?) throws {
    #if os(Linux)
      signal(SIGXFSZ, SIG_IGN)
      let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
      var limits = rlimit()
      getrlimit(resource, &limits)
      limits.rlim_cur = size.map { rlim_t($0) } ?? limits.rlim_max
      guard setrlimit(resource, &limits) == 0 else { throw POSIXError(.EPERM) }
    #endif
  }
}
