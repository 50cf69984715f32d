import Foundation
import TenonTestSupport
import Testing

@testable import TenonCore

@Suite(.limited) struct AppOptionsTests {
  /// Writes a file with options, reads it, and removes it.
  private func read(_ name: String, _ content: String, packageName: String? = nil) throws -> AppOptions {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-options-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appending(path: name)
    try Data(content.utf8).write(to: file)
    return try AppOptions(contentsOfFile: file.path, packageName: packageName)
  }

  private static let plist = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
      <key>API_KEY</key><string>AIzaSyExample</string>
      <key>GOOGLE_APP_ID</key><string>1:1234567890:ios:0a1b2c3d</string>
      <key>GCM_SENDER_ID</key><string>1234567890</string>
      <key>PROJECT_ID</key><string>demo-project</string>
      <key>STORAGE_BUCKET</key><string>demo-project.appspot.com</string>
      <key>IS_ADS_ENABLED</key><false></false>
    </dict></plist>
    """

  private static let googleServices = """
    {"project_info": {"project_number": "1234567890", "project_id": "demo-project",
                      "storage_bucket": "demo-project.appspot.com"},
     "client": [
       {"client_info": {"mobilesdk_app_id": "1:1234567890:android:aa",
                        "android_client_info": {"package_name": "org.example.one"}},
        "api_key": [{"current_key": "key-one"}]},
       {"client_info": {"mobilesdk_app_id": "1:1234567890:android:bb",
                        "android_client_info": {"package_name": "org.example.two"}},
        "api_key": [{"current_key": "key-two"}]}],
     "configuration_version": "1"}
    """

  @Test(arguments: ["", "a\u{0}b"])
  func aDirectoryThatIsEmptyOrHasANULIsRefused(directory: String) {
    for options in [
      AppOptions(projectID: "p", backend: .embedded(directory: directory)),
      AppOptions(projectID: "p", data: .directory(directory)),
    ] {
      let thrown = error(ConfigurationError.self) {
        try App.configure(name: "options-directory", options: options, libraries: [Embedding.self])
      }
      #expect(thrown?.problems.map(\.code) == [.malformedOption])
      // Nothing is created in the root of the file system, to which an empty directory name would lead.
      let context = AppContext(name: "one", options: options, userAgent: "")
      #expect(error(ConfigurationError.self) { try context.directory(for: "l") } != nil)
    }
    #expect(
      error(ConfigurationError.self) {
        try AppOptions(environment: ["TENON_PROJECT_ID": "p", "TENON_BACKEND": "embedded:\(directory)"])
      }?.problems.map(\.code) == [.malformedOption])
    #expect(
      error(ConfigurationError.self) {
        try AppOptions(environment: ["TENON_PROJECT_ID": "p", "TENON_DATA": directory])
      }?.problems.map(\.code) == [.malformedOption])
  }

  @Test func aMalformedAPIKeyIsNotQuoted() {
    let errors = [
      error(ConfigurationError.self) {
        try App.configure(
          name: "options-key", options: AppOptions(projectID: "p", apiKey: "AIza secret"), libraries: [])
      },
      error(ConfigurationError.self) {
        try AppOptions(environment: ["TENON_PROJECT_ID": "p", "TENON_API_KEY": "AIza secret"])
      },
    ]
    for error in errors {
      var text = "\(error as Any) \(error?.localizedDescription ?? "")"
      dump(error, to: &text)
      #expect(text.contains("malformed.") && !text.contains("secret"), "\(text)")
    }
  }

  private enum Embedding: Library {
    static let name = "embedding"
    static let version = SemanticVersion(1, 0, 0)
    static var components: [AnyComponent] { [] }
    static var backends: [AppBackend.Kind] { [.embedded] }
  }

  @Test func aPropertyListIsRead() throws {
    let options = try read("GoogleService-Info.plist", Self.plist)
    #expect(
      options
        == AppOptions(
          projectID: "demo-project",
          apiKey: "AIzaSyExample",
          appID: "1:1234567890:ios:0a1b2c3d",
          senderID: "1234567890",
          storageBucket: "demo-project.appspot.com"
        )
    )
  }

  @Test(arguments: [(nil as String?, "bb", "key-one"), ("org.example.two", "aa", "key-two")])
  func aGoogleServicesFileIsReadForOneClient(packageName: String?, absent: String, key: String) throws {
    let options = try read("google-services.json", Self.googleServices, packageName: packageName)
    #expect(options.apiKey == key)
    #expect(options.appID?.hasSuffix(absent) == false)
    #expect(options.projectID == "demo-project" && options.senderID == "1234567890")
  }

  @Test func anUnknownClientIsReportedWithTheAvailableOnes() {
    let thrown = error(ConfigurationError.self) {
      try read("google-services.json", Self.googleServices, packageName: "org.example.three")
    }
    #expect(thrown?.description.contains("has no client org.example.three") == true)
    #expect(thrown?.description.contains("There is the client org.example.one.") == true)
  }

  @Test func tenonJSONIsRead() throws {
    let options = try read(
      "tenon.json",
      """
      {"projectID": "demo", "apiKey": "k", "libraries": ["tenon-auth"], "data": {"directory": "/tmp/d"},
       "backend": {"emulator": {"auth": "127.0.0.1:9099"}}}
      """
    )
    #expect(
      options
        == AppOptions(
          projectID: "demo",
          apiKey: "k",
          backend: .emulator(EmulatorHosts(auth: "127.0.0.1:9099")),
          data: .directory("/tmp/d"),
          libraries: ["tenon-auth"]
        )
    )
  }

  @Test func tenonJSONNeedsNoProject() throws {
    #expect(try read("tenon.json", #"{"data": "memory"}"#) == AppOptions(data: .memory))
  }

  @Test func theWebConfigurationIsRead() throws {
    let options = try read(
      "firebase.json",
      """
      {"apiKey": "k", "authDomain": "demo.firebaseapp.com", "projectId": "demo", "storageBucket": "demo.appspot.com",
       "messagingSenderId": "42", "appId": "1:42:web:ab"}
      """
    )
    #expect(
      options
        == AppOptions(
          projectID: "demo",
          apiKey: "k",
          appID: "1:42:web:ab",
          senderID: "42",
          storageBucket: "demo.appspot.com"
        )
    )
  }

  @Test(
    arguments: [
      ("tenon.json", #"{"projectID": ""}"#, ["projectID is missing in tenon.json."]),
      ("tenon.json", #"{"projectID": 7}"#, ["projectID in tenon.json is malformed."]),
      (
        "tenon.json", #"{"projectID": "My Project"}"#,
        [#"projectID in tenon.json is malformed: "My Project"."#]
      ),
      ("tenon.json", #"{"projectID": "p", "apiKey": ""}"#, ["apiKey is empty in tenon.json."]),
      (
        "tenon.json", #"{"projectID": "p", "apikey": "x"}"#,
        [#"no option "apikey""#, #"Did you mean "apiKey"?"#]
      ),
      ("tenon.json", #"{"projectID": "p", "appID": "1:x:ios:zz"}"#, ["appID in tenon.json is malformed"]),
      ("tenon.json", #"{"projectID": "p", "senderID": "12a"}"#, ["senderID in tenon.json is malformed"]),
      ("tenon.json", #"{"projectID": "p", "backend": "moon"}"#, ["backend in tenon.json is malformed."]),
      (
        "tenon.json", #"{"projectID": "p", "backend": {"emulator": {"auth": "9099"}}}"#,
        ["backend.emulator.auth in tenon.json is malformed"]
      ),
      (
        "tenon.json", #"{"projectID": "p", "backend": {"embedded": {"directry": "/d"}}}"#,
        [
          #"tenon.json has no option "backend.embedded.directry"."#, #"Did you mean "directory"?"#,
          "These are allowed here: directory.",
        ]
      ),
      (
        "tenon.json", #"{"projectID": "p", "backend": {"emulator": {"atuh": "127.0.0.1:9099"}}}"#,
        [
          #"tenon.json has no option "backend.emulator.atuh"."#, #"Did you mean "auth"?"#,
          "These are allowed here: auth, firestore, functions, storage.",
        ]
      ),
      (
        "tenon.json", #"{"projectID": "p", "backend": {"emulator": "127.0.0.1:9099"}}"#,
        ["backend.emulator in tenon.json is malformed."]
      ),
      (
        "tenon.json", #"{"projectID": "p", "backend": {"emulator": {}}}"#,
        ["backend.emulator in tenon.json is malformed."]
      ),
      ("tenon.json", #"{"projectID": "p", "libraries": [1]}"#, ["libraries in tenon.json is malformed."]),
      ("tenon.json", #"{"projectID": 1e300}"#, ["projectID in tenon.json is malformed"]),
      ("tenon.json", #"{"projectID": -9223372036854775808}"#, ["projectID in tenon.json is malformed"]),
      ("tenon.json", #"{"projectID": 999999999999999999999}"#, ["projectID in tenon.json is malformed"]),
      ("tenon.json", #"[1]"#, ["tenon.json isn't a JSON object."]),
      ("google-services.json", #"{"project_info": {}}"#, ["client is missing in google-services.json."]),
      (
        "google-services.json", #"{"project_info": {"project_id": 3}, "client": [{}]}"#,
        ["project_info.project_id in google-services.json is malformed"]
      ),
      ("a.plist", "<plist><dict></dict></plist>", ["PROJECT_ID is missing in a.plist."]),
      ("a.plist", "not a list", ["a.plist isn't a property list"]),
    ])
  func aMissingOrMalformedFieldIsNamed(file: String, content: String, messages: [String]) {
    let thrown = error(ConfigurationError.self) { try read(file, content) }
    for message in messages {
      #expect(thrown?.description.contains(message) == true, "\(thrown?.description ?? "")")
    }
  }

  @Test(
    arguments: [
      ("tenon.json", String(repeating: "[", count: 100_000), "isn't a JSON object"),
      ("tenon.json", #"{"projectID": "p", "projectID": "q"}"#, "isn't a JSON object"),
      ("tenon.json", #"{"projectID": "p", "senderID": 1e999}"#, "isn't a JSON object"),
      (
        "tenon.json", #"{"projectID": "p"}"# + String(repeating: " ", count: 1 << 20),
        "more than the limit of 1048576"
      ),
      (
        "a.plist", "<plist><dict><key>a</key>" + String(repeating: "<array>", count: 20_000),
        "has more than 512 containers"
      ),
      ("a.plist", "{a=" + String(repeating: "(", count: 20_000), "has more than 512 containers"),
      ("a.plist", "<\0p\0", "isn't in UTF-8"),
      ("a.plist", "bplist00", "has more than 512 containers"),
      ("a.plist", "bplist00" + String(repeating: "a", count: 40), "has more than 512 containers"),
    ])
  func p3AFileBeyondALimitIsRefused(file: String, content: String, message: String) {
    let thrown = error(ConfigurationError.self) { try read(file, content) }
    #expect(thrown?.problems.map(\.code) == [.unreadableFile])
    #expect(thrown?.description.contains(message) == true, "\(thrown?.description ?? "")")
  }

  @Test func aSyntaxErrorInAFileHasItsLineAndColumn() throws {
    let content = """
      {
        "projectID": "p"
        "apiKey": "secret"
      }
      """
    let thrown = try #require(error(ConfigurationError.self) { try read("tenon.json", content) })
    let problem = try #require(thrown.problems.first)
    #expect(problem.code == .unreadableFile)
    #expect(
      problem.message.hasSuffix(
        "/tenon.json isn't a JSON object: at line 3, column 3, a comma or the closing brace of an object is missing."
      ))
    #expect(problem.repairs == ["Correct it there, or download it again."])
    #expect(!thrown.description.contains("secret"))
  }

  @Test func p3NestedValuesOfAFileAreRead() throws {
    let nested = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    let thrown = error(ConfigurationError.self) {
      try read("tenon.json", #"{"projectID": "p", "apiKey": \#(nested)}"#)
    }
    #expect(thrown?.description.contains("apiKey in tenon.json is malformed.") == true)
  }

  @Test func aMissingFileIsNamed() {
    let thrown = error(ConfigurationError.self) { try AppOptions(contentsOfFile: "/nowhere/tenon.json") }
    #expect(thrown?.problems.map(\.code) == [.unreadableFile])
    #expect(
      thrown?.problems.first?.message
        == "/nowhere/tenon.json can't be read: \(String(cString: strerror(ENOENT))).")
  }

  @Test func theEnvironmentIsRead() throws {
    let options = try AppOptions(environment: [
      "GOOGLE_CLOUD_PROJECT": "demo", "TENON_STORAGE_BUCKET": "demo.appspot.com", "TENON_DATA": "memory",
      "FIREBASE_AUTH_EMULATOR_HOST": "localhost:9099", "HOME": "/root",
    ])
    #expect(
      options
        == AppOptions(
          projectID: "demo",
          storageBucket: "demo.appspot.com",
          backend: .emulator(EmulatorHosts(auth: "localhost:9099")),
          data: .memory
        )
    )
  }

  @Test func theVariableOfThisPackageComesBeforeThatOfOthers() throws {
    let variables = ["GOOGLE_CLOUD_PROJECT": "other", "TENON_PROJECT_ID": "demo"]
    #expect(try AppOptions(environment: variables).projectID == "demo")
    #expect(try AppOptions.discovered(environment: variables, in: "/nowhere").projectID == "demo")
    let alone = ["GOOGLE_CLOUD_PROJECT": "other"]
    #expect(try AppOptions.discovered(environment: alone, in: "/nowhere").projectID == "other")
    // An empty text isn't the same as none.
    #expect(throws: ConfigurationError.self) {
      try AppOptions(environment: ["GOOGLE_CLOUD_PROJECT": "other", "TENON_PROJECT_ID": ""])
    }
    let backends = [
      "TENON_PROJECT_ID": "demo", "FIRESTORE_EMULATOR_HOST": "localhost:1", "TENON_BACKEND": "production",
    ]
    #expect(try AppOptions(environment: backends).backend == .production)
  }

  @Test(
    arguments: [
      (["TENON_PROJECT_ID": "p", "TENON_BACKEND": "mars"], "TENON_BACKEND in the environment is malformed."),
      (
        ["TENON_PROJECT_ID": "p", "FIREBASE_AUTH_EMULATOR_HOST": "9099"],
        "FIREBASE_AUTH_EMULATOR_HOST in the environment is malformed"
      ),
      (["TENON_PROJECT_ID": "P!"], "TENON_PROJECT_ID in the environment is malformed"),
      (["TENON_PROJECT_ID": ""], "TENON_PROJECT_ID is missing in the environment."),
    ])
  func aMalformedVariableIsNamed(environment: [String: String], message: String) {
    let thrown = error(ConfigurationError.self) { try AppOptions(environment: environment) }
    #expect(thrown?.description.contains(message) == true, "\(thrown?.description ?? "")")
  }

  /// Writes files to a new directory, and removes it afterwards.
  private func withFiles(_ files: [String: String], _ body: (_ directory: URL) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-discovery-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    for (name, content) in files { try Data(content.utf8).write(to: directory.appending(path: name)) }
    try body(directory)
  }

  private static let file = """
    {
      "projectID": "file", "apiKey": "file", "appID": "1:1:web:f", "senderID": "1", "storageBucket": "file",
      "backend": "production", "data": "memory"
    }
    """

  /// The options of the file, except those that are given.
  private static func options(
    projectID: String = "file", apiKey: String = "file", appID: String = "1:1:web:f", senderID: String = "1",
    storageBucket: String = "file", backend: AppBackend = .production, data: AppData = .memory
  ) -> AppOptions {
    AppOptions(
      projectID: projectID, apiKey: apiKey, appID: appID, senderID: senderID, storageBucket: storageBucket,
      backend: backend, data: data)
  }

  /// Variables, and the options of an app with them and the file.
  private static let precedence: [([String: String], AppOptions)] = [
    ([:], options()),
    (["TENON_PROJECT_ID": "other"], options(projectID: "other")),
    (["GOOGLE_CLOUD_PROJECT": "other"], options(projectID: "other")),
    (["TENON_API_KEY": "other"], options(apiKey: "other")),
    (["TENON_APP_ID": "1:2:web:e"], options(appID: "1:2:web:e")),
    (["TENON_SENDER_ID": "2"], options(senderID: "2")),
    (["TENON_STORAGE_BUCKET": "other"], options(storageBucket: "other")),
    (["TENON_BACKEND": "embedded:/d"], options(backend: .embedded(directory: "/d"))),
    (["FIRESTORE_EMULATOR_HOST": "h:1"], options(backend: .emulator(EmulatorHosts(firestore: "h:1")))),
    (["TENON_DATA": "/d"], options(data: .directory("/d"))),
  ]

  @Test(arguments: precedence)
  func aVariableTakesPrecedenceOverTheFile(environment: [String: String], expected: AppOptions) throws {
    try withFiles(["tenon.json": Self.file]) { directory in
      let options = try AppOptions.discovered(environment: environment, in: directory.path)
      #expect(options == expected)
    }
  }

  @Test func theFileThatAVariableNamesTakesPrecedenceOverThoseOfTheDirectory() throws {
    let google = #"{"project_info": {"project_id": "google"}, "client": []}"#
    try withFiles([
      "tenon.json": #"{"projectID": "first"}"#, "google-services.json": google,
      "other.json": #"{"projectID": "named"}"#,
    ]) { directory in
      let named = ["TENON_CONFIG": directory.appending(path: "other.json").path]
      let options = try [named, [:]].map { try AppOptions.discovered(environment: $0, in: directory.path) }
      #expect(options.map(\.projectID) == ["named", "first"])
    }
  }

  @Test func missingOptionsAreAnErrorThatListsTheirPossibleSources() {
    let thrown = error(ConfigurationError.self) {
      try AppOptions.discovered(environment: [:], in: "/nowhere")
    }
    #expect(thrown?.problems.map(\.code) == [.missingOption])
    for place in ["App.configure(options:", "tenon.json", "TENON_CONFIG", "TENON_PROJECT_ID"] {
      #expect(thrown?.description.contains(place) == true)
    }
  }

  @Test(
    arguments: [
      ("debug", AppLogger.Level.debug), ("ERROR", .error), ("off", nil), (nil, .notice), ("loud", .notice),
    ] as [(String?, AppLogger.Level?)]
  )
  func theLogLevelComesFromItsVariable(name: String?, level: AppLogger.Level?) {
    #expect(AppLogger.lowestLevel(named: name) == level)
  }

  @Test func standardEmulatorHostsAreValid() async throws {
    let options = AppOptions(projectID: "p", backend: .emulator(.standard()))
    #expect(options.problems(in: .code).isEmpty)
    #expect(EmulatorHosts.standard(on: "emulators").auth == "emulators:9099")
  }
}
