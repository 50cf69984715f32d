import Foundation
import TenonCore
import TenonEmbedded
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// Random requests that are derived from the backend's API: every one of them must get a response, which may
/// be a rejection.
///
/// `TENON_FUZZ_SECONDS` sets the duration, and `TENON_FUZZ_SEED` repeats a run.
@Suite(.limited) struct BackendFuzzTests {
  /// A request whose response violates a rule.
  private struct Finding: Error, CustomStringConvertible {
    let description: String

    init(_ what: String, _ request: TransportRequest, seed: UInt64, step: Int) {
      var body = ""
      if case .data(let data) = request.body { body = String(decoding: data.prefix(2_000), as: UTF8.self) }
      description = """
        seed \(seed), step \(step): \(what)
        \(request.method.rawValue) \(request.url.absoluteString.prefix(2_000))
        \(request.headers.fields.map { "\($0.name): \($0.value.prefix(200))" }.joined(separator: "\n"))
        \(body)
        """
    }
  }

  /// Status 501 means that a feature isn't supported. Any other status of 500 or above is a defect.
  private func check(_ response: TransportResponse) -> String? {
    guard response.status < 500 || response.status == 501, response.status >= 200 else {
      return "status \(response.status): \(response.excerpt)"
    }
    guard response.headers.fields.allSatisfy(\.isValid) else { return "an invalid field" }
    if response.headers["Content-Type"]?.hasPrefix("application/json") == true,
      response.headers["ETag"] == nil,
      response.status != 204, !response.body.isEmpty, (try? JSON(parsing: response.body)) == nil
    {
      return "no JSON: \(response.excerpt)"
    }
    return nil
  }

  @Test func theBackendRespondsToEveryRequest() async throws {
    let seed = FuzzSettings.seed
    print("BackendFuzzTests: TENON_FUZZ_SEED=\(seed)")
    let app = try App.configure(
      name: "fuzz-\(seed)",
      options: AppOptions(
        projectID: ServedBackend.project, backend: .embedded(directory: nil), libraries: ["tenon-embedded"]))
    let embedded = try Embedded.embedded(app: app)
    embedded.onCall("echo") { (request: CallableRequest<[String: String]>) in request.data }
    embedded.onCall("whoami", consumesAppCheckToken: true) { (request: CallableRequest<String?>) in
      request.auth?.uid
    }
    var fuzzer = RequestFuzzer(seed: seed, origin: "http://127.0.0.1:9099", project: ServedBackend.project)
    let end = ContinuousClock.now + FuzzSettings.duration
    var step = 0
    var statuses: [Int: Int] = [:]
    // At least as many as it takes to meet the usual responses, however slow the machine is.
    while ContinuousClock.now < end || step < 1_000 {
      step += 1
      if step.isMultiple(of: 500) {
        embedded.settings.objectsRequireSignIn.toggle()
        embedded.settings.appCheckRequired = step.isMultiple(of: 1_500) ? [.functions] : []
      }
      let request = try fuzzer.request()
      do {
        let response = try await embedded.send(request)
        statuses[response.status, default: 0] += 1
        if let problem = check(response) { throw Finding(problem, request, seed: seed, step: step) }
        fuzzer.learn(response)
      } catch let error as TransportError {
        throw Finding("\(error.code.rawValue): \(error.message)", request, seed: seed, step: step)
      }
    }
    await app.delete()
    print(
      "BackendFuzzTests: \(step) requests; \(statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })"
    )
    #expect(statuses.keys.contains(200) && statuses.keys.contains(400) && statuses.keys.contains(404))
  }

  @Test func theServerRespondsToEveryRequestWithoutGrowing() async throws {
    let seed = FuzzSettings.seed &+ 1
    print("BackendFuzzTests: server, TENON_FUZZ_SEED=\(seed &- 1)")
    try await withTemporaryDirectory { directory in
      // On disk, so that stored data isn't mistaken for leaked memory.
      try await withServedBackend(directory: directory) { server in
        var fuzzer = RequestFuzzer(
          seed: seed, origin: "http://\(server.address)", project: ServedBackend.project)
        let transport = SystemTransport()
        let start = ContinuousClock.now
        var step = 0
        var memory: Int?
        while ContinuousClock.now < start + FuzzSettings.duration {
          step += 1
          let request = try fuzzer.request()
          // The transport would follow the link of an email to any server.
          if fuzzer.chance(20) || request.url.path().hasSuffix("/emulator/action") {
            try await send(broken(request, &fuzzer), to: server, request, seed: seed, step: step)
            continue
          }
          do {
            let response = try await transport.send(request)
            if let problem = check(response) { throw Finding(problem, request, seed: seed, step: step) }
            fuzzer.learn(response)
          } catch let error as TransportError where error.code == .invalidResponse {
            // The fuzzer sets a Content-Encoding that the bytes of objects don't have.
            guard try await isCoded(request, at: server) else {
              throw Finding("\(error.code.rawValue): \(error.message)", request, seed: seed, step: step)
            }
          } catch let error as TransportError where error.code != .invalidRequest {
            throw Finding("\(error.code.rawValue): \(error.message)", request, seed: seed, step: step)
          } catch is TransportError {}
          // Caches are filled first.
          if memory == nil, ContinuousClock.now > start + FuzzSettings.duration / 4 {
            memory = residentKilobytes(server)
          }
        }
        let growth = (residentKilobytes(server) ?? 0) - (memory ?? 0)
        print(
          "BackendFuzzTests: server, \(step) requests, \(growth) KiB more than after a quarter of the time")
        #expect(growth < 64 << 10)
        #expect(try await server.send(.get, "/").status == 200)
      }
    }
  }

