import TenonBasics
import TenonJSONReader

extension AppOptions {
  /// Creates options from a file, which is read as a whole on the calling thread.
  ///
  /// - `tenon.json`, or any other `.json`: the names of ``AppOptions``, or those of Firebase's web
  ///   configuration (`projectId`, `appId`, `messagingSenderId`). `backend` is `"production"`, `"embedded"`,
  ///   `{"embedded": {"directory": "…"}}` or `{"emulator": {"auth": "host:port", …}}`; `data` is
  ///   `"automatic"`, `"memory"` or `{"directory": "…"}`; `libraries` lists the libraries to activate.
  ///   Unknown names are errors, also in inner objects.
  /// - `google-services.json`: the file of Firebase's Android apps, also under another name. It is recognized
  ///   by `project_info`.
  /// - `.plist`: the `GoogleService-Info.plist` of Firebase's Apple apps.
  ///
  /// ```json
  /// {
  ///   "projectID": "my-project",
  ///   "backend": {"emulator": {"auth": "127.0.0.1:9099", "firestore": "127.0.0.1:8080"}},
  ///   "data": {"directory": "/var/lib/my-app"},
  ///   "libraries": ["tenon-auth", "tenon-store"]
  /// }
  /// ```
  ///
  /// Firebase's files have no backend, data or libraries; these options have their defaults then. The
  /// environment isn't read; ``discovered(environment:in:)`` combines it with a file.
  ///
  /// - Parameters:
  ///   - path: the file's path.
  ///   - packageName: the package name of the client of a `google-services.json` to use; its first client if
  ///     `nil`.
  /// - Throws: ``ConfigurationError`` that names every missing or malformed field, or with the code
  ///   ``ConfigurationError/Code/unreadableFile``.
  public init(contentsOfFile path: String, packageName: String? = nil) throws {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let object = try Self.object(inFile: path)
    if name.hasSuffix(".plist") {
      try self.init(propertyList: object, source: name)
    } else if object["project_info"] != nil || name == "google-services.json" {
      try self.init(googleServices: object, source: name, packageName: packageName)
    } else {
      try self.init(json: object, source: name)
    }
  }

  /// The maximum size of a file of options, in bytes.
  private static let largestFile = 1 << 20

  /// Returns the content of a property list, if the file's name ends in `.plist`, or of a JSON file.
  ///
  /// - Parameter path: the file's path.
  /// - Returns: the fields of the outermost object.
  /// - Throws: ``ConfigurationError`` with the code ``ConfigurationError/Code/unreadableFile``.
  private static func object(inFile path: String) throws -> [String: OptionValue] {
    let content: Data
    do {
      content = try Data(contentsOf: URL(filePath: path))
    } catch {
      throw ConfigurationError(
        .unreadableFile,
        "\(path) can't be read: \(error.systemReason).",
        repairs: ["Check that the file is there and readable."]
      )
    }
    let isPropertyList = path.hasSuffix(".plist")
    guard content.count <= largestFile else {
      throw ConfigurationError(
        .unreadableFile,
        "\(path) has \(content.count) bytes, more than the limit of \(largestFile) for an options file.",
        repairs: ["Check that it is the right file."]
      )
    }
    guard !isPropertyList || PropertyListNesting.isLimited(content) else {
      throw ConfigurationError(
        .unreadableFile,
        "\(path) has more than \(PropertyListNesting.limit) containers or isn't in UTF-8.",
        repairs: ["Download it again, or correct it."]
      )
    }
    do {
      return isPropertyList
        ? try PropertyListDecoder().decode([String: OptionValue].self, from: content)
        : try members(of: JSON(parsing: content))
    } catch {
      let format = isPropertyList ? "a property list with a dictionary" : "a JSON object"
      guard let error = error as? JSONError else {
        throw ConfigurationError(
          .unreadableFile, "\(path) isn't \(format).", repairs: ["Download it again, or correct it."])
      }
      let (line, column) = error.place(in: content)
      throw ConfigurationError(
        .unreadableFile,
        "\(path) isn't \(format): at line \(line), column \(column), \(error.reason).",
        repairs: ["Correct it there, or download it again."]
      )
    }
  }

