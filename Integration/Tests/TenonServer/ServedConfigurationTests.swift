import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// What `tenon-server` reads of `firebase.json` and `.firebaserc`.
@Suite(.limited) struct ServedConfigurationTests {
  @Test func everyEmulatorHasItsPortAndEveryPortServesEverything() async throws {
    let configuration = """
      {
        // The ports are free ones, /* and this is no comment. */
        "emulators": {
          "auth": {"port": 0}, "firestore": {"port": 0, "host": "localhost"}, "storage": {"port": 0},
          "hub": {"port": 0}, "ui": {"enabled": false}
        } /* the end */
      }
      """
    try await Self.withServer([("firebase.json", configuration)]) { line, errors in
      let places = try #require(line["emulators"]?.object)
      #expect(Set(places.keys) == ["auth", "firestore", "storage", "hub"])
      #expect(Set(places.values).count == 4)
      #expect(line["address"] == places["auth"] && line["project"] == "demo-tenon")
      for place in places.values.compactMap(\.string) {
        for path in ["/", "/v1/projects/demo-tenon/databases/(default)/documents/a/b", "/v0/b/bucket/o"] {
          let status = path.contains("/a/b") ? 404 : 200
          #expect(try await Self.status(place, path) == status, "\(place)\(path)")
        }
      }
    }
  }

  @Test func twoEmulatorsCanShareAPortAndTheServerSaysWhatItDoesNotServe() async throws {
    let configuration = """
      {"emulators": {"auth": {"port": 0}, "hub": {"port": 0}, "pubsub": {}, "singleProjectMode": true},
      "functions": {"source": "functions"}, "hosting": {"public": "."}, "firestore": {"indexes": "i.json"}}
      """
    try await Self.withServer([("firebase.json", configuration)]) { _, errors in
      #expect(errors.contains("emulators.pubsub isn't served."))
      #expect(!errors.contains("singleProjectMode"))
      #expect(errors.contains("The source code of functions isn't run"))
    }
  }

  @Test(arguments: [
    (mode: "true", arguments: [], status: 404), ("false", [], 200), ("false", ["--single-project"], 404),
    ("true", ["--any-project"], 200),
  ])
  func documentsOfOtherProjectsAreServedIfTheFileSaysThatThereAreSeveral(
    mode: String, arguments: [String], status: Int
  ) async throws {
    let configuration =
      #"{"emulators": {"auth": {"port": 0}, "hub": {"port": 0}, "singleProjectMode": \#(mode)}}"#
    try await Self.withServer([("firebase.json", configuration)], arguments: arguments) { line, _ in
      let address = try #require(line["address"]?.string)
      let path = "/v1/projects/demo-other/databases/(default)/documents/notes/tea"
      let url = try #require(URL(string: "http://\(address)\(path)"))
      let owner = HTTPHeader(name: "Authorization", value: "Bearer owner")
      let answer = try await SystemTransport.shared.send(
        TransportRequest(.patch, url, headers: HTTPHeaders([owner]), body: .data(Data("{}".utf8))))
      #expect(answer.status == status)
    }
  }

