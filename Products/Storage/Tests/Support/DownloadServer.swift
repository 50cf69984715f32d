import TenonFoundation

#if !os(Windows)
  import Foundation
  import TenonCore
  import TenonHashes
  import TenonTestSupport
  import TenonTransport

  @testable import TenonStorage

  /// A server of one object, `gs://bucket/a`, on a port of this machine, with which a test chooses what goes
  /// wrong.
  final class DownloadServer: Sendable {
    /// What goes wrong with a request for the content.
    enum Trouble: Sendable, Hashable {
      /// The connection is closed instead of a response.
      case noResponse
      /// The response ends within its head, after this number of bytes.
      case cutHead(Int)
      /// The body ends after this number of bytes.
      case cutBody(Int)
      /// A status without content.
      case status(Int)
      /// A status with `Retry-After`, in seconds.
      case retryAfter(Int, Int)
      /// The body ends after this number of bytes, and afterwards the object has another content.
      case replaced(Int)
      /// The whole content, whatever was requested.
      case ignoresRange
      /// The part begins elsewhere than requested.
      case shiftsRange
      /// The part has no `Content-Range`.
      case hidesRange
      /// A byte of the content is another one.
      case damage
      /// The stated length is too large by 1, and the connection is closed.
      case tooLong
      /// The stated length is too small by 1.
      case tooShort
      /// The body stops after this number of bytes until the test ends.
      case stops(Int)
    }

    /// What the server does, and what it has received.
    private struct State {
      var content: Data
      var generation = 1
      var troubles: [Trouble]
      var ranges: [String?] = []
    }

    /// The state, which the threads of the connections share.
    private final class Course: Sendable {
      let state: Lock<State>

      init(_ state: State) { self.state = Lock(state) }
    }

    private let course: Course
    private let server: LoopbackServer
    private let gate = ThreadGate()

    /// Starts a server.
    ///
    /// - Parameter troubles: what goes wrong with the first requests, in order.
    init(_ content: Data, _ troubles: [Trouble] = []) throws {
      let course = Course(State(content: content, troubles: troubles))
      self.course = course
      server = try LoopbackServer { [gate] request in Self.steps(request, course, gate) }
    }

    var port: UInt16 { server.port }
    /// The fields `Range` of the requests so far.
    var ranges: [String?] { course.state.withLock { $0.ranges } }
    /// The content at this moment.
    var content: Data { course.state.withLock { $0.content } }

    /// Replaces the object.
    func replace(with content: Data) {
      course.state.withLock { state in
        state.content = content
        state.generation += 1
      }
    }

    func stop() {
      gate.open()
      server.stop()
    }

    /// Returns the object as a client with its own connections sees it. Its clock doesn't wait before further
    /// attempts.
    func object(_ time: TimeSource = .withoutDelays) throws -> StorageReference {
      try Self.object(port: port, time)
    }

    /// Returns the object of the server at a port.
    static func object(port: UInt16, _ time: TimeSource = .withoutDelays) throws -> StorageReference {
      let options = AppOptions(
        projectID: "demo", storageBucket: "bucket",
        backend: .emulator(EmulatorHosts(storage: "127.0.0.1:\(port)")))
      return try StorageInstances(
        app: AppContext(name: "faults", options: options, userAgent: "tests/1"), auth: nil, appCheck: nil,
        transport: SystemTransport(), time: time
      ).storage(bucket: nil).reference(withPath: "a")
    }

    private static func steps(
      _ request: LoopbackServer.Request, _ course: Course, _ gate: ThreadGate
    ) -> [LoopbackServer.Step] {
      let (content, generation, trouble): (Data, Int, Trouble?) = course.state.withLock { state in
        state.ranges.append(request.field("Range"))
        let trouble = state.troubles.isEmpty ? nil : state.troubles.removeFirst()
        let now = (state.content, state.generation, trouble)
        if case .replaced = trouble {
          state.content = Data(state.content.reversed())
          state.generation += 1
        }
        return now
      }
      var digest = ContentDigest()
      digest.update(content)
      var start = 0
      if let range = request.field("Range"), trouble != .ignoresRange,
        let match = range.wholeMatch(of: /bytes=(\d+)-/), let first = Int(match.1)
      {
        start = first
      }
      guard start < content.count || start == 0 else {
        return [.answer(416, ["Content-Range": "bytes */\(content.count)"], "")]
      }
      var body = Data(content[start...])
      var fields = [
        "X-Goog-Generation": "\(generation)", "ETag": "\"\(generation)\"",
        "X-Goog-Hash": "crc32c=\(digest.crc32cHash),md5=\(digest.md5Hash)",
      ]
      let isPart = request.field("Range") != nil && trouble != .ignoresRange
      if isPart, trouble != .hidesRange {
        let shown = trouble == .shiftsRange ? start + 1 : start
        fields["Content-Range"] = "bytes \(shown)-\(content.count - 1)/\(content.count)"
        if trouble == .shiftsRange { body = body.dropFirst() }
      }
      var length = body.count
      switch trouble {
      case .noResponse: return [.hangUp]
      case .status(let status): return [.answer(status, [:], "trouble")]
      case .retryAfter(let status, let seconds):
        return [.answer(status, ["Retry-After": "\(seconds)"], "trouble")]
      case .damage: body[body.startIndex + body.count / 2] ^= 1
      case .tooLong: length += 1
      case .tooShort: length -= 1
      default: break
      }
      let names = fields.map { "\($0.key): \($0.value)\r\n" }.joined()
      let head = Data("HTTP/1.1 \(isPart ? 206 : 200) OK\r\nContent-Length: \(length)\r\n\(names)\r\n".utf8)
      switch trouble {
      case .cutHead(let count): return [.bytes(head.prefix(count)), .hangUp]
      case .cutBody(let count), .replaced(let count): return [.bytes(head + body.prefix(count)), .hangUp]
      case .stops(let count): return [.bytes(head + body.prefix(count)), .wait(gate), .hangUp]
      case .tooLong, .tooShort: return [.bytes(head + body), .hangUp]
      default: return [.bytes(head + body)]
      }
    }
  }

  extension TimeSource {
    /// The system's clock without the delays before further attempts; limits of more than 100 seconds are
    /// waited for.
    static let withoutDelays = TimeSource(
      sleep: { duration in
        guard duration > .seconds(100) else { return }
        try await TimeSource.system.sleep(duration)
      }, random: { 0 })
  }
#endif
