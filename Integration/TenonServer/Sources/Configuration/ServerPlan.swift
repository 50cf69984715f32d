import TenonFoundation

/// What the server is to do, by its arguments, `firebase.json` and `.firebaserc`.
struct ServerPlan {
  let project: String
  let endpoints: [Endpoint]
  /// The folder for the data; `nil` for memory.
  let directory: String?
  /// The files with Security Rules of documents and of objects.
  let documentRules: String?
  let objectRules: String?
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
    if options.memory || options.directory != nil {
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
    notes = configuration?.notes ?? []
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
