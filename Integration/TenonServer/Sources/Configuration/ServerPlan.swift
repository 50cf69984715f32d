import FirestoreExport
import TenonFoundation

/// What the server is to do, by its arguments, `firebase.json` and `.firebaserc`.
struct ServerPlan {
  let project: String
  let endpoints: [Endpoint]
  /// The folder for the data; `nil` for memory.
  let directory: String?
  /// What to begin with, and where to export to at the end; `nil` for nothing.
  let importFolder: String?
  let exportFolder: String?
  /// The files with Security Rules of documents and of objects.
  let documentRules: String?
  let objectRules: String?
  /// Whether documents of other projects are served, too.
  let servesOtherProjects: Bool
  /// Messages for standard error.
  let notes: [String]

  /// - Throws: ``ConfigurationProblem``.
  init(_ options: TenonServer) throws(ConfigurationProblem) {
    let configuration = try Self.configuration(options.config)
    let folder = configuration?.file.folder ?? URL(filePath: ".").absoluteURL
    let aliases = try Self.file(folder.appending(path: ".firebaserc").path).map {
      file throws(ConfigurationProblem) in try ProjectAliases(file)
    }
    project =
      (aliases.map { $0.project(options.project) } ?? options.project) ?? TenonServer.defaultProject
    endpoints =
      switch (options.port, options.ports, configuration?.ports) {
      case (let port?, _, _): Endpoint.one(port)
      case (nil, .one, _), (nil, nil, nil): Endpoint.one(TenonServer.defaultPort)
      case (nil, .default, _): Endpoint.google
      case (nil, nil, let ports?): Endpoint.configured(ports, in: configuration?.file.path ?? "")
      }
    (importFolder, exportFolder) = try Self.exchange(options)
    if options.memory || options.directory != nil || options.importFolder != nil {
      directory = options.directory.map { URL(filePath: $0).absoluteURL.path }
    } else {
      let data = try DataFolder(of: project, in: folder)
      try data.create()
      directory = data.path
    }
    documentRules =
      if let rules = options.rules {
        rules
      } else if options.protectDocuments {
        nil
      } else {
        try configuration?.documentRules()
      }
    objectRules = if let rules = options.storageRules { rules } else { try configuration?.objectRules() }
    servesOtherProjects =
      options.anyProject || (configuration?.hasSeveralProjects ?? false) && !options.singleProject
    notes = configuration?.notes ?? []
  }

  /// Returns what to begin with, and where to export to at the end.
  ///
  /// As with Firebase's command-line tool, a folder that is both may be created by the first export.
  private static func exchange(
    _ options: TenonServer
  ) throws(ConfigurationProblem) -> (from: String?, to: String?) {
    let target = options.exportFolder == "" ? options.importFolder : options.exportFolder
    if let target {
      do { try ExportFolder(target).checkReplaceable() } catch {
        throw ConfigurationProblem(error.description)
      }
    }
    guard let source = options.importFolder else { return (nil, target) }
    guard FileManager.default.fileExists(atPath: ExportFolder(source).url.path) else {
      guard source != target else { return (nil, target) }
      throw ConfigurationProblem("There is no folder \(source) to import. Name an export with --import.")
    }
    if let directory = options.directory {
      let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
      guard files.isEmpty else {
        throw ConfigurationProblem(
          "\(directory) has data, and an import begins with none. Name a new folder with --directory, or leave out --import."
        )
      }
    }
    return (source, target)
  }

  /// Returns the configuration of a file, or of `firebase.json` in the current folder, if there is one.
  private static func configuration(
    _ path: String?
  ) throws(ConfigurationProblem) -> FirebaseConfiguration? {
    guard let path else {
      guard let file = try file("firebase.json") else { return nil }
      return try FirebaseConfiguration(file)
    }
    return try FirebaseConfiguration(ConfigurationFile(path))
  }

  /// Reads a file, if it exists.
  private static func file(_ path: String) throws(ConfigurationProblem) -> ConfigurationFile? {
    FileManager.default.fileExists(atPath: path) ? try ConfigurationFile(path) : nil
  }
}
