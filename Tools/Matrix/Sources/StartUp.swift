import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The time that programs take to start, print the linked libraries and end.
enum StartUp {
  /// Returns the median times of programs.
  ///
  /// The programs take turns, so that changes of the machine's speed affect all of them.
  ///
  /// - Parameter starts: how often each program is started. One more start, which isn't counted, loads its
  ///   files.
  static func medians(of programs: [URL], starts: Int) throws -> [Duration] {
    var times = programs.map { _ in [Duration]() }
    for turn in 0...starts {
      for (index, program) in programs.enumerated() {
        let time = try time(of: program)
        if turn > 0 { times[index].append(time) }
      }
    }
    return times.map { $0.sorted()[$0.count / 2] }
  }

  /// Returns the time from the start of a process until its end is known.
  ///
  /// - Throws: ``MatrixError`` if the program fails, and always on Windows.
  private static func time(of program: URL) throws -> Duration {
    #if os(Windows)
      throw MatrixError("Start-up times can't be measured on Windows.")
    #else
      // Foundation's `Process` takes longer than the program itself.
      #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
      #else
        var actions = posix_spawn_file_actions_t()
      #endif
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
      var arguments = [strdup(program.path), strdup("--linked"), nil]
      defer { for argument in arguments { free(argument) } }
      var child: pid_t = 0
      var status: Int32 = 0
      let begin = ContinuousClock.now
      let code = posix_spawn(&child, program.path, &actions, nil, &arguments, environ)
      guard code == 0 else {
        throw MatrixError("\(program.path) can't be started: \(String(cString: strerror(code))).")
      }
      while waitpid(child, &status, 0) < 0 {
        guard errno == EINTR else { throw MatrixError("\(program.path) can't be waited for.") }
      }
      let time = ContinuousClock.now - begin
      guard status == 0 else { throw MatrixError("\(program.path) --linked failed; run it to see why.") }
      return time
    #endif
  }
}