  /// Returns the members of an object of JSON.
  ///
  /// - Parameter json: the content of a file.
  /// - Throws: an error that says nothing, if it is another value.
  private static func members(of json: JSON) throws -> [String: OptionValue] {
    guard case .object(let members) = OptionValue(json) else { throw CocoaError(.fileReadCorruptFile) }
    return members
  }
}

// MARK: - Formats

extension AppOptions {
  /// Creates options from the content of a `tenon.json`, or of Firebase's web configuration, which is
  /// recognized by `projectId`.
  ///
  /// - Parameters:
  ///   - object: the content.
  ///   - source: the name of the file, for messages.
  /// - Throws: ``ConfigurationError`` that names every missing, malformed or unknown field. In Firebase's web
  ///   configuration, its fields without an option, such as `authDomain`, are allowed.
  private init(json object: [String: OptionValue], source: String) throws {
    let usesWebNames = object["projectId"] != nil
    let names: [OptionsField: String] =
      usesWebNames ? [.projectID: "projectId", .appID: "appId", .senderID: "messagingSenderId"] : [:]
    var reader = OptionReader(source: OptionsSource(description: source, names: names))
    func name(_ field: OptionsField) -> String { names[field] ?? field.rawValue }
    self.init(
      projectID: reader.text(object, name(.projectID)),
      apiKey: reader.text(object, "apiKey"),
      appID: reader.text(object, name(.appID)),
      senderID: reader.text(object, name(.senderID)),
      storageBucket: reader.text(object, "storageBucket"),
      backend: Self.backend(object, &reader),
      data: Self.data(object, &reader),
      libraries: reader.texts(object, "libraries")
    )
    let known = ["apiKey", "storageBucket", "backend", "data", "libraries"]
    let web = ["authDomain", "databaseURL", "measurementId"]
    reader.refuseUnknownNames(
      object,
      known: Set([name(.projectID), name(.appID), name(.senderID)] + known + (usesWebNames ? web : []))
    )
    try check(reader)
  }

  /// Returns the value of the field `backend`. A malformed one is added to the reader's problems.
  ///
  /// - Parameters:
  ///   - object: the content of the file.
  ///   - reader: collects the problems.
  /// - Returns: the backend; production if the field is missing or malformed.
  private static func backend(_ object: [String: OptionValue], _ reader: inout OptionReader) -> AppBackend {
    switch object["backend"] {
    case nil, .text("production"): return .production
    case .text("embedded"): return .embedded(directory: nil)
    case .object(let kinds) where kinds.keys.elementsEqual(["embedded"]):
      reader.refuseUnknownNames(object, at: "backend", "embedded", known: ["directory"])
      return .embedded(directory: reader.text(object, "backend", "embedded", "directory"))
    case .object(let kinds) where kinds.keys.elementsEqual(["emulator"]):
      guard case .object(let hosts) = kinds["emulator"], !hosts.isEmpty else {
        reader.malformed(
          "backend.emulator", "Write {\"auth\": \"127.0.0.1:9099\"}, and others beside \"auth\".")
        return .production
      }
      reader.refuseUnknownNames(
        object, at: "backend", "emulator", known: ["auth", "functions", "storage", "firestore"])
      return .emulator(
        EmulatorHosts(
          auth: reader.text(object, "backend", "emulator", "auth"),
          functions: reader.text(object, "backend", "emulator", "functions"),
          storage: reader.text(object, "backend", "emulator", "storage"),
          firestore: reader.text(object, "backend", "emulator", "firestore")
        )
      )
    default:
      reader.malformed(
        "backend",
        "Write \"production\", \"embedded\" or {\"emulator\": {\"auth\": \"127.0.0.1:9099\"}}."
      )
      return .production
    }
  }

  /// Returns the value of the field `data`. A malformed one is added to the reader's problems.
  ///
  /// - Parameters:
  ///   - object: the content of the file.
  ///   - reader: collects the problems.
  /// - Returns: the location; ``AppData/automatic`` if the field is missing or malformed.
  private static func data(_ object: [String: OptionValue], _ reader: inout OptionReader) -> AppData {
    switch object["data"] {
    case nil, .text("automatic"): return .automatic
    case .text("memory"): return .memory
    case .object(let kinds) where kinds.keys.elementsEqual(["directory"]):
      return reader.text(object, "data", "directory").map(AppData.directory) ?? .automatic
    default:
      reader.malformed("data", "Write \"automatic\", \"memory\" or {\"directory\": \"…\"}.")
      return .automatic
    }
  }