  /// Returns whether the response with an object is complete and names a coding of its content.
  private func isCoded(_ request: TransportRequest, at server: ServedBackend) async throws -> Bool {
    let path = request.url.absoluteString.dropFirst("http://\(server.address)".count)
    let fields = request.headers.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    let head =
      "\(request.method.rawValue) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(fields)\r\n"
    let connection = try RawConnection(server.address)
    try await connection.send(Data(head.utf8))
    let answer = await connection.receive()
    guard let end = answer.firstRange(of: Data("\r\n\r\n".utf8)) else { return false }
    let lines = String(decoding: answer[..<end.lowerBound], as: UTF8.self).lowercased().split(
      separator: "\r\n")
    let length = lines.first { $0.hasPrefix("content-length: ") }?.split(separator: " ").last.flatMap {
      Int($0)
    }
    return lines.first?.hasPrefix("http/1.1 20") == true && length == answer.count - end.upperBound
      && lines.contains { $0.hasPrefix("content-encoding: ") }
  }

  /// Returns the bytes of a request, with damage that none of our transports would send.
  private func broken(_ request: TransportRequest, _ fuzzer: inout RequestFuzzer) -> Data {
    var body = Data()
    if case .data(let data) = request.body { body = data }
    var fields = request.headers.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    fields += "Host: \(fuzzer.chance(90) ? "localhost" : fuzzer.value("text"))\r\n"
    if fuzzer.chance(10) { fields += "Origin: \(fuzzer.value("uri"))\r\n" }
    if fuzzer.chance(10) { fields += "X-Any: \(fuzzer.value("text"))\r\n" }
    let isChunked = fuzzer.chance(30)
    if isChunked {
      fields += "Transfer-Encoding: chunked\r\n"
      let size = fuzzer.chance(80) ? String(body.count, radix: 16) : fuzzer.value("number")
      body = Data("\(size)\r\n".utf8) + body + Data("\r\n0\r\n\r\n".utf8)
    } else {
      fields += "Content-Length: \(fuzzer.chance(80) ? String(body.count) : fuzzer.value("number"))\r\n"
    }
    let path = request.url.absoluteString.dropFirst(fuzzer.origin.count)
    let version =
      fuzzer.chance(95) ? "HTTP/1.1" : fuzzer.pick(["HTTP/1.0", "HTTP/2", "HTTP/", "", fuzzer.value("text")])
    var bytes = Data("\(request.method.rawValue) \(path) \(version)\r\n\(fields)\r\n".utf8) + body
    if fuzzer.chance(30) {
      let index = Int.random(in: bytes.indices, using: &fuzzer.random)
      switch Int.random(in: 0..<3, using: &fuzzer.random) {
      case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &fuzzer.random)
      case 1: bytes = bytes.prefix(index)
      default: bytes.insert(contentsOf: [0x0D, 0x0A], at: index)
      }
    }
    return bytes
  }

  /// Sends bytes and ends the sending side. The server must respond or close the connection, without an
  /// internal error.
  private func send(
    _ bytes: Data, to server: ServedBackend, _ request: TransportRequest, seed: UInt64, step: Int
  ) async throws {
    let connection = try RawConnection(server.address)
    do { try await connection.send(bytes) } catch is RawConnection.Failure {}
    await connection.finish()
    let began = ContinuousClock.now
    let answer = await connection.receive(timeout: .seconds(120))
    let head = String(decoding: answer.prefix(200), as: UTF8.self)
    let isFine =
      answer.isEmpty || ["2", "3", "4", "1", "501", "505"].contains { head.hasPrefix("HTTP/1.1 \($0)") }
    guard isFine, ContinuousClock.now - began < .seconds(119) else {
      throw Finding(
        "\(head)\nafter \(String(decoding: bytes.prefix(2_000), as: UTF8.self).debugDescription)", request,
        seed: seed,
        step: step)
    }
  }

  private func residentKilobytes(_ server: ServedBackend) -> Int? {
    let status = try? String(contentsOfFile: "/proc/\(server.process.processID)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
  }
}
