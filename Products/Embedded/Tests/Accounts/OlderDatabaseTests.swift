import Foundation
import TenonSQLite
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct OlderDatabaseTests {
  /// Creates a database like those of version 0.1, with an account whose record that version wrote.
  private func olderDatabase(in directory: TemporaryDirectory) async throws {
    let own = "\(directory.path)/backend"
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    let connection = try Connection.open("\(own)/backend.sqlite")
    try connection.migrate(Array(EmbeddedSchema.migrations.prefix(1)))
    let hash = try await PasswordHasher().hash("lovelace")
    let record = """
      {"localId":"ada","email":"ada@example.com","emailVerified":false,"passwordHash":"\(hash)",
      "createdAt":1600000000000,"validSince":1600000000,"epoch":0,"disabled":false,"federated":[]}
      """
    try connection.run(
      "INSERT INTO accounts (project, id, email, record) VALUES ('demo', 'ada', 'ada@example.com', ?)",
      [.blob(Data(record.utf8))]
    )
    try connection.run(
      """
      INSERT INTO sessions (project, refresh_token, account, provider, epoch, issued)
      VALUES ('demo', 'kept', 'ada', 'password', 0, 0)
      """
    )
  }

  @Test func anOlderDatabaseCanBeOpened() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    try await olderDatabase(in: directory)
    let backend = Backend(directory: directory.path)
    let signIn: JSON = ["email": "ada@example.com", "password": "lovelace"]
    #expect(try await backend.call("accounts:signInWithPassword", signIn).json["localId"] == "ada")
    #expect(try await backend.refresh("kept").status == 200)
    let send: JSON = ["requestType": "PASSWORD_RESET", "email": "ada@example.com"]
    #expect(try await backend.call("accounts:sendOobCode", send).status == 200)
    #expect(try await backend.embedded.accountCodes().count == 1)
  }

  @Test func codesSurviveARestart() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let first = Backend(directory: directory.path)
    let send: JSON = ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com"]
    _ = try await first.call("accounts:sendOobCode", send)
    let codes = try await first.embedded.accountCodes()
    await first.embedded.close()
    #expect(try await Backend(directory: directory.path).embedded.accountCodes() == codes)
    #expect(codes.count == 1 && !"\(codes)".contains(codes[0].code))
  }
}
