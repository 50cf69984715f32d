import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// The web pages that can use `tenon-server`, and the names under which they can.
@Suite(.limited) struct ServerAccessTests {
  private static let signUp = "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=any"

  /// Sends a request as a browser would. Returns its status, and whether a page could read the response.
  private func ask(
    _ server: ServedBackend, _ method: String = "POST", _ path: String = signUp, host: String? = nil,
    fields: [String: String] = [:]
  ) async throws -> (status: Int?, isReadable: Bool) {
    let fields = fields.map { "\($0.key): \($0.value)\r\n" }.joined()
    let answer = try await RawConnection.exchange(
      "\(method) \(path) HTTP/1.1\r\nHost: \(host ?? server.address)\r\n\(fields)Content-Length: 2\r\n"
        + "Connection: close\r\n\r\n{}",
      with: server.address)
    let status = answer.split(separator: " ", maxSplits: 2).dropFirst().first.flatMap { Int($0) }
    return (status, answer.contains("Access-Control-Allow-Origin"))
  }

  /// A page whose name is made to resolve to 127.0.0.1 has the server's own origin for its browser.
  @Test func onlyTheNamesOfThisMachineAreAccepted() async throws {
    try await withServedBackend { server in
      for host in [
        "127.0.0.1:1", "127.0.0.1", "localhost", "LOCALHOST:9099", "app.localhost", "[::1]:80", "127.1.2.3",
      ] {
        let status = try await ask(server, host: host).status
        #expect(status == 200, "\(host)")
      }
      for host in [
        "evil.example", "evil.example:9099", "127.0.0.1.evil.example", "localhost.evil.example", "0.0.0.0",
        "192.168.0.1", "127.0.0.256", "[::2]", "notlocalhost", "localhost.",
      ] {
        let status = try await ask(server, host: host).status
        #expect(status == 403, "\(host)")
      }
      for host in [
        "", "a@127.0.0.1", "127.0.0.1:99999", "127.0.0.1:-1", "127.0.0.1/x", "[::1", "127.0.0.1 x",
      ] {
        let status = try await ask(server, host: host).status
        #expect(status == 400, "\(host)")
      }
    }
  }

  @Test func whereAppCheckIsRequiredRequestsWithoutATokenAreRefusedExceptThoseOfAdministrators() async throws
  {
    try await withServedBackend(arguments: ["--require-app-check"]) { server in
      let project = ServedBackend.project
      for (method, path) in [
        (HTTPMethod.post, "/\(project)/us-central1/whoami"), (.get, "/v0/b/\(project).appspot.com/o"),
        (.get, "/v1/projects/\(project)/databases/(default)/documents/notes"),
      ] {
        let body: JSON? = method == .post ? ["data": .null] : nil
        #expect(try await server.send(method, path, body).status == 401, "\(path)")
        guard method == .get else { continue }
        let owner = try await server.send(method, path, body, headers: ["Authorization": "Bearer owner"])
        #expect(owner.status == 200, "\(path)")
      }
      #expect(try await ask(server).status == 200)
    }
  }

  /// `OPTIONS` for a resource, or for the server as a whole (RFC 9110, section 9.3.7), requires no origin.
  @Test(arguments: [signUp, "/", "/elsewhere", "/emulator/v1/projects/demo/config", "*"])
  func optionsAreSupportedForEveryFormOfTheURL(target: String) async throws {
    try await withServedBackend { server in
      for fields in [
        [:], ["Origin": "http://localhost:3000"], ["Access-Control-Request-Method": "POST"],
        ["Origin": "http://localhost:3000", "Access-Control-Request-Method": "POST"],
      ] {
        let answer = try await ask(server, "OPTIONS", target, fields: fields)
        #expect(answer.status == 204 && answer.isReadable == (fields["Origin"] != nil), "\(target) \(fields)")
      }
    }
  }

  @Test func pagesOfOtherOriginsCanNeitherActNorRead() async throws {
    try await withServedBackend(arguments: ["--allow-origin", "https://app.example.com"]) { server in
      for origin in [
        "https://evil.example", "null", "http://localhost.evil.example", "http://127.0.0.1.evil.example",
        "http://evil.example:9099", "chrome-extension://abc", "file://", "http://localhost@evil.example",
        "https://app.example.com:444", "http://app.example.com", "https://sub.app.example.com", "",
      ] {
        // A form is posted without a preflight.
        let form = try await ask(server, fields: ["Origin": origin, "Content-Type": "text/plain"])
        #expect(form.status == 403 && !form.isReadable, "\(origin)")
        let administrator = try await ask(
          server, "POST",
          "/identitytoolkit.googleapis.com/v1/projects/\(ServedBackend.project)/accounts:query",
          fields: ["Origin": origin, "Authorization": "Bearer owner"])
        #expect(administrator.status == 403 && !administrator.isReadable, "\(origin)")
        let deletion = try await ask(
          server, "DELETE", "/emulator/v1/projects/\(ServedBackend.project)/accounts",
          fields: ["Origin": origin])
        #expect(deletion.status == 403, "\(origin)")
        let preflight = try await ask(
          server, "OPTIONS", Self.signUp, fields: ["Origin": origin, "Access-Control-Request-Method": "POST"])
        #expect(preflight.status == 403 && !preflight.isReadable, "\(origin)")
      }
      // A browser requests embedded resources without an origin.
      let image = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"]
      #expect(try await ask(server, "GET", "/", fields: image).status == 403)
      let referrer = image.merging(["Referer": "https://evil.example/"]) { $1 }
      #expect(try await ask(server, "GET", "/", fields: referrer).status == 403)
      #expect(try await server.mails().isEmpty)
    }
  }

  @Test func pagesOfThisMachineAndOfAllowedOriginsCanSendRequests() async throws {
    try await withServedBackend(arguments: ["--allow-origin", "https://app.example.com"]) { server in
      for origin in [
        "http://localhost:3000", "https://localhost", "http://127.0.0.1:5173", "http://[::1]:8080",
        "http://app.localhost", "https://app.example.com", "HTTPS://APP.example.com",
      ] {
        let answer = try await ask(server, fields: ["Origin": origin, "Authorization": "Bearer owner"])
        #expect(answer.status == 200 && answer.isReadable, "\(origin)")
      }
      let image = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"]
      let referrer = image.merging(["Referer": "http://localhost:3000/page?x"]) { $1 }
      #expect(try await ask(server, "GET", "/", fields: referrer).status == 200)
      // A link in an email is opened from the page of a mailbox.
      let link = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"]
      #expect(try await ask(server, "GET", "/", fields: link).status == 200)
      #expect(try await ask(server, "GET", "/", fields: ["Sec-Fetch-Site": "none"]).status == 200)
    }
  }

  @Test func anAllowedOriginMustBeValid() async throws {
    for origin in ["*", "null", "app.example.com", "https://app.example.com/path", "https://"] {
      let end = try await Executable("tenon-server").run([
        "--port", "0", "--memory", "--allow-origin", origin,
      ])
      #expect(end.status != 0 && end.errors.contains("isn't an origin"), "\(origin)")
    }
  }
}
