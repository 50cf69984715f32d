import TenonBasics

extension AppContext {
  /// Returns the private directory of one library in this app, created with mode 0700 if necessary; `nil` if
  /// the app keeps everything in memory.
  ///
  /// | ``AppOptions/data`` | ``AppOptions/backend`` | Directory |
  /// | --- | --- | --- |
  /// | `.directory("/d")` | any | `/d/APP/LIBRARY` |
  /// | `.memory` | any | none |
  /// | `.automatic` | `.embedded(directory: "/d")` | `/d/apps/APP/LIBRARY` |
  /// | `.automatic` | `.embedded(directory: nil)` | none |
  /// | `.automatic` | any other | `DATA/tenon/PROJECT/APP/LIBRARY` |
  ///
  /// `DATA` is `$XDG_DATA_HOME` or `~/.local/share` on Linux, `~/Library/Application Support` on Apple
  /// platforms and `%LOCALAPPDATA%` on Windows. `~` is `$HOME` or, without it, what the user database of the
  /// system says. The last row of the table is an error for a user without a home directory, and without a
  /// project ID, because other programs would share the directory. A directory that exists keeps its mode.
  ///
  /// May block. Thread-safe.
  ///
  /// - Parameter library: the library's name, for example `tenon-auth`.
  /// - Returns: the path, whose last components are the app's name and the library's. It is relative only if
  ///   the options specify a relative directory.
  /// - Throws: ``ConfigurationError`` with the code ``ConfigurationError/Code/unusableDirectory``, whose
  ///   message quotes the system's reason.
  public func directory(for library: String) throws -> String? {
    if options.projectID == nil, options.storesByProject {
      throw ConfigurationError(
        .unusableDirectory,
        "\(library) can't have its own directory: it would be named after the project, and the options have no projectID.",
        repairs: ["Set AppOptions.projectID.", "Choose .directory(…) or .memory as AppOptions.data."]
      )
    }
    guard let base = try Self.baseDirectory(options, of: library) else { return nil }
    let directory = "\(base)/\(name)/\(library)"
    guard !base.isEmpty, !base.utf8.contains(0), Self.isFileName(name), Self.isFileName(library) else {
      throw ConfigurationError(
        .unusableDirectory,
        "\(library) can't have its own directory: \"\(directory)\" leads elsewhere.",
        repairs: ["Give the library a name that can be that of a file."]
      )
    }
    do {
      // With intermediate directories, the mode applies to every directory that is created.
      try FileManager.default.createDirectory(
        atPath: directory,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw ConfigurationError(
        .unusableDirectory,
        "The directory \(directory) of \(library) can't be created: \(error.systemReason).",
        repairs: ["Make it writable, or choose another place with AppOptions.data."]
      )
    }
    return directory
  }

  /// Returns whether a text can name a file in a directory: no separators and no null character, and not `.`,
  /// `..` or empty.
  ///
  /// - Parameter text: the text, from options or from a library's declaration.
  private static func isFileName(_ text: String) -> Bool {
    !text.allSatisfy { $0 == "." }
      && !text.utf8.contains { [0, UInt8(ascii: "/"), UInt8(ascii: "\\")].contains($0) }
  }

  /// Returns the directory that contains those of the apps; `nil` if the options select memory, empty if they
  /// specify no usable path.
  ///
  /// - Parameters:
  ///   - options: the app's options.
  ///   - library: the name of the library that asks, for the error.
  private static func baseDirectory(_ options: AppOptions, of library: String) throws -> String? {
    switch (options.data, options.backend) {
    case (.memory, _), (.automatic, .embedded(directory: nil)): return nil
    case (.directory(let directory), _): return directory
    case (.automatic, .embedded(directory: let directory?)):
      return directory.isEmpty ? "" : "\(directory)/apps"
    case (.automatic, _):
      // An empty base is rejected.
      guard let project = options.projectID, isFileName(project) else { return "" }
      let data = applicationData(
        ProcessInfo.processInfo.environment, home: FileManager.default.homeDirectoryForCurrentUser.path)
      guard let data else {
        throw ConfigurationError(
          .unusableDirectory,
          "\(library) can't have its own directory: the user of this process has no home directory.",
          repairs: [
            "Set AppOptions.data to .directory(…) or .memory.",
            "Set the environment variable XDG_DATA_HOME or HOME to an absolute path.",
          ]
        )
      }
      return "\(data)/tenon/\(project)"
    }
  }

  /// Returns the platform's directory for application data. On Linux, it is determined as the [XDG Base
  /// Directory Specification](https://specifications.freedesktop.org/basedir-spec/latest/) demands: a
  /// relative `XDG_DATA_HOME` is ignored.
  ///
  /// - Parameters:
  ///   - environment: the variables of the process.
  ///   - home: the home directory that Foundation determines: `$HOME`, else that of the user database, else
  ///     `/var/empty`, which means that the user has none.
  /// - Returns: the absolute path of the directory, which need not exist; `nil` if there is none.
  static func applicationData(_ environment: [String: String], home: String) -> String? {
    #if os(Windows)
      return environment["LOCALAPPDATA"] ?? FileManager.default.temporaryDirectory.path
    #else
      let home = home.hasPrefix("/") && home != "/var/empty" ? home : nil
      #if canImport(Darwin)
        return home.map { "\($0)/Library/Application Support" }
      #else
        let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return data ?? home.map { "\($0 == "/" ? "" : $0)/.local/share" }
      #endif
    #endif
  }
}
