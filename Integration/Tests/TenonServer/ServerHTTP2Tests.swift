import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// HTTP/2 on the port of `tenon-server`, by clients that send what they like.
@Suite(.limited) struct ServerHTTP2Tests {
  private typealias H2 = HTTP2Bytes

  private func isServing(_ server: ServedBackend) async -> Bool {
    let answer = try? await RawConnection.exchange(
      "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", with: server.address)
    return answer?.hasPrefix("HTTP/1.1 200") == true
  }

  /// What a hostile client sends.
  private struct Hostile {
    let name: String
    let bytes: Data

    /// Frames behind the preface and the settings.
    init(_ name: String, _ frames: Data...) {
      self.name = name
      bytes = frames.reduce(into: H2.opening) { $0 += $1 }
    }

    /// Many frames behind the first ones.
    init(_ name: String, _ first: Data, count: Int, _ frame: (Int) -> Data) {
      self.name = name
      bytes = (0..<count).reduce(into: H2.opening + first) { $0 += frame($1) }
    }
  }

  private static let ping = [UInt8](repeating: 7, count: 8)

  private static let hostile: [Hostile] = [
    Hostile("a frame of 16 MiB", Data([0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 1])),
    Hostile("data without a stream", H2.frame(.data, [1])),
    Hostile("data of an unknown stream", H2.frame(.data, stream: 9, [1])),
    Hostile("a stream of the server", H2.call(2)),
    Hostile("a stream of the past", H2.call(5, ends: true), H2.call(3)),
    Hostile("damaged fields", H2.frame(.headers, flags: 4, stream: 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])),
    Hostile("a huge window", H2.frame(.windowUpdate, H2.bytes(0x7FFF_FFFF))),
    Hostile("an empty window", H2.frame(.windowUpdate, H2.bytes(0))),
    Hostile("a ping of 3 bytes", H2.frame(.ping, [1, 2, 3])),
    Hostile("settings of 5 bytes", H2.frame(.settings, [1, 2, 3, 4, 5])),
    Hostile("a push", H2.frame(.push, flags: 4, stream: 1, H2.bytes(2))),
    Hostile("endless fields", H2.frame(.headers, stream: 1, H2.fields(["a": "b"])), count: 2_000) { _ in
      H2.frame(.continuation, stream: 1, H2.fields(["a": "b"]))
    },
    Hostile("fields of 2 MiB", H2.frame(.headers, stream: 1, H2.fields([":method": "POST"])), count: 128) {
      _ in H2.frame(.continuation, stream: 1, H2.fields(["x": String(repeating: "a", count: 16_000)]))
    },
    Hostile("rapid resets", Data(), count: 5_000) { index in
      let stream = UInt32(2 * index + 1)
      return H2.call(stream) + H2.frame(.reset, stream: stream, H2.bytes(8))
    },
    Hostile("a flood of settings", Data(), count: 10_000) { _ in H2.frame(.settings) },
    Hostile("a flood of pings", Data(), count: 10_000) { _ in H2.frame(.ping, ping) },
    Hostile("empty data", H2.call(1), count: 10_000) { _ in H2.frame(.data, stream: 1) },
  ]

  @Test(arguments: hostile.indices) func aHostileClientIsDisconnectedAndDisturbsNobody(index: Int)
    async throws
  {
    try await withServedBackend { server in
      let connection = try RawConnection(server.address)
      // The server may have closed the connection before everything is sent.
      try? await connection.send(Self.hostile[index].bytes)
      let received = await connection.receive(timeout: .seconds(20))
      #expect(received.count < 1 << 20, "\(Self.hostile[index].name)")
      // A connection that goes on would take another frame.
      let isOpen = (try? await connection.send(H2.frame(.settings))) != nil
      let more = isOpen ? await connection.receive(timeout: .seconds(5)) : Data()
      #expect(more.isEmpty, "\(Self.hostile[index].name)")
      #expect(await isServing(server), "\(Self.hostile[index].name)")
    }
  }

  @Test func bothProtocolsShareThePort() async throws {
    try await withServedBackend { server in
      let connection = try RawConnection(server.address)
      // The first bytes arrive one by one.
      for byte in H2.opening { try await connection.send(Data([byte])) }
      try await connection.send(H2.frame(.ping, [1, 2, 3, 4, 5, 6, 7, 8]))
      let received = await connection.receive { data in
        H2.frames(data).contains { $0.kind == H2.Kind.ping.rawValue }
      }
      let frames = H2.frames(received)
      #expect(frames.first?.kind == H2.Kind.settings.rawValue)
      #expect(frames.last?.payload == Data([1, 2, 3, 4, 5, 6, 7, 8]))
      #expect(await isServing(server))
    }
  }

  @Test(arguments: ["evil.example", "", "a@localhost", "127.0.0.1.evil.example"])
  func onlyTheNamesOfThisMachineAreAccepted(authority: String) async throws {
    try await withServedBackend { server in
      let connection = try RawConnection(server.address)
      let fields = H2.fields([
        ":method": "POST", ":scheme": "http", ":path": "/google.firestore.v1.Firestore/GetDocument",
        ":authority": authority, "content-type": "application/grpc", "te": "trailers",
      ])
      try await connection.send(H2.opening + H2.frame(.headers, flags: 5, stream: 1, fields))
      let received = await connection.receive { data in
        H2.frames(data).contains { $0.kind == H2.Kind.data.rawValue }
      }
      let text = String(decoding: received, as: UTF8.self)
      #expect(text.contains("isn't this machine") || text.contains("isn't a name with a port"))
    }
  }

  @Test func theServerSaysGoodbye() async throws {
    let server = try await ServedBackend()
    let connection = try RawConnection(server.address)
    try await connection.send(H2.opening)
    _ = await connection.receive { !H2.frames($0).isEmpty }
    #expect(await server.stop().status == 0)
    let frames = H2.frames(await connection.receive())
    let goodbye = frames.first { $0.kind == H2.Kind.goAway.rawValue }
    #expect(goodbye?.payload.prefix(8) == Data([0, 0, 0, 0, 0, 0, 0, 0]))
  }
}