  /// Creates options from the content of a `GoogleService-Info.plist`. Other keys are ignored.
  ///
  /// - Parameters:
  ///   - object: the content.
  ///   - source: the name of the file, for messages.
  /// - Throws: ``ConfigurationError`` that names every missing or malformed field.
  private init(propertyList object: [String: OptionValue], source: String) throws {
    let names: [OptionsField: String] = [
      .projectID: "PROJECT_ID", .apiKey: "API_KEY", .appID: "GOOGLE_APP_ID", .senderID: "GCM_SENDER_ID",
      .storageBucket: "STORAGE_BUCKET",
    ]
    var reader = OptionReader(source: OptionsSource(description: source, names: names))
    self.init(
      projectID: reader.text(object, "PROJECT_ID") ?? "",
      apiKey: reader.text(object, "API_KEY"),
      appID: reader.text(object, "GOOGLE_APP_ID"),
      senderID: reader.text(object, "GCM_SENDER_ID"),
      storageBucket: reader.text(object, "STORAGE_BUCKET")
    )
    try check(reader)
  }

  /// Creates options from the content of a `google-services.json`. Other fields are ignored.
  ///
  /// - Parameters:
  ///   - object: the content.
  ///   - source: the name of the file, for messages.
  ///   - packageName: the package name of the client to use; the first client if `nil`.
  /// - Throws: ``ConfigurationError`` that names every missing or malformed field.
  private init(googleServices object: [String: OptionValue], source: String, packageName: String?) throws {
    let names: [OptionsField: String] = [
      .projectID: "project_info.project_id", .apiKey: "client.api_key.current_key",
      .appID: "client.client_info.mobilesdk_app_id", .senderID: "project_info.project_number",
      .storageBucket: "project_info.storage_bucket",
    ]
    var reader = OptionReader(source: OptionsSource(description: source, names: names))
    let client = try Self.client(object, source: source, packageName: packageName)
    var apiKey: String?
    if case .list(let keys) = client["api_key"], case .object(let first) = keys.first {
      apiKey = reader.text(first, "current_key")
    }
    self.init(
      projectID: reader.text(object, "project_info", "project_id") ?? "",
      apiKey: apiKey,
      appID: reader.text(client, "client_info", "mobilesdk_app_id"),
      senderID: reader.text(object, "project_info", "project_number"),
      storageBucket: reader.text(object, "project_info", "storage_bucket")
    )
    try check(reader)
  }

  /// Returns the client with a package name, or the first one if that is `nil`. The file has one client for
  /// each Android app of the project.
  ///
  /// - Parameters:
  ///   - object: the content of the file.
  ///   - source: the name of the file, for messages.
  ///   - packageName: the package name, for example `org.example.notes`.
  /// - Returns: the fields of the client.
  /// - Throws: ``ConfigurationError`` with the code ``ConfigurationError/Code/missingOption`` if there is no
  ///   such client.
  private static func client(
    _ object: [String: OptionValue],
    source: String,
    packageName: String?
  ) throws -> [String: OptionValue] {
    guard case .list(let list) = object["client"] else {
      throw ConfigurationError(
        .missingOption,
        "client is missing in \(source).",
        repairs: ["Download the file again."]
      )
    }
    let clients = list.compactMap { if case .object(let client) = $0 { client } else { nil } }
    var reader = OptionReader(source: OptionsSource(description: source))
    let packages = clients.map {
      reader.text($0, "client_info", "android_client_info", "package_name") ?? "without a package name"
    }
    let index = packageName.map { packages.firstIndex(of: $0) } ?? clients.indices.first
    guard let index else {
      throw ConfigurationError(
        .missingOption,
        "\(source) has no client \(packageName ?? "at all").",
        repairs: packages.map { "There is the client \($0)." }
      )
    }
    return clients[index]
  }

  /// Validates the options.
  ///
  /// - Parameter reader: the reader of the file, whose problems come first.
  /// - Throws: ``ConfigurationError`` with the problems that the reader found and those of the values.
  private func check(_ reader: OptionReader) throws {
    let problems = reader.problems + problems(in: reader.source)
    guard problems.isEmpty else { throw ConfigurationError(problems) }
  }
}
