#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension FileLock {
  /// The ID of the process that holds the lock exclusively or with others, as Linux lists it in `/proc/locks`
  /// (proc_locks(5)); `nil` if no process does, and where it isn't known: on other platforms, and for a process
  /// outside of this one's PID namespace.
  package var holder: Int? {
    #if os(Linux)
      var file = stat()
      guard stat(path, &file) == 0, let locks = try? String(contentsOfFile: "/proc/locks", encoding: .utf8)
      else { return nil }
      for line in locks.split(separator: "\n") {
        // 12: FLOCK  ADVISORY  WRITE 4711 08:02:1312 0 EOF: the process is the fifth field, the inode is in the
        // sixth. The lines of processes that wait have another second field.
        let fields = line.split(separator: " ")
        guard fields.count >= 6, fields[1] == "FLOCK",
          fields[5].split(separator: ":").last == "\(file.st_ino)"
        else { continue }
        // Checked: text.
        return Int(fields[4]).flatMap { $0 > 0 ? $0 : nil }
      }
    #endif
    return nil
  }
}
