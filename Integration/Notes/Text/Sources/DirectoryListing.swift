import Foundation

/// The contents of a folder. Names are bytes, because a file system doesn't guarantee that they are UTF-8.
struct DirectoryListing {
  enum Kind {
    case file
    case folder
    /// A symbolic link, a device or a socket.
    case other
  }

  struct Item {
    let name: [UInt8]
    let kind: Kind
  }

  /// The items, except hidden files and folders.
  private(set) var items: [Item] = []
  /// The items whose type the file system doesn't report, with the reason.
  private(set) var failures: [(name: [UInt8], reason: String)] = []

  /// - Throws: ``UnreadableDirectory`` if the folder can't be read.
  init(_ path: String) throws {
    guard let directory = opendir(path) else { throw UnreadableDirectory(code: errno) }
    defer { closedir(directory) }
    while true {
      errno = 0
      guard let entry = readdir(directory) else {
        guard errno == 0 else { throw UnreadableDirectory(code: errno) }
        return
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: 1) { start in
          (0..<strlen(start)).map { UInt8(bitPattern: start[$0]) }
        }
      }
      if name.first != UInt8(ascii: ".") { add(name, in: directory) }
    }
  }

  private mutating func add(_ name: [UInt8], in directory: OpaquePointer) {
    var status = stat()
    let terminated = name.map(CChar.init(bitPattern:)) + [0]
    guard fstatat(dirfd(directory), terminated, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      // An item that was removed in the meantime is ignored.
      if errno != ENOENT { failures.append((name, UnreadableDirectory(code: errno).description)) }
      return
    }
    let kind: Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      default: .other
      }
    items.append(Item(name: name, kind: kind))
  }
}

/// The error for a folder, or an item in it, that can't be read.
struct UnreadableDirectory: Error, CustomStringConvertible {
  /// The value of `errno`.
  let code: CInt

  var description: String { "can't be read: \(String(cString: strerror(code)))" }
}
