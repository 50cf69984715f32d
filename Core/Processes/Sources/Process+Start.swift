package import Foundation
import TenonFoundation

/// Held while a process is started or a pipe for one is created.
let starting = Lock(())

extension Process {
  /// Starts the process, like `run()`, while no other process of this program is being started.
  ///
  /// On Linux, `run()` closes the files that are open when it begins, but not those that another thread opens
  /// before the new process exists. Such a file can be the socket by which Foundation notices the end of a
  /// process that is started at the same time: its end isn't noticed before the new process ends, too, which
  /// may be a server that runs until all tests have ended.
  ///
  /// - Throws: the errors of `run()`.
  package func start() throws { try starting.withLock { _ in try run() } }
}
