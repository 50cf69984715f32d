import TenonBasics

extension AppOptions {
  /// Creates options from environment variables.
  ///
  /// | Variable | Option |
  /// | --- | --- |
  /// | `TENON_PROJECT_ID`, or else `GOOGLE_CLOUD_PROJECT` | ``projectID`` |
  /// | `TENON_API_KEY` | ``apiKey`` |
  /// | `TENON_APP_ID` | ``appID`` |
  /// | `TENON_SENDER_ID` | ``senderID`` |
  /// | `TENON_STORAGE_BUCKET` | ``storageBucket`` |
  /// | `TENON_BACKEND` | ``backend``: `production`, `embedded` or `embedded:DIRECTORY` |
  /// | `TENON_DATA` | ``data``: `automatic`, `memory` or a directory |
  ///
  /// The variables of Firebase's emulators (`FIREBASE_AUTH_EMULATOR_HOST`, `FIREBASE_STORAGE_EMULATOR_HOST`,
  /// `FUNCTIONS_EMULATOR_HOST`, `FIRESTORE_EMULATOR_HOST`), each `host:port`, select the emulators, unless
  /// `TENON_BACKEND` is set.
  ///
  /// Other variables are ignored. A variable that is set to an empty text isn't the same as one that isn't
  /// set: it is an error, unless another one takes precedence. The variables are read once; later changes
  /// have no effect.
  ///
  /// ```swift
  /// let options = try AppOptions(environment: ["TENON_PROJECT_ID": "demo", "TENON_DATA": "memory"])
  /// ```
  ///
  /// - Parameter environment: the variables; those of the process if `nil`.
  /// - Throws: ``ConfigurationError`` that names every malformed variable.
  public init(environment: [String: String]? = nil) throws {
    var options = AppOptions(projectID: nil)
    try options.overlay(environment ?? ProcessInfo.processInfo.environment)
    self = options
  }

  /// Returns the options of an app that is configured without any.
  ///
  /// They come from the file that `TENON_CONFIG` names, or else from `tenon.json`, `google-services.json` or
  /// `GoogleService-Info.plist` in a directory; the variables of ``init(environment:)`` take precedence over
  /// the file. A file isn't required.
  ///
  /// - Parameters:
  ///   - environment: the variables; those of the process if `nil`.
  ///   - directory: where to look for a file; the current directory by default.
  /// - Returns: the options. Those that neither the file nor a variable sets have their defaults.
  /// - Throws: ``ConfigurationError`` that names every missing or malformed field; with the code
  ///   ``ConfigurationError/Code/missingOption`` if there is neither a file nor a variable with the project's
  ///   ID, and ``ConfigurationError/Code/unreadableFile`` if the file can't be read.
  public static func discovered(
    environment: [String: String]? = nil,
    in directory: String = "."
  ) throws -> AppOptions {
    guard let options = try available(environment: environment, in: directory).discovered else {
      throw ConfigurationError(
        .missingOption,
        "There are no options for the app.",
        repairs: [
          "Pass them: App.configure(options: AppOptions(projectID: \"my-project\")).",
          "Write a tenon.json with {\"projectID\": \"my-project\"} beside the program, or name a file in TENON_CONFIG.",
          "Set TENON_PROJECT_ID.",
        ]
      )
    }
    return options
  }

  /// Returns the options of ``discovered(environment:in:)``, or those that the variables set if there is
  /// neither a file nor a project.
  ///
  /// - Parameters:
  ///   - environment: the variables; those of the process if `nil`.
  ///   - directory: where to look for a file; the current directory by default.
  /// - Returns: the options, and the same ones again if there is a file or a variable with the project's ID.
  /// - Throws: ``ConfigurationError`` that names every malformed field, or with the code
  ///   ``ConfigurationError/Code/unreadableFile``.
  static func available(
    environment: [String: String]? = nil, in directory: String = "."
  ) throws -> (all: AppOptions, discovered: AppOptions?) {
    let environment = environment ?? ProcessInfo.processInfo.environment
    let candidates = ["tenon.json", "google-services.json", "GoogleService-Info.plist"].map {
      "\(directory)/\($0)"
    }
    let file = environment["TENON_CONFIG"] ?? candidates.first { FileManager.default.fileExists(atPath: $0) }
    var options = try file.map { try AppOptions(contentsOfFile: $0) } ?? AppOptions(projectID: nil)
    try options.overlay(environment)
    let isDiscovered = file != nil || environment.keys.contains(where: projectVariables.contains)
    return (options, isDiscovered ? options : nil)
  }

  /// The variables with the project's ID, by precedence.
  private static let projectVariables = ["TENON_PROJECT_ID", "GOOGLE_CLOUD_PROJECT"]

  /// Sets the options whose variables are set. Everything else is unchanged.
  ///
  /// - Parameter environment: the variables.
  /// - Throws: ``ConfigurationError`` with every problem of the result.
  private mutating func overlay(_ environment: [String: String]) throws {
    let names: [OptionsField: String] = [
      .projectID: "TENON_PROJECT_ID", .apiKey: "TENON_API_KEY", .appID: "TENON_APP_ID",
      .senderID: "TENON_SENDER_ID", .storageBucket: "TENON_STORAGE_BUCKET",
      .authEmulator: "FIREBASE_AUTH_EMULATOR_HOST",
      .functionsEmulator: "FUNCTIONS_EMULATOR_HOST", .storageEmulator: "FIREBASE_STORAGE_EMULATOR_HOST",
      .firestoreEmulator: "FIRESTORE_EMULATOR_HOST",
      .embeddedDirectory: "TENON_BACKEND", .dataDirectory: "TENON_DATA",
    ]
    let source = OptionsSource(description: "the environment", names: names)
    var reader = OptionReader(source: source)
    let project = Self.projectVariables.compactMap { environment[$0] }.first
    if let project { projectID = project }
    apiKey = environment["TENON_API_KEY"] ?? apiKey
    appID = environment["TENON_APP_ID"] ?? appID
    senderID = environment["TENON_SENDER_ID"] ?? senderID
    storageBucket = environment["TENON_STORAGE_BUCKET"] ?? storageBucket
    let hosts = EmulatorHosts(
      auth: environment["FIREBASE_AUTH_EMULATOR_HOST"],
      functions: environment["FUNCTIONS_EMULATOR_HOST"],
      storage: environment["FIREBASE_STORAGE_EMULATOR_HOST"],
      firestore: environment["FIRESTORE_EMULATOR_HOST"]
    )
    if hosts != EmulatorHosts() { backend = .emulator(hosts) }
    switch environment["TENON_BACKEND"] {
    case nil: break
    case "production": backend = .production
    case "embedded": backend = .embedded(directory: nil)
    case let text? where text.hasPrefix("embedded:"):
      backend = .embedded(directory: String(text.dropFirst(9)))
    default: reader.malformed("TENON_BACKEND", "Write production, embedded or embedded:DIRECTORY.")
    }
    switch environment["TENON_DATA"] {
    case nil: break
    case "automatic": data = .automatic
    case "memory": data = .memory
    case let directory?: data = .directory(directory)
    }
    let problems = reader.problems + problems(in: source)
    guard problems.isEmpty else { throw ConfigurationError(problems) }
  }
}
