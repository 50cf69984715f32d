import Foundation
import TenonAuth
import TenonCore
import TenonTestSupport
import TenonTransport
import Testing

/// The messages that the server prints for developers.
@Suite(.limited(of: .processes)) struct ServerMailTests {
  @Test func theLinksOfMailsArePrinted() async throws {
    let server = try await ServedBackend(arguments: ["--fast-passwords"])
    try await server.withApp { app in
      let auth = try Auth.auth(app: app)
      let user = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user
      try await user.sendEmailVerification()
      try await auth.sendPasswordReset(withEmail: "ada@example.com")
      try await user.updatePassword(to: "analytical")
    }
    let links = try await server.mails().map(\.oobLink.absoluteString)
    let end = await server.stop()
    let lines = end.errors.split(separator: "\n").map(String.init)
    #expect(
      lines == [
        "To verify the email address ada@example.com, follow this link: \(links[0])",
        "To reset the password of ada@example.com, follow this link: \(links[1])",
      ])
    #expect(links.allSatisfy { $0.hasPrefix("http://\(server.address)/emulator/action?") })
    #expect(end.lines.count == 1)
  }

  @Test func requestsAreLinesOfTheDebugLogWithoutSecrets() async throws {
    let server = try await ServedBackend(environment: ["TENON_LOG": "debug"])
    var token = ""
    try await server.withApp { app in
      let auth = try Auth.auth(app: app)
      token = try await auth.signInAnonymously().user.getIDToken()
      _ = try? await auth.signIn(withEmail: "ada@example.com", password: "the secret of ada")
    }
    let end = await server.stop()
    let lines = end.errors.split(separator: "\n").filter {
      $0.hasPrefix("debug tenon-embedded: POST 127.0.0.1: ")
    }
    #expect(lines.filter { $0.contains(/status 200 after \d+ ms$/) }.count == 2)
    #expect(lines.filter { $0.contains(/status 400 after \d+ ms$/) }.count == 1)
    for secret in [token, "the secret of ada", "key="] { #expect(!end.errors.contains(secret)) }
  }
}
