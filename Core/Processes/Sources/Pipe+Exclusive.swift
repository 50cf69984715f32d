package import Foundation
import TenonFoundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Pipe {
  /// A pipe for a process that is started by ``Foundation/Process/start()``, whose ends no other process
  /// inherits.
  ///
  /// On Linux, Foundation's `Process` can pass open files of this process to the one that it starts, unless
  /// they are closed on exec. With a plain pipe, a process that another thread starts at the same time holds
  /// a copy of the writing end, and the reader waits for the end of that process, too: forever, if it is a
  /// server that all tests share.
  package static var exclusive: Pipe {
    starting.withLock { _ in
      let pipe = Pipe()
      // The process for which an end is meant receives a copy of it, which stays open.
      for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
        _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
      }
      return pipe
    }
  }
}
