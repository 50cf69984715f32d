import Foundation
import TenonProcesses
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// What `tenon-server` tells people on standard error.
@Suite(.limited) struct ServedOutputTests {
  @Test func theVariablesOfClientsArePrinted() async throws {
    // The server of another test with the same project would be mentioned.
    let server = try await ServedBackend(project: "demo-variables", isQuiet: false)
    let end = await server.stop()
    #expect(
      end.errors == """
        The data is in memory. Look into it: \(server.page)
        export FIREBASE_AUTH_EMULATOR_HOST=\(server.address)
        export FIRESTORE_EMULATOR_HOST=\(server.address)
        export FIREBASE_STORAGE_EMULATOR_HOST=\(server.address)
        export STORAGE_EMULATOR_HOST=http://\(server.address)
        export FIREBASE_EMULATOR_HUB=\(server.address)
        export GCLOUD_PROJECT=demo-variables

        """)
    #expect(end.lines.count == 1)
  }

  @Test func everyRequestHasALineWithoutItsQuery() async throws {
    let server = try await ServedBackend(isQuiet: false)
    let signUp = "/identitytoolkit.googleapis.com/v1/accounts:signUp"
    #expect(try await server.send(.post, "\(signUp)?key=secret", [:]).status == 200)
    #expect(try await server.send(.get, "/elsewhere?token=secret").status == 404)
    #expect(try await server.send(.get, "/", headers: ["Origin": "https://evil.example"]).status == 403)
    #expect(try await server.send(.options, "/any").status == 204)
    _ = try await server.send(.get, "/v1/" + String(repeating: "a", count: 1_000))
    _ = await server.process.errors { $0.contains("… 404 ") }
    let lines = await server.stop().errors.split(separator: "\n").drop { !$0.hasPrefix("POST") }
    let expected = [
      "POST \(signUp) 200", "GET /elsewhere 404", "GET / 403", "OPTIONS /any 204",
      "GET /v1/" + String(repeating: "a", count: 396) + "… 404",
    ]
    let requests = lines.map { String($0.replacing(/[ ]\d+ ms$/, with: "")) }
    #expect(requests == expected)
    #expect(lines.allSatisfy { $0.contains(/[ ]\d+ ms$/) })
  }

  @Test func aDamagedRequestHasALine() async throws {
    let server = try await ServedBackend(isQuiet: false)
    let answer = try await RawConnection.exchange(
      "GET\u{1B}[2J / HTTP/1.1\r\n\r\n", with: server.address)
    #expect(answer.hasPrefix("HTTP/1.1 400"))
    let errors = await server.process.errors { $0.contains("a damaged request 400 ") }
    #expect(errors?.contains("\u{1B}") == false)
    _ = await server.stop()
  }

  @Test func aCallOfGRPCHasALineWithItsStatus() async throws {
    let server = try await ServedBackend(isQuiet: false)
    let path = "/google.firestore.v1.Firestore/Unknown"
    let fields = HTTP2Bytes.fields([
      ":method": "POST", ":scheme": "http", ":path": path, ":authority": server.address,
      "content-type": "application/grpc", "te": "trailers",
    ])
    let connection = try RawConnection(server.address)
    try await connection.send(
      HTTP2Bytes.opening + HTTP2Bytes.frame(.headers, flags: 5, stream: 1, fields))
    _ = await connection.receive { data in
      HTTP2Bytes.frames(data).contains { $0.kind == HTTP2Bytes.Kind.headers.rawValue }
    }
    #expect(await server.process.errors { $0.contains("POST \(path) UNIMPLEMENTED ") } != nil)
    _ = await server.stop()
  }

  @Test func aQuietServerPrintsNothing() async throws {
    let server = try await ServedBackend()
    #expect(try await server.send(.get, "/").status == 200)
    #expect(await server.stop().errors == "")
  }

  /// A pipe is full after 64 KiB.
  @Test func theServerDoesNotWaitForTheReaderOfStandardError() async throws {
    let process = Process()
    process.executableURL = Executable("tenon-server").url
    process.arguments = ["--port", "0", "--memory", "--until-input-ends"]
    let (input, output, errors) = (Pipe.exclusive, Pipe.exclusive, Pipe.exclusive)
    (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
    try process.start()
    defer { process.terminate() }
    let line = output.fileHandleForReading.availableData
    let address = try #require(try JSON(parsing: line)["address"]?.string)
    let url = try #require(URL(string: "http://\(address)/v1/" + String(repeating: "a", count: 400)))
    for _ in 0..<300 {
      #expect(try await SystemTransport.shared.send(TransportRequest(.get, url)).status == 404)
    }
    try input.fileHandleForWriting.close()
    // The end of the process.
    #expect(output.fileHandleForReading.readDataToEndOfFile().isEmpty)
    withExtendedLifetime(errors) {}
  }
}
