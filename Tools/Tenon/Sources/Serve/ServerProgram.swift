import Foundation

/// The executable `tenon-server`, wherever it was built or installed.
struct ServerProgram: Hashable {
  /// The command that builds it.
  static let build = "swift build --product tenon-server"

  private static let name = "tenon-server"

  let path: String

  /// Returns the first one that can be run: beside this program, then of a build in a folder, then of the
  /// folders of `PATH`.
  static func find(
    beside program: URL? = Bundle.main.executableURL,
    in folder: URL = URL(filePath: FileManager.default.currentDirectoryPath),
    path: String = ProcessInfo.processInfo.environment["PATH"] ?? ""
  ) -> ServerProgram? {
    var folders = [program?.resolvingSymlinksInPath().deletingLastPathComponent()].compactMap(\.self)
    folders += ["debug", "release"].map { folder.appending(path: ".build/\($0)") }
    // An empty entry of PATH is the current folder, in which no program is looked for.
    folders += path.split(separator: ":").map { URL(filePath: String($0), relativeTo: folder).absoluteURL }
    return folders.map { $0.appending(path: name).path }.first(where: isProgram).map(ServerProgram.init)
  }

  private static func isProgram(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
      && FileManager.default.isExecutableFile(atPath: path)
  }

  /// Replaces this process with the program, so that signals reach it and its exit code is this one's.
  ///
  /// - Returns: the reason why it can't be run.
  func replaceProcess(with arguments: [String]) -> CommandError {
    #if os(Windows)
      return CommandError("Windows can't replace a process. Run \(path) with the same options.")
    #else
      var texts: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
      defer { for text in texts { free(text) } }
      execv(path, &texts)
      return CommandError("\(path) can't be run: \(String(cString: strerror(errno)))")
    #endif
  }
}
