import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// async-http-client with its default configuration and as many connections as the other clients use.
struct AsyncHTTPClientPeer: MeasuredClient {
  let client: HTTPClient

  func get(_ url: URL) async throws -> Int {
    let response = try await client.execute(HTTPClientRequest(url: url.absoluteString), timeout: .seconds(30))
    guard response.status == .ok else { throw UnexpectedResponse() }
    return try await response.body.collect(upTo: 1 << 20).readableBytes
  }

  func download(_ url: URL) async throws -> Int {
    let response = try await client.execute(HTTPClientRequest(url: url.absoluteString), timeout: .minutes(5))
    var count = 0
    for try await piece in response.body { count += piece.readableBytes }
    return count
  }

  func upload(_ file: URL, to url: URL) async throws { throw Unsupported() }

  func upload(bytes: Int, to url: URL) async throws {
    let size = Pieces<ByteBuffer>.size
    let pieces = Pieces(piece: ByteBuffer(repeating: 0, count: size), count: bytes / size)
    var request = HTTPClientRequest(url: url.absoluteString)
    request.method = .PUT
    request.body = .stream(pieces, length: .known(Int64(bytes)))
    guard try await client.execute(request, timeout: .minutes(5)).status == .ok else {
      throw UnexpectedResponse()
    }
  }
}

@main
enum Program {
  static func main() async throws {
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
    let client = HTTPClient(configuration: configuration)
    try await ClientProgram.run(
      AsyncHTTPClientPeer(client: client), Array(CommandLine.arguments.dropFirst()))
    try await client.shutdown()
  }
}
