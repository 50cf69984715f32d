#if os(Linux)
  import ArgumentParser
  import Foundation
  import TenonTransport
  import TenonTransportInterop

  /// The transport of Linux.
  struct TenonClient: MeasuredClient {
    private let transport = CurlTransport()

    func get(_ url: URL) async throws -> Int {
      let response = try await transport.send(TransportRequest(.get, url))
      guard response.status == 200 else { throw UnexpectedResponse() }
      return response.body.count
    }

    func download(_ url: URL) async throws -> Int {
      var count = 0
      for try await piece in try await transport.stream(TransportRequest(.get, url)).body {
        count += piece.count
      }
      return count
    }

    func upload(_ file: URL, to url: URL) async throws { try await put(.file(file), to: url) }

    func upload(bytes: Int, to url: URL) async throws {
      let size = Pieces<Data>.size
      let pieces = Pieces(piece: Data(count: size), count: bytes / size)
      try await put(.stream(pieces, length: Int64(bytes)), to: url)
    }

    private func put(_ body: HTTPBody, to url: URL) async throws {
      guard try await transport.send(TransportRequest(.put, url, body: body)).status == 200 else {
        throw UnexpectedResponse()
      }
    }
  }

  /// Runs the transport in a separate process. It is started by ``TransportCommand``.
  struct TransportClientCommand: AsyncParsableCommand {
    static let name = "transport-client"
    static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

    @Argument var arguments: [String]

    func run() async throws { try await ClientProgram.run(TenonClient(), arguments) }
  }
#endif
