import Foundation
import TenonCore
import TenonTestSupport
import Testing

/// One session that several processes use, in the directory of one embedded backend.
@Suite(.limited) struct SessionProcessTests {
  @Test func processesThatSignInAndOutAtOnceLeaveACompleteSession() async throws {
    try await withTemporaryDirectory { directory in
      let results = try await withThrowingTaskGroup(of: Executable.Result.self) { group in
        for _ in 0..<3 {
          group.addTask { try await Executable("auth-alone").run([directory.path, "5"]) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for result in results { #expect(result.status == 0, "\(result.errors)") }
      let users = try results.map { try Report($0).facts["userID"] }
      let last = try await Executable("auth-alone").run([directory.path])
      let kept = try Report(last).facts["kept"]
      #expect(users.contains(kept), "the last user of one of the processes is signed in")
      let files = try FileManager.default.contentsOfDirectory(atPath: sessionDirectory(directory).path)
      #expect(Set(files) == ["session.json", "session.json.lock"])
    }
  }

  @Test func aProcessThatIsKilledLeavesTheOldSessionOrTheNewOne() async throws {
    try await withTemporaryDirectory { directory in
      for count in [3, 7, 12] {
        let process = try Executable("auth-alone").start([directory.path, "1000000"])
        let isAtWork = await process.errors { $0.contains("round \(count)\n") } != nil
        #expect(isAtWork)
        process.signal(SIGKILL)
        _ = await process.result()
        // The next process reads the session and continues with it.
        let next = try await Executable("auth-alone").run([directory.path, "1"])
        #expect(next.status == 0, "\(next.errors)")
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: sessionDirectory(directory).path)
      #expect(Set(files) == ["session.json", "session.json.lock"])
    }
  }

  @Test func secretsAreWrittenToTheSessionOnly() async throws {
    try await withTemporaryDirectory { directory in
      let result = try await Executable("auth-alone").run(
        [directory.path, "2"], environment: ["TENON_LOG": "debug"])
      try #require(result.status == 0, "\(result.errors)")
      let file = try sessionDirectory(directory).appending(path: "session.json")
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      struct Kept: Decodable {
        struct Tokens: Decodable { var idToken, refreshToken: String }
        var tokens: Tokens
      }
      let tokens = try JSONDecoder().decode(Kept.self, from: Data(contentsOf: file)).tokens
      for secret in [tokens.idToken, tokens.refreshToken, "the secret of ada", "the secret of eve"] {
        #expect(!result.output.contains(secret) && !result.errors.contains(secret))
      }
    }
  }

  private func sessionDirectory(_ directory: URL) throws -> URL {
    let apps = directory.appending(path: "apps")
    let name = try #require(FileManager.default.contentsOfDirectory(atPath: apps.path).first)
    return apps.appending(path: "\(name)/tenon-auth")
  }
}
