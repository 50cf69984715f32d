import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Damaged files of the backend: it returns either correct data or an error.
///
/// `TENON_BIT_FLIPS` sets the number of bits to change in each kind of file, and `TENON_SEED` selects them.
@Suite(.limited) struct DamageTests {
  /// A file of the backend, and whether the backend was closed before.
  struct File: Sendable, CustomTestStringConvertible {
    let name: String
    let suffix: String

    var testDescription: String { name + suffix }

    static let all = ["documents", "backend"].flatMap { name in
      ["", "-wal", "-walmark"].map { File(name: name, suffix: $0) }
    }
  }

  private static let rooms = StructuredQuery(parent: ResourcePath(segments: []), collectionID: "rooms")

  private func fill(_ backend: Backend) async throws {
    for number in 0..<60 {
      try await backend.embedded.documents().set(
        "rooms/r\(number)", ["n": .init(number), "text": .init(String(repeating: "x", count: number * 9))])
      guard number.isMultiple(of: 3) else { continue }
      let account: JSON = [
        "localId": .string("user\(number)"), "email": .string("user\(number)@example.com"),
      ]
      #expect(try await backend.administrate("accounts", account).status == 200)
      let content = Data((0..<number * 300).map { UInt8(truncatingIfNeeded: $0) })
      let url = "https://firebasestorage.googleapis.com/v0/b/demo/o?name=o\(number)"
      #expect(try await backend.send(.post, url, body: content).status == 200)
    }
  }

  /// Returns all data that can be read of the documents, or of the accounts and objects; `nil` if an error is
  /// reported.
  private func answers(_ backend: Backend, _ name: String) async throws -> [String]? {
    if name == "documents" {
      do {
        let remote = EmbeddedStoreRemote(backend.embedded, auth: nil)
        var documents = try await remote.run(Self.rooms, in: RemoteContext())
        documents += try await remote.fetch(
          (0..<60).map { ResourcePath(segments: ["rooms", "r\($0)"]) }, in: RemoteContext())
        return documents.map { "\($0.path.text) \($0.updateTime) \($0.fields ?? [:])" }
      } catch let error as StoreRemoteError {
        #expect(error.code == .dataLoss, "\(error)")
        #expect(error.message.contains("documents.sqlite"), "\(error)")
        return nil
      }
    }
    let list = "https://identitytoolkit.googleapis.com/v1/projects/demo/accounts:batchGet"
    var urls = [list]
    for number in stride(from: 0, to: 60, by: 3) {
      let object = "https://firebasestorage.googleapis.com/v0/b/demo/o/o\(number)"
      urls += [object, "\(object)?alt=media"]
    }
    var answers: [String] = []
    for url in urls {
      do {
        let answer = try await backend.send(.get, url, headers: ["Authorization": "Bearer owner"])
        guard answer.status == 200 else {
          #expect(answer.status == 500, "\(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
          return nil
        }
        answers.append(answer.body.base64EncodedString())
      } catch is TransportError {
        // The content ended with an error.
        return nil
      }
    }
    return answers
  }

  /// Returns the files of a backend that was used, and the data that it returns.
  private func makeFiles(_ file: File) async throws -> (files: [String: Data], answers: [String]) {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let backend = Backend(directory: directory.path)
    try await fill(backend)
    let right = try #require(try await answers(backend, file.name))
    if file.suffix.isEmpty { await backend.embedded.close() }
    var files: [String: Data] = [:]
    for suffix in ["", "-wal", "-walmark"] {
      let path = "\(directory.path)/backend/\(file.name).sqlite\(suffix)"
      files[suffix] = FileManager.default.contents(atPath: path)
    }
    await backend.embedded.close()
    return (files, right)
  }

  private func answers(_ files: [String: Data], _ file: File) async throws -> [String]? {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let own = "\(directory.path)/backend"
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    for (suffix, bytes) in files {
      try bytes.write(to: URL(filePath: "\(own)/\(file.name).sqlite\(suffix)"))
    }
    let backend = Backend(directory: directory.path)
    let answers = try await answers(backend, file.name)
    await backend.embedded.close()
    return answers
  }

  @Test(arguments: File.all) func aChangedBitIsNeverReturned(file: File) async throws {
    let (files, right) = try await makeFiles(file)
    #expect(try await answers(files, file) == right)
    let bytes = try #require(files[file.suffix])
    var random = SeededGenerator(seed: TestSeeds.first)
    var (reported, wrong) = (0, 0)
    let count = TestSeeds.count("TENON_BIT_FLIPS", DeepTests.count(20, deep: 40))
    for _ in 0..<count {
      let bit = Int.random(in: 0..<bytes.count * 8, using: &random)
      var damaged = files
      damaged[file.suffix]?[bit / 8] ^= 1 << UInt8(bit % 8)
      switch try await answers(damaged, file) {
      case nil: reported += 1
      case right: break
      default:
        wrong += 1
        Issue.record("bit \(bit) of \(file.testDescription), seed \(TestSeeds.first)")
      }
    }
    #expect(file.suffix == "-walmark" || reported > 0)
    if count > 1_000 {
      print(
        "\(file.testDescription): \(count) bits, \(reported) reported, \(count - reported - wrong) right, \(wrong) wrong"
      )
    }
  }

