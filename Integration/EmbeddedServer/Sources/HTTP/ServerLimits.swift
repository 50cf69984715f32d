#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What one client, or all of them together, may ask of the server.
struct ServerLimits: Sendable {
  /// How many connections are open at a time. Further ones wait until another one ends.
  var connections = Self.affordableConnections
  /// The request line and the header fields, in bytes.
  var headBytes = 32 << 10
  var headFields = 100
  /// How long a head may take from its first byte, in milliseconds.
  var headTime: Int64 = 10_000
  /// How long a connection may rest between two requests, in milliseconds.
  var idleTime: Int64 = 60_000
  /// How long a peer may send or take nothing in the middle of a message, in milliseconds.
  var stallTime: Int64 = 30_000
  /// The content of a request, in bytes.
  var bodyBytes: Int64 = 1 << 30
  /// Larger contents are put into a file.
  var memoryBytes = 4 << 20
  /// The slowest content, in bytes per second, after the first minute.
  var slowestBody: Int64 = 16 << 10
  /// How much is read and dropped of what a peer sends behind its last answer, in bytes.
  var drainBytes = 64 << 20
  /// How long that may take in all, and how long nothing may come, in milliseconds.
  var drainTime: Int64 = 30_000
  var drainStall: Int64 = 5_000
  /// How long the backend may take, in seconds: a function may take its time.
  var answerTime: Int64 = 3_600

  /// As many as the process may have files, with some left for the databases. A large content takes two more.
  private static var affordableConnections: Int {
    var limit = rlimit()
    #if canImport(Glibc)
      let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    #else
      let isKnown = getrlimit(RLIMIT_NOFILE, &limit) == 0
    #endif
    guard isKnown else { return 64 }
    let files = Int(min(limit.rlim_cur, 1 << 20))
    return min(max((files - 32) / 2, 4), 256)
  }
}
