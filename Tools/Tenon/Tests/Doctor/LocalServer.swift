import Dispatch
import Foundation
import TenonCore

/// A server on a free port of 127.0.0.1 that gives every connection the same response, or never responds.
final class LocalServer: Sendable {
  let address: String
  private let socket: Int32

  /// - Parameters:
  ///   - response: what each connection receives; `nil` to accept connections and send nothing.
  ///   - meeting: what a request waits for before it is answered.
  init(response: String?, after meeting: Meeting? = nil) throws {
    #if canImport(Glibc)
      socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket = Foundation.socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = socket
    let isOpen = withUnsafeMutablePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    guard isOpen else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    address = "127.0.0.1:\(UInt16(bigEndian: name.sin_port))"
    // Without a thread that accepts them, the system completes the connections and nothing is sent.
    guard let response else { return }
    Thread.detachNewThread {
      while case let connection = accept(listener, nil, nil), connection >= 0 {
        // The end of a request without a body. A client that sees its connection reset has no response.
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while !request.suffix(4).elementsEqual("\r\n\r\n".utf8) {
          let count = read(connection, &buffer, buffer.count)
          guard count > 0 else { break }
          request += buffer[..<count]
        }
        meeting?.wait()
        _ = write(connection, response, response.utf8.count)
        close(connection)
      }
    }
  }

  /// Refuses further connections, which ends the thread that accepts them.
  func stop() {
    shutdown(socket, Int32(SHUT_RDWR))
    close(socket)
  }
}

/// Requests that wait for each other.
final class Meeting: Sendable {
  private let size: Int
  private let missing: Lock<Int>
  private let isComplete = DispatchSemaphore(value: 0)

  /// - Parameter size: the number of requests.
  init(of size: Int) {
    self.size = size
    missing = Lock(size)
  }

  /// Waits until all have arrived. If one never does, the client has long given up when this returns.
  func wait() {
    let isLast = missing.withLock { missing in
      missing -= 1
      return missing == 0
    }
    if isLast { for _ in 0..<size { isComplete.signal() } }
    _ = isComplete.wait(timeout: .now() + 120)
  }
}
