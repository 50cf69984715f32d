import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// Exports and imports of `tenon-server` in the form of Firebase's emulator suite.
@Suite(.limited(of: .processes)) struct ServedExportTests {
  private static let documents = "/v1/projects/\(ServedBackend.project)/databases"
  private static let owner = ["Authorization": "Bearer owner"]
  private static let bucket = "\(ServedBackend.project).appspot.com"

  /// Values of every type, in the form of the REST API.
  private static let values: JSON = [
    "null": ["nullValue": .null], "yes": ["booleanValue": true], "no": ["booleanValue": false],
    "small": ["integerValue": "-7"], "large": ["integerValue": "9223372036854775807"],
    "double": ["doubleValue": .double(0.1)], "nan": ["doubleValue": "NaN"],
    "infinite": ["doubleValue": "-Infinity"], "text": ["stringValue": "café \u{1F600}"],
    "empty": ["stringValue": ""], "bytes": ["bytesValue": "AAH/"],
    "time": ["timestampValue": "2024-05-06T07:08:09.123456Z"],
    "old": ["timestampValue": "0001-01-01T00:00:00Z"],
    "point": ["geoPointValue": ["latitude": .double(48.5), "longitude": .double(-9.25)]],
    "list": [
      "arrayValue": [
        "values": [
          ["integerValue": "1"], ["nullValue": .null], ["mapValue": ["fields": ["x": ["stringValue": "y"]]]],
        ]
      ]
    ],
    "none": ["arrayValue": [:]], "nothing": ["mapValue": [:]],
    "map": [
      "mapValue": [
        "fields": [
          "deep": ["mapValue": ["fields": ["list": ["arrayValue": ["values": [["booleanValue": true]]]]]]]
        ]
      ]
    ],
    "a.b": ["integerValue": "1"],
  ]

  /// The fields of documents by their paths: one with all values, others with unusual IDs.
  private static func samples(project: String) -> [(path: String, fields: JSON)] {
    let root = "projects/\(project)/databases/(default)/documents"
    var all = values.object ?? [:]
    all["reference"] = ["referenceValue": .string("\(root)/a/b/c/d")]
    all["elsewhere"] = ["referenceValue": "projects/other/databases/(default)/documents/a/b"]
    all["vector"] = [
      "mapValue": [
        "fields": [
          "__type__": ["stringValue": "__vector__"],
          "value": [
            "arrayValue": ["values": [["doubleValue": .double(1.5)], ["doubleValue": .double(2.25)]]]
          ],
        ]
      ]
    ]
    let one: JSON = ["n": ["integerValue": "1"]]
    let long: JSON = ["s": ["stringValue": .string(String(repeating: "x", count: 100_000))]]
    return [
      ("values/all", .object(all)), ("values/empty", [:]), ("a/b/c/d", one), ("numbers/__id7__", one),
      ("%C3%BC/caf%C3%A9", one), ("large/one", long),
    ] + (0..<20).map { ("many/d\($0)", ["n": ["integerValue": .string("\($0)")]]) }
  }

  /// The JSON with doubles as such, and without members that mean nothing.
  private static func normal(_ json: JSON?) -> JSON {
    switch json {
    case .object(let members)?:
      .object(
        members.reduce(into: [:]) { result, member in
          if member.key == "doubleValue" || ["latitude", "longitude"].contains(member.key),
            case .int(let number) = member.value
          {
            result[member.key] = .double(Double(number))
          } else if member.key != "fields" && member.key != "values"
            || member.value != [:] && member.value != []
          {
            result[member.key] = normal(member.value)
          }
        })
    case .array(let elements)?: .array(elements.map(normal))
    default: json ?? .null
    }
  }

  private func send(
    _ origin: String, _ method: HTTPMethod, _ path: String, _ body: JSON? = nil
  ) async throws -> TransportResponse {
    let headers = [
      HTTPHeader(name: "Authorization", value: "Bearer owner"),
      HTTPHeader(name: "Content-Type", value: "application/json"),
    ]
    let request = TransportRequest(
      method, try #require(URL(string: "\(origin)\(path)")), headers: HTTPHeaders(headers),
      body: try body.map { .data(try $0.serialized) } ?? .none)
    return try await SystemTransport.shared.send(request)
  }

  private func write(_ samples: [(path: String, fields: JSON)], to origin: String, project: String)
    async throws
  {
    for (path, fields) in samples {
      let root = "/v1/projects/\(project)/databases/(default)/documents"
      let answer = try await send(origin, .patch, "\(root)/\(path)", ["fields": fields])
      #expect(answer.status == 200, "\(path): \(String(decoding: answer.body, as: UTF8.self))")
    }
  }

  private func expect(_ samples: [(path: String, fields: JSON)], at origin: String, project: String)
    async throws
  {
    for (path, fields) in samples {
      let root = "/v1/projects/\(project)/databases/(default)/documents"
      let found = try JSON(parsing: try await send(origin, .get, "\(root)/\(path)").body)
      let (expected, got) = (Self.normal(fields), Self.normal(found["fields"] ?? [:]))
      #expect(got == expected, "\(path)")
    }
  }

  private func export(_ server: ServedBackend, to folder: URL) async throws -> TransportResponse {
    try await server.send(.post, "/_admin/export", ["path": .string(folder.path), "initiatedBy": "test"])
  }

  // MARK: - Google's emulator

  @Test(.firestoreEmulator) func whatGooglesEmulatorExportsIsImported() async throws {
    let project = "export-\(UUID().uuidString.lowercased())"
    let samples = Self.samples(project: project)
    let emulator = try await FirestoreEmulator.shared().origin.absoluteString
    try await write(samples, to: emulator, project: project)
    try await withTemporaryDirectory { (folder: URL) async throws in
      let request: JSON = [
        "database": .string("projects/\(project)/databases/(default)"),
        "export_directory": .string(folder.path), "export_name": "firestore_export",
      ]
      #expect(
        try await send(emulator, .post, "/emulator/v1/projects/\(project):export", request).status == 200)
      let list = folder.appending(path: "firestore_export/firestore_export.overall_export_metadata")
      let server = try await ServedBackend(project: project, arguments: ["--import", list.path])
      try await expect(samples, at: "http://\(server.address)", project: project)
      _ = await server.stop()
      // As the suite has it.
      let metadata: JSON = [
        "version": "13.0.0",
        "firestore": [
          "version": "1.19.8", "path": "firestore_export",
          "metadata_file": "firestore_export/firestore_export.overall_export_metadata",
        ],
      ]
      try metadata.serialized.write(to: folder.appending(path: "firebase-export-metadata.json"))
      let other = try await ServedBackend(project: project, arguments: ["--import", folder.path])
      try await expect(samples, at: "http://\(other.address)", project: project)
      _ = await other.stop()
    }
  }

  @Test(.firestoreEmulator) func googlesEmulatorImportsWhatIsExported() async throws {
    let project = ServedBackend.project
    let samples = Self.samples(project: project)
    try await withTemporaryDirectory { (folder: URL) async throws in
      let target = folder.appending(path: "export")
      try await withServedBackend { server in
        try await write(samples, to: "http://\(server.address)", project: project)
        #expect(try await export(server, to: target).status == 200)
      }
      let list = target.appending(path: "firestore_export/firestore_export.overall_export_metadata")
      let emulator = try await FirestoreEmulator(
        arguments: ["--seed_from_export=\(list.path)", "--project_id=\(project)"])
      defer { emulator.kill() }
      try await expect(samples, at: emulator.origin.absoluteString, project: project)
    }
  }

  // MARK: - The whole

  /// Fills a server with documents of two databases, a user and objects.
  private func fill(_ server: ServedBackend) async throws {
    try await write(
      Self.samples(project: ServedBackend.project), to: "http://\(server.address)",
      project: ServedBackend.project)
    let body: JSON = ["fields": ["x": ["integerValue": "1"]]]
    #expect(try await server.send(.patch, "\(Self.documents)/named/documents/a/b", body).status == 200)
    let accounts = "/identitytoolkit.googleapis.com/v1/accounts"
    let user: JSON = [
      "email": "ann@example.com", "password": "secret!", "displayName": "Ann", "returnSecureToken": true,
    ]
    #expect(try await server.send(.post, "\(accounts):signUp?key=any", user).status == 200)
    let upload = "/upload/storage/v1/b/\(Self.bucket)/o?uploadType=media&name=a%2Fb%20c.txt"
    let stored = try await server.send(.post, upload, ["some": "content"], headers: Self.owner)
    #expect(stored.status == 200)
    let metadata: JSON = [
      "metadata": ["k": "v", "firebaseStorageDownloadTokens": "token-1"], "cacheControl": "no-store",
    ]
    let object = "/storage/v1/b/\(Self.bucket)/o/a%2Fb%20c.txt"
    #expect(try await server.send(.patch, object, metadata, headers: Self.owner).status == 200)
  }

  private func expectAll(_ server: ServedBackend) async throws {
    try await expect(
      Self.samples(project: ServedBackend.project), at: "http://\(server.address)",
      project: ServedBackend.project)
    #expect(try await server.send(.get, "\(Self.documents)/named/documents/a/b").status == 200)
    let accounts = "/identitytoolkit.googleapis.com/v1/accounts"
    let credentials: JSON = ["email": "ann@example.com", "password": "secret!", "returnSecureToken": true]
    let signedIn = try await server.send(.post, "\(accounts):signInWithPassword?key=any", credentials)
    #expect(try JSON(parsing: signedIn.body)["displayName"] == "Ann")
    let token = "/v0/b/\(Self.bucket)/o/a%2Fb%20c.txt?alt=media&token=token-1"
    let content = try await server.send(.get, token)
    #expect(
      content.body == Data(#"{"some":"content"}"#.utf8) && content.headers["Cache-Control"] == "no-store")
    let object = try await server.send(
      .get, "/storage/v1/b/\(Self.bucket)/o/a%2Fb%20c.txt", headers: Self.owner)
    #expect(try JSON(parsing: object.body)["metadata"]?["k"] == "v")
  }

  @Test func documentsUsersAndObjectsAreExportedAndImported() async throws {
    try await withTemporaryDirectory { (folder: URL) async throws in
      let target = folder.appending(path: "export")
      try await withServedBackend { server in
        try await fill(server)
        #expect(try await export(server, to: target).status == 200)
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: target.path)
      #expect(
        Set(files) == [
          "firebase-export-metadata.json", "firestore_export", "firestore_databases", "auth_export",
          "storage_export",
        ])
      try await withServedBackend(arguments: ["--import", target.path]) { try await expectAll($0) }
      let data = folder.appending(path: "data")
      try await withServedBackend(directory: data, arguments: ["--import", target.path]) {
        try await expectAll($0)
      }
      try await withServedBackend(directory: data) { try await expectAll($0) }
    }
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func theDataIsExportedAtTheEndIntoTheFolderItCameFrom(signal: Int32) async throws {
    try await withTemporaryDirectory { (folder: URL) async throws in
      let target = folder.appending(path: "seed").path
      // The folder doesn't exist yet.
      let first = try await ServedBackend(arguments: ["--import", target, "--export-on-exit"])
      try await fill(first)
      let end = await first.stop(by: signal)
      #expect(end.status == 0, "\(end.errors)")
      let second = try await ServedBackend(arguments: ["--import", target, "--export-on-exit"])
      try await expectAll(second)
      #expect(try await second.send(.delete, "\(Self.documents)/(default)/documents/a/b/c/d").status == 200)
      _ = await second.stop(by: signal)
      let other = folder.appending(path: "other").path
      let third = try await ServedBackend(arguments: ["--import", target, "--export-on-exit=\(other)"])
      #expect(try await third.send(.get, "\(Self.documents)/(default)/documents/a/b/c/d").status == 404)
      #expect(try await third.send(.get, "\(Self.documents)/(default)/documents/values/all").status == 200)
      _ = await third.stop(by: signal)
      #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) == ["seed", "other"])
    }
  }

  // MARK: - Failures

  @Test func anExportThatFailsLeavesTheLastOne() async throws {
    try await withTemporaryDirectory { (folder: URL) async throws in
      let target = folder.appending(path: "export")
      try await withServedBackend { server in
        try await fill(server)
        #expect(try await export(server, to: target).status == 200)
        let before = try Data(contentsOf: target.appending(path: "firebase-export-metadata.json"))
        let isRoot = geteuid() == 0
        // Where nothing can be created, nothing is changed.
        let locked = folder.appending(path: "locked")
        try FileManager.default.createDirectory(at: locked, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: locked.path)
        if !isRoot { #expect(try await export(server, to: locked.appending(path: "x")).status == 500) }
        #expect(try Data(contentsOf: target.appending(path: "firebase-export-metadata.json")) == before)
        // A folder with other files is never replaced.
        let photos = folder.appending(path: "photos")
        try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: false)
        try Data("photo".utf8).write(to: photos.appending(path: "a.jpg"))
        let answer = try await export(server, to: photos)
        #expect(answer.status == 500)
        #expect(try JSON(parsing: answer.body)["message"]?.string?.contains("isn't an export") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: photos.path) == ["a.jpg"])
        #expect(try await server.send(.post, "/_admin/export", [:]).status == 400)
        // Nor is an export to which something was added, for example by another emulator.
        let added = target.appending(path: "database_export")
        try FileManager.default.createDirectory(at: added, withIntermediateDirectories: false)
        let refusal = try await export(server, to: target)
        #expect(refusal.status == 500)
        #expect(try JSON(parsing: refusal.body)["message"]?.string?.contains("\"database_export\"") == true)
        #expect(FileManager.default.fileExists(atPath: added.path))
      }
      // A program that ended while it replaced the last export: that is moved back.
      let last = folder.appending(path: ".export.last")
      try FileManager.default.moveItem(at: target, to: last)
      try await withServedBackend(arguments: ["--import", target.path]) { _ in }
      #expect(FileManager.default.fileExists(atPath: target.path))
    }
  }

  @Test func damagedFilesAreErrorsThatNameFileAndPlace() async throws {
    try await withTemporaryDirectory { (folder: URL) async throws in
      let target = folder.appending(path: "export")
      try await withServedBackend { server in
        try await fill(server)
        #expect(try await export(server, to: target).status == 200)
      }
      let damages: [(file: String, damage: (inout Data) -> Void, text: String)] = [
        ("firestore_export/all_namespaces/all_kinds/output-0", { $0[2] ^= 1 }, "output-0, byte 0: "),
        ("firestore_export/all_namespaces/all_kinds/output-0", { $0.removeLast(3) }, "output-0, byte "),
        (
          "firestore_export/firestore_export.overall_export_metadata", { $0[0] ^= 1 },
          "overall_export_metadata"
        ),
        ("auth_export/accounts.json", { $0.removeLast(4) }, "accounts.json:"),
        ("storage_export/buckets.json", { $0 = Data("{".utf8) }, "buckets.json:1:"),
        ("firebase-export-metadata.json", { $0 = Data(#"{"auth":{"path":"../x"}}"#.utf8) }, "auth.path"),
      ]
      for (file, damage, text) in damages {
        let url = target.appending(path: file)
        let whole = try Data(contentsOf: url)
        var content = whole
        damage(&content)
        try content.write(to: url)
        let end = try await Executable("tenon-server").run([
          "--port", "0", "--quiet", "--import", target.path,
        ])
        #expect(end.status != 0 && end.errors.contains(text), "\(file): \(end.errors)")
        try whole.write(to: url)
      }
    }
  }

  @Test(arguments: [
    (["--export-on-exit"], "names no folder"), (["--import", "nowhere"], "There is no folder"),
    (["--import", "photos"], "isn't an export"), (["--export-on-exit=photos"], "isn't an export"),
    (["--export-on-exit=."], "runs in this folder"),
  ])
  func whatCannotBeImportedOrExportedIsRefused(arguments: [String], text: String) async throws {
    try await withTemporaryDirectory { (folder: URL) async throws in
      let photos = folder.appending(path: "photos")
      try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: false)
      try Data("photo".utf8).write(to: photos.appending(path: "a.jpg"))
      let server = try Executable("tenon-server").start(
        ["--port", "0", "--quiet", "--memory"] + arguments, in: folder)
      // A server that starts would wait.
      let line = await server.output { $0.hasSuffix("\n") }
      server.signal(SIGKILL)
      let end = await server.result()
      #expect(line == nil && end.errors.contains(text), "\(end.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: photos.path) == ["a.jpg"])
    }
  }
}