  // MARK: - The remote of Store

  /// Opens documents whose file consists of random bytes.
  private func withNoise(_ body: (EmbeddedStoreRemote, String) async throws -> Void) async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let own = "\(directory.path)/backend"
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    var random = SeededGenerator(seed: 1)
    let noise = Data((0..<50_000).map { _ in UInt8.random(in: 0...255, using: &random) })
    try noise.write(to: URL(filePath: "\(own)/documents.sqlite"))
    let backend = Backend(directory: directory.path)
    try await body(EmbeddedStoreRemote(backend.embedded, auth: nil), "\(own)/documents.sqlite")
    await backend.embedded.close()
    #expect(FileManager.default.contents(atPath: "\(own)/documents.sqlite") == noise)
  }

  @Test func randomBytesAreReportedAsDataLossWithTheFilesName() async throws {
    try await withNoise { remote, path in
      let den = ResourcePath(segments: ["rooms", "den"])
      let batch = RemoteBatch(writes: [DocumentWrite(den, .set(["n": 1]))])
      let calls: [() async throws -> Void] = [
        { _ = try await remote.fetch([den], in: RemoteContext()) },
        { _ = try await remote.run(Self.rooms, in: RemoteContext()) },
        { _ = try await remote.commit(batch, in: RemoteContext()) },
        { _ = try await remote.aggregate(Self.rooms, [.count], in: RemoteContext()) },
        {
          let (requests, _) = AsyncStream<ListenRequest>.makeStream()
          for try await _ in remote.listen(requests, in: RemoteContext()) {}
        },
      ]
      for call in calls {
        let thrown = await #expect(throws: StoreRemoteError.self) { try await call() }
        #expect(thrown?.code == .dataLoss)
        #expect(thrown?.message.contains(path) == true, "\(thrown?.message ?? "")")
      }
    }
  }

  /// Otherwise the failure could be mistaken for a rejection of the first batch.
  @Test func aWriteStreamOverRandomBytesIsNeverOpened() async throws {
    try await withNoise { remote, _ in
      let (batches, sender) = AsyncStream<RemoteBatch>.makeStream()
      sender.yield(RemoteBatch(writes: []))
      var events = 0
      let thrown = await #expect(throws: StoreRemoteError.self) {
        for try await _ in remote.write(batches, token: nil, in: RemoteContext()) { events += 1 }
      }
      #expect(thrown?.code == .dataLoss && events == 0)
    }
  }

  /// If a commit finds damage, the stream ends, the batch isn't rejected, and no further stream can be
  /// opened.
  @Test func damageFoundByACommitIsNotARejectionOfTheBatch() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let path = "\(directory.path)/backend/documents.sqlite"
    let first = Backend(directory: directory.path)
    try await fill(first)
    await first.embedded.close()
    var bytes = try #require(FileManager.default.contents(atPath: path))
    // All pages that contain documents.
    for page in stride(from: 4096, to: bytes.count, by: 4096)
    where bytes[page..<page + 4096].contains(Array(repeating: 0x78, count: 20)) { bytes[page + 2_000] ^= 1 }
    try bytes.write(to: URL(filePath: path))
    let backend = Backend(directory: directory.path)
    let remote = EmbeddedStoreRemote(backend.embedded, auth: nil)
    let (batches, sender) = AsyncStream<RemoteBatch>.makeStream()
    let room = ResourcePath(segments: ["rooms", "r59"])
    sender.yield(RemoteBatch(writes: [DocumentWrite(room, .update(["n": 1], mask: ["n"]))]))
    var events = 0
    let lost = await #expect(throws: StoreRemoteError.self) {
      for try await _ in remote.write(batches, token: nil, in: RemoteContext()) { events += 1 }
    }
    #expect(lost?.code == .unavailable && events == 1)
    let (others, _) = AsyncStream<RemoteBatch>.makeStream()
    let refused = await #expect(throws: StoreRemoteError.self) {
      for try await _ in remote.write(others, token: nil, in: RemoteContext()) { events += 1 }
    }
    #expect(refused?.code == .dataLoss && events == 1)
    await backend.embedded.close()
  }

  // MARK: - Versions

  @Test(arguments: [-1, 0, 1_000, Int(Int32.max), Int(Int32.min)], ["documents", "backend"])
  func anInvalidSchemaVersionIsAnErrorThatNamesTheFile(version: Int, name: String) async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let first = Backend(directory: directory.path)
    try await fill(first)
    await first.embedded.close()
    let path = "\(directory.path)/backend/\(name).sqlite"
    try Connection.open(path).execute("PRAGMA user_version = \(version)")
    let backend = Backend(directory: directory.path)
    if name == "documents" {
      let remote = EmbeddedStoreRemote(backend.embedded, auth: nil)
      let thrown = await #expect(throws: StoreRemoteError.self) {
        try await remote.run(Self.rooms, in: RemoteContext())
      }
      #expect(thrown?.code == (version > 0 ? .failedPrecondition : .dataLoss))
      #expect(thrown?.message.contains(path) == true, "\(thrown?.message ?? "")")
    } else {
      let answer = try await backend.administrate("accounts", ["localId": "ada"])
      #expect(answer.status == 500)
      #expect(answer.json.errorMessage?.contains(path) == true, "\(answer.json)")
    }
    await backend.embedded.close()
  }

  // MARK: - Numbers

  /// Numbers in records whose checksums are right, so that only their values are impossible.
  @Test(arguments: [Int64.min, -5, -1, 1 << 62, .max])
  func anyNumberInADatabaseIsReadOrReported(number: Int64) async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let first = Backend(directory: directory.path)
    try await fill(first)
    #expect(
      try await first.call("accounts:signUp", ["email": "ada@example.com", "password": "secret"]).status
        == 200)
    let mail: JSON = ["requestType": "PASSWORD_RESET", "email": "ada@example.com"]
    #expect(try await first.call("accounts:sendOobCode", mail).status == 200)
    let code = try #require(try await first.embedded.accountCodes().first?.code)
    await first.embedded.close()
    let documents = try Connection.open("\(directory.path)/backend/documents.sqlite")
    try documents.execute(
      "UPDATE databases SET moment = \(number), horizon = \(number), change_bytes = \(number)")
    try documents.execute("UPDATE documents SET created = \(number), updated = \(number)")
    let records = try Connection.open("\(directory.path)/backend/backend.sqlite")
    for (table, members) in [
      ("objects", ["generation", "metageneration", "size", "timeCreated", "updated"]),
      ("accounts", ["epoch", "createdAt", "lastLoginAt", "validSince", "passwordUpdatedAt"]),
      ("codes", ["issued"]),
    ] {
      let changes = members.map { "'$.\($0)', \(number)" }.joined(separator: ", ")
      try records.execute(
        "UPDATE \(table) SET record = CAST(json_set(CAST(record AS TEXT), \(changes)) AS BLOB)")
    }
    let backend = Backend(directory: directory.path)
    backend.embedded.settings.codeLifetime = .seconds(60)
    let reset: JSON = ["oobCode": .string(code), "newPassword": "another"]
    _ = try await backend.call("accounts:resetPassword", reset)
    let login: JSON = ["email": "ada@example.com", "password": "secret"]
    _ = try await backend.call("accounts:signInWithPassword", login)
    let list = try await backend.send(
      .get, "https://identitytoolkit.googleapis.com/v1/projects/demo/accounts:batchGet",
      headers: ["Authorization": "Bearer owner"])
    #expect(list.status == 200)
    let object = "https://firebasestorage.googleapis.com/v0/b/demo/o"
    let owner = ["Authorization": "Bearer owner"]
    for (method, url) in [
      (HTTPMethod.get, "\(object)/o3"), (.get, "\(object)/o3?alt=media"), (.patch, "\(object)/o3"),
      (.post, "\(object)?name=o3"), (.delete, "\(object)/o6"),
    ] {
      do {
        let body = Data((method == .patch ? "{}" : "new").utf8)
        let answer = try await backend.send(method, url, body: method == .get ? nil : body, headers: owner)
        #expect(
          number >= 0 ? answer.status < 300 : answer.status < 300 || answer.status == 500, "\(method) \(url)")
      } catch is TransportError {
        // The content is shorter than its record says.
      }
    }
    let remote = EmbeddedStoreRemote(backend.embedded, auth: nil)
    do {
      _ = try await remote.run(Self.rooms, in: RemoteContext())
      let room = ResourcePath(segments: ["rooms", "r1"])
      let batch = RemoteBatch(writes: [DocumentWrite(room, .set(["n": 1]))])
      for _ in 0..<2 { _ = try await remote.commit(batch, in: RemoteContext()) }
    } catch let error as StoreRemoteError {
      #expect(error.code == .dataLoss, "\(error)")
    }
    await backend.embedded.close()
  }
}