  @Test func optionsPrecedeTheFileAndPathsReferToItsFolder() async throws {
    let files = [
      ("web/firebase.json", #"{"emulators": {"auth": {"port": 1}}, "firestore": {"rules": "f.rules"}}"#),
      ("web/f.rules", Self.rules(allow: "request.auth != null")),
    ]
    let arguments = ["--config", "web/firebase.json", "--port", "0", "--project", "demo-other"]
    try await Self.withServer(files, arguments: arguments) { line, _ in
      #expect(line["emulators"] == nil && line["project"] == "demo-other")
      let address = try #require(line["address"]?.string)
      let path = "/v1/projects/demo-other/databases/(default)/documents/a/b"
      #expect(try await Self.status(address, path) == 403)
    }
  }

  @Test func rulesOfObjectsCanBeAnArrayWithOneFile() async throws {
    let files = [
      (
        "firebase.json",
        #"{"storage": [{"bucket": "a", "rules": "s.rules"}, {"target": "b", "rules": "s.rules"}]}"#
      ),
      (
        "s.rules",
        "service firebase.storage { match /b/{b}/o { match /{p=**} { allow read, write: if false; } } }"
      ),
    ]
    try await Self.withServer(files, arguments: ["--port", "0"]) { line, _ in
      let address = try #require(line["address"]?.string)
      #expect(try await Self.status(address, "/v0/b/bucket/o/x") == 403)
    }
  }

  @Test(arguments: [(nil, "demo-default"), ("staging", "demo-staging"), ("demo-free", "demo-free")])
  func theProjectIsThatOfTheAliases(name: String?, expected: String) async throws {
    let aliases = #"{"projects": {"default": "demo-default", "staging": "demo-staging"}}"#
    let arguments = ["--port", "0"] + (name.map { ["--project", $0] } ?? [])
    try await Self.withServer([(".firebaserc", aliases)], arguments: arguments) { line, _ in
      #expect(line["project"]?.string == expected)
    }
  }

  @Test(
    arguments: [
      ("", #"firebase.json:1:1: This isn't JSON"#),
      (#"{"emulators": {}"#, "firebase.json:1:17: This isn't JSON"),
      ("[]", "firebase.json isn't an object."),
      (#"{"emulators": []}"#, "firebase.json: emulators isn't an object."),
      (#"{"emulators": {"auth": 9099}}"#, #"emulators.auth isn't an object. Write {"port": 9099}."#),
      (#"{"emulators": {"auth": {"port": 65536}}}"#, "firebase.json: emulators.auth.port isn't a port."),
      (#"{"emulators": {"auth": {"port": -1}}}"#, "emulators.auth.port isn't a port."),
      (#"{"emulators": {"auth": {"port": "9099"}}}"#, "emulators.auth.port isn't a port."),
      (#"{"emulators": {"hub": {"port": 1e99}}}"#, "emulators.hub.port isn't a port."),
      (#"{"emulators": {"singleProjectMode": "no"}}"#, "emulators.singleProjectMode isn't a boolean."),
      (
        #"{"emulators": {"storage": {"host": "0.0.0.0"}}}"#,
        "emulators.storage.host is 0.0.0.0, but the server gives every client full access"
      ),
      (#"{"firestore": {"rules": 1}}"#, "firebase.json: firestore.rules isn't text."),
      (
        #"{"firestore": "firestore.rules"}"#,
        #"firestore isn't an object. Write {"rules": "firestore.rules"}."#
      ),
      (#"{"firestore": {"rules": "none"}}"#, "firestore.rules names "),
      (
        #"{"firestore": [{"database": "(default)", "rules": "a"}, {"database": "b"}]}"#,
        "firestore has different rules for several databases"
      ),
      (
        #"{"storage": [{"bucket": "a", "rules": "a"}, {"bucket": "b", "rules": "b"}]}"#,
        "Name it with --storage-rules."
      ),
    ])
  func anErrorNamesTheFileTheMemberAndWhatToDo(configuration: String, expected: String) async throws {
    try await Self.withFolder([("firebase.json", configuration)]) { folder in
      let end = try await Executable("tenon-server").run([], in: folder)
      #expect(end.status == 1 && end.output == "")
      #expect(end.errors.hasPrefix("Error: firebase.json") && end.errors.contains(expected), "\(end.errors)")
    }
  }

  @Test func aMissingConfigurationIsAnError() async throws {
    try await Self.withFolder([(".firebaserc", #"{"projects": {"default": 1}}"#)]) { folder in
      let first = try await Executable("tenon-server").run(["--config", "other.json"], in: folder)
      #expect(first.status == 1 && first.errors.contains("other.json can't be read: No such file"))
      let second = try await Executable("tenon-server").run([], in: folder)
      #expect(second.status == 1 && second.errors.contains(".firebaserc: projects.default isn't text."))
    }
  }

  @Test func aPortOfTheFileInUseNamesTheMember() async throws {
    try await withServedBackend { server in
      let port = try #require(server.address.split(separator: ":").last)
      let configuration = #"{"emulators": {"hub": {"port": 0}, "firestore": {"port": \#(port)}}}"#
      try await Self.withFolder([("firebase.json", configuration)]) { folder in
        let end = try await Executable("tenon-server").run([], in: folder)
        #expect(end.status == 1 && end.output == "")
        let text = "127.0.0.1:\(port) can't be listened on for firestore: Address already in use."
        #expect(end.errors.contains(text))
        #expect(end.errors.contains("change emulators.firestore.port in firebase.json"), "\(end.errors)")
      }
    }
  }

  @Test func onePortAndSeveralExcludeEachOther() async throws {
    let end = try await Executable("tenon-server").run(["--port", "0", "--ports", "default"])
    #expect(end.status == 64 && end.errors.contains("Pass one of them."))
  }

  // MARK: - Servers

  private static func rules(allow condition: String) -> String {
    "service cloud.firestore { match /{p=**} { allow read, write: if \(condition); } }"
  }

  private static func status(_ address: String, _ path: String) async throws -> Int {
    let url = try #require(URL(string: "http://\(address)\(path)"))
    return try await SystemTransport.shared.send(TransportRequest(.get, url)).status
  }

  /// Writes files into a new folder.
  private static func withFolder(
    _ files: [(path: String, text: String)], _ body: (URL) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      for (path, text) in files {
        let file = folder.appending(path: path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
      try await body(folder)
    }
  }

  /// Runs a server in a folder with files. The closure receives the server's line, and what was on standard error
  /// before it.
  private static func withServer(
    _ files: [(path: String, text: String)], arguments: [String] = [],
    _ body: (JSON, String) async throws -> Void
  ) async throws {
    try await withFolder(files) { folder in
      let server = try Executable("tenon-server").start(arguments, in: folder)
      defer { server.signal(SIGKILL) }
      guard let text = await server.output(where: { $0.hasSuffix("\n") }) else {
        Issue.record("\(await server.result().errors)")
        return
      }
      try await body(
        try JSON(parsing: Data(text.utf8)), await server.errors { $0.contains("GCLOUD_PROJECT") } ?? "")
      server.signal(SIGTERM)
      #expect(await server.result().status == 0)
    }
  }
}
