#if os(Linux)
  import Foundation
  import TenonTesting
  import TenonTransport
  package import TenonTransportInterop
  import Testing

  /// A transport whose requests reach a server on this machine that falls silent in a chosen phase of the
  /// exchange, for tests of timeouts over a real network. Requests to any URL are sent to that server, with
  /// libcurl.
  ///
  /// ```swift
  /// let transport = try await StalledTransport(silentIn: .firstByte)
  /// ```
  package struct StalledTransport: TransportInterop {
    /// The server, which ends with this transport.
    private let server: RawServer
    private let engine: CurlTransport
    /// The request that occupies the only connection, if the phase is that of connecting.
    private let occupant: Task<Void, Never>?

    /// All phases.
    package static let phases: [TransportError.Timeout] = [.connecting, .firstByte, .inactivity, .exchange]

    /// Starts a server, and waits until it is ready.
    ///
    /// - Parameter phase: when the server falls silent. With `connecting`, a connection never becomes free;
    ///   with `firstByte` and `exchange`, the server reads requests and doesn't answer; with `inactivity`, it
    ///   sends the beginning of a response.
    package init(silentIn phase: TransportError.Timeout) async throws {
      server = try RawServer { connection in
        if phase == .inactivity {
          _ = connection.readHead()
          connection.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{")
        }
        connection.drain()
      }
      engine = CurlTransport(configuration: TransportConfiguration(maxConnectionsPerHost: 1))
      guard phase == .connecting else {
        occupant = nil
        return
      }
      occupant = Task { [engine, request = TransportRequest(.get, server.url("/"))] in
        _ = try? await engine.send(request)
      }
      try await eventually { server.accepted != 0 }
    }

    /// Ends the occupying request and the server.
    package func stop() {
      occupant?.cancel()
      server.stop()
    }

    /// Sends a request to the server, whatever its URL.
    package func send(_ request: TransportRequest) async throws -> TransportResponse {
      try await engine.send(redirected(request))
    }

    /// Sends a request to the server, whatever its URL.
    package func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
      try await engine.stream(redirected(request))
    }

    private func redirected(_ request: TransportRequest) -> TransportRequest {
      var request = request
      request.url = server.url(request.url.path.isEmpty ? "/" : request.url.path(percentEncoded: true))
      return request
    }
  }
#endif
