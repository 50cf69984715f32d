#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Launch {
  /// Posts JSON to a `tenon-server`, and returns the content of its answer. It blocks its thread, and has no
  /// limit of time. Programs that link no HTTP library of their own use it.
  ///
  /// - Parameters:
  ///   - address: the address of the server, as `127.0.0.1:port`.
  ///   - path: the path and the query.
  ///   - json: the content.
  /// - Throws: ``ServerFailed`` unless the answer has the status 200.
  package static func answer(of address: String, to path: String, _ json: String) throws -> String {
    #if os(Linux) || os(macOS)
      guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
        throw ServerFailed(description: "\(address) has no port.")
      }
      #if canImport(Glibc)
        let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      #else
        let connection = socket(AF_INET, SOCK_STREAM, 0)
      #endif
      guard connection >= 0 else { throw ServerFailed(description: "There is no socket.") }
      defer { close(connection) }
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      name.sin_port = port.bigEndian
      name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let code = withUnsafeBytes(of: &name) { bytes in
        bytes.withMemoryRebound(to: sockaddr.self) { [count = bytes.count] in
          connect(connection, $0.baseAddress, socklen_t(count))
        }
      }
      guard code == 0 else { throw ServerFailed(description: "\(address) can't be reached.") }
      let request =
        "POST \(path) HTTP/1.1\r\nHost: \(address)\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(json.utf8.count)\r\nConnection: close\r\n\r\n\(json)"
      var rest = Array(request.utf8)[...]
      while !rest.isEmpty {
        let sent = rest.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
        guard sent > 0 else { throw ServerFailed(description: "\(address) accepts no request.") }
        rest = rest.dropFirst(sent)
      }
      var (answer, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
      while answer.count < 1 << 20 {
        let count = read(connection, &buffer, buffer.count)
        guard count > 0 else { break }
        answer += buffer[..<count]
      }
      let text = String(decoding: answer, as: UTF8.self)
      guard text.hasPrefix("HTTP/1.1 200 "), let end = text.firstRange(of: "\r\n\r\n") else {
        throw ServerFailed(description: "\(address) answered: \(text.prefix(200))")
      }
      return String(text[end.upperBound...])
    #else
      throw ServerFailed(description: "Sockets aren't used on this platform.")
    #endif
  }
}
