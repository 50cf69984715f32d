import Foundation

/// A process that has a database open.
struct OpenProcess: Encodable, Equatable {
  /// The process ID.
  let pid: Int32
  /// The name of its program.
  let name: String
  /// Whether it is the one that sends the queued writes.
  let sends: Bool
}

/// Finds the processes that have a database open.
enum OpenProcesses {
  /// Returns the processes that have a database open, as far as this process may see them: those of its user,
  /// or all of them for an administrator.
  ///
  /// - Parameter path: the path of the database.
  /// - Returns: `nil` on systems that don't tell.
  static func using(_ path: String) -> [OpenProcess]? {
    #if os(Linux)
      let database = URL(filePath: path).resolvingSymlinksInPath().path
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc") else { return nil }
      let own = ProcessInfo.processInfo.processIdentifier
      return names.compactMap(Int32.init).filter { $0 != own }.sorted().compactMap {
        process($0, using: database)
      }
    #else
      return nil
    #endif
  }

  #if os(Linux)
    /// Returns a process if it has the database open.
    private static func process(_ pid: Int32, using database: String) -> OpenProcess? {
      let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")) ?? []
      var (isOpen, sends) = (false, false)
      for file in files {
        guard
          let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\(file)")
        else { continue }
        if target == database { isOpen = true }
        guard target == database + "-queue" else { continue }
        // The process that sends holds an exclusive lock on this file (flock).
        let info = (try? String(contentsOfFile: "/proc/\(pid)/fdinfo/\(file)", encoding: .utf8)) ?? ""
        if info.split(separator: "\n").contains(where: { $0.contains(" FLOCK ") && $0.contains(" WRITE ") }) {
          sends = true
        }
      }
      guard isOpen else { return nil }
      let name = (try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8)) ?? ""
      return OpenProcess(
        pid: pid, name: name.trimmingCharacters(in: .whitespacesAndNewlines), sends: sends)
    }
  #endif
}
