#if os(Linux)
  import Foundation

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// Measures how long a process takes until its `main`.
  enum StartBench {
    /// The programs, in the folder of this one. Each prints the time of the clock `CLOCK_MONOTONIC`, in
    /// nanoseconds, at its first statement.
    private static let programs = [
      ("every-product", "start-every-product"), ("core", "start-core"), ("swift", "start-swift"),
    ]

    /// Starts each program a number of times, in turn.
    static func measure(repeats: Int) throws -> [TransportMeasurement] {
      let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      var times = programs.map { _ in [Double]() }
      for _ in 0..<repeats {
        for (index, (_, program)) in programs.enumerated() {
          times[index].append(try start(folder.appending(path: program)))
        }
      }
      return [
        TransportMeasurement(
          "start", .nanoseconds, zip(programs, times).map { (contender: $0.0, values: $1) })
      ]
    }

    /// Starts a program and returns the time until its `main` in nanoseconds.
    private static func start(_ program: URL) throws -> Double {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { throw ContenderFailed(description: "There is no pipe.") }
      defer { close(ends[0]) }
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
      ends.forEach { _ = posix_spawn_file_actions_addclose(&actions, $0) }
      var arguments = [strdup(program.path), nil]
      defer { free(arguments[0]) }
      var before = timespec()
      clock_gettime(CLOCK_MONOTONIC, &before)
      var child = pid_t()
      let code = posix_spawn(&child, program.path, &actions, nil, &arguments, environ)
      close(ends[1])
      guard code == 0 else {
        throw ContenderFailed(description: "\(program.path): \(String(cString: strerror(code)))")
      }
      var text = Data()
      var buffer = [UInt8](repeating: 0, count: 64)
      while case let count = read(ends[0], &buffer, buffer.count), count > 0 { text += buffer[..<count] }
      var status: Int32 = 0
      waitpid(child, &status, 0)
      guard let time = Int(String(decoding: text, as: UTF8.self).dropLast()) else {
        throw ContenderFailed(description: "\(program.path) printed no time")
      }
      return Double(time - (before.tv_sec * 1_000_000_000 + before.tv_nsec))
    }
  }
#endif
