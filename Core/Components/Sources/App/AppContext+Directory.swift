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
  /// platforms and `%LOCALAPPDATA%` on Windows. A directory that exists keeps its mode. Without a project ID,
  /// the last row of the table is an error, because other programs would share the directory.
  ///
  /// May block. Thread-safe.
  ///
  /// - Parameter library: the library's name, for example `tenon-auth`.
  /// - Returns: the path, whose last components are the app's name and the library's. It is relative only if
  ///   the options specify a relative directory, or if the environment contains no absolute one.
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
    guard let base = Self.baseDirectory(options) else { return nil }
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
  /// - Parameter options: the app's options.
  private static func baseDirectory(_ options: AppOptions) -> String? {
    switch (options.data, options.backend) {
    case (.memory, _), (.automatic, .embedded(directory: nil)): nil
    case (.directory(let directory), _): directory
    case (.automatic, .embedded(directory: let directory?)): directory.isEmpty ? "" : "\(directory)/apps"
    // An empty base is rejected.
    case (.automatic, _):
      options.projectID.flatMap { isFileName($0) ? "\(applicationData())/tenon/\($0)" : nil } ?? ""
    }
  }

  /// Returns the platform's directory for application data. On Linux, it is determined as the [XDG Base
  /// Directory Specification](https://specifications.freedesktop.org/basedir-spec/latest/) demands: a
  /// relative `XDG_DATA_HOME` is ignored.
  ///
  /// - Returns: the path of the directory, which need not exist.
  private static func applicationData() -> String {
    let environment = ProcessInfo.processInfo.environment
    #if os(Windows)
      return environment["LOCALAPPDATA"] ?? FileManager.default.temporaryDirectory.path
    #else
      let home = environment["HOME"] ?? "."
      #if canImport(Darwin)
        return "\(home)/Library/Application Support"
      #else
        return environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.local/share"
      #endif
    #endif
  }
}
