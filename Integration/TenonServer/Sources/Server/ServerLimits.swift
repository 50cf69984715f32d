#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The limits of the server for one client, or for all of them.
struct ServerLimits: Sendable {
  /// The greatest number of open connections. Further ones wait until another one ends.
  var connections = Self.affordableConnections
  /// The greatest size of the request line and the header fields, in bytes.
  var headBytes = 32 << 10
  var headFields = 100
  /// The time for a whole head from its first byte, in milliseconds.
  var headTime: Int64 = 10_000
  /// The time for which a connection may be idle between two requests, in milliseconds.
  var idleTime: Int64 = 60_000
  /// The time for which a peer may neither send nor receive within a message, in milliseconds.
  var stallTime: Int64 = 30_000
  /// The greatest size of a request's content, in bytes.
  var bodyBytes: Int64 = 1 << 30
  /// The size above which content is stored in a file.
  var memoryBytes = 4 << 20
  /// The slowest permitted transfer of content, in bytes per second, after the first minute.
  var slowestBody: Int64 = 16 << 10
  /// The number of bytes that are read and discarded after the last response.
  var drainBytes = 64 << 20
  /// The total time for that, and the time for which nothing may arrive, in milliseconds.
  var drainTime: Int64 = 30_000
  var drainStall: Int64 = 5_000
  /// The time for the backend, in seconds, which is long because functions may be slow.
  var answerTime: Int64 = 3_600

  /// The number of connections for the process's limit of file descriptors, some of which are left for the
  /// databases. A large content uses two more.
  private static var affordableConnections: Int {
    var limit = rlimit()
    #if canImport(Glibc)
      let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    #else
      let isKnown = getrlimit(RLIMIT_NOFILE, &limit) == 0
    #endif
    guard isKnown else { return 64 }
    let files = Int(min(limit.rlim_cur, 1 << 20))
    // Every listener of documents holds a connection.
    return min(max((files - 32) / 2, 4), 2_048)
  }

  /// Raises the process's limit of file descriptors, as far as the system allows it without privileges, to
  /// what the greatest number of connections needs. Many systems set it to 1,024 at first, for programs that
  /// use `select`.
  static func raiseFileLimit() {
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < 8_192 else { return }
    limit.rlim_cur = min(limit.rlim_max, 8_192)
    _ = setrlimit(resource, &limit)
  }
}
