#if os(Linux)
  @preconcurrency import Dispatch
  #if canImport(Glibc)
    import Glibc
  #else
    import Musl
  #endif
#endif

/// Changes of this machine's addresses and routes, after which a network that failed may work.
package enum NetworkChanges {
  /// Returns a stream with an element after changes. Changes while the reader is busy are one element.
  ///
  /// On Linux, they are those of a netlink socket (rtnetlink(7)), which is closed when the iteration ends. On
  /// other platforms, and where such sockets aren't permitted, the stream is empty.
  package static func stream() -> AsyncStream<Void> {
    let (stream, changes) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    #if os(Linux)
      guard let descriptor = opened() else {
        changes.finish()
        return stream
      }
      let queue = DispatchQueue(label: "tenon.network-changes")
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler {
        drain(descriptor)
        changes.yield()
      }
      source.setCancelHandler { _ = close(descriptor) }
      changes.onTermination = { _ in source.cancel() }
      source.resume()
    #else
      changes.finish()
    #endif
    return stream
  }

  #if os(Linux)
    /// The groups of messages: addresses and routes of IPv4 and IPv6 (`RTMGRP_…` in `linux/rtnetlink.h`).
    private static let groups: UInt32 = 0x10 | 0x40 | 0x100 | 0x400
    /// The size of `sockaddr_nl`, which the C library's module doesn't declare.
    private static let addressSize: socklen_t = 12

    /// Returns a socket that receives the messages; `nil` if it can't be opened.
    private static func opened() -> Int32? {
      #if canImport(Glibc)
        // Checked: constants.
        let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
      #else
        let type = SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK
      #endif
      // 0 is NETLINK_ROUTE.
      let descriptor = socket(AF_NETLINK, type, 0)
      guard descriptor >= 0 else { return nil }
      var address = sockaddr_storage()
      withUnsafeMutableBytes(of: &address) { bytes in
        bytes.storeBytes(of: sa_family_t(AF_NETLINK), as: sa_family_t.self)
        bytes.storeBytes(of: groups, toByteOffset: 8, as: UInt32.self)
      }
      let isBound = withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, addressSize) == 0 }
      }
      guard isBound else {
        _ = close(descriptor)
        return nil
      }
      return descriptor
    }

    /// Discards the messages that have arrived, whose contents don't matter.
    private static func drain(_ descriptor: Int32) {
      var buffer = [UInt8](repeating: 0, count: 8_192)
      // Bounded, so that changes without end don't keep the queue busy. What is left is read by the next call.
      for _ in 0..<1_000 where recv(descriptor, &buffer, buffer.count, 0) <= 0 { return }
    }
  #endif
}
