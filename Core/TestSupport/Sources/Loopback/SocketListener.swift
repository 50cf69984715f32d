import TenonFoundation

#if !os(Windows)
  import Foundation
  import TenonCore

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// A listening socket and the connections that it has accepted, with one thread for each.
  ///
  /// Every descriptor is closed and forgotten in one critical section, and shut down under the same lock. So
  /// ``stop()`` never shuts down a descriptor that the system has given to another socket or file of the
  /// process in the meantime, however often it is called.
  final class SocketListener: Sendable {
    /// The state, which the threads share under the lock.
    private struct State {
      /// The listening socket; `nil` once it is closed.
      var listener: Int32?
      /// Whether connections are accepted.
      var isStopped = false
      /// The connections that are being served.
      var connections: Set<Int32> = []
      /// The number of connections that were accepted.
      var accepted = 0
    }

    private let state: Lock<State>

    /// Creates a listener, which accepts no connections before ``start(_:)``.
    ///
    /// - Parameter socket: the descriptor of a listening socket, which this closes.
    init(_ socket: Int32) { state = Lock(State(listener: socket)) }

    /// Accepts connections on a new thread, until ``stop()`` is called or the test that the calling task runs
    /// has ended.
    ///
    /// - Parameter serve: serves a connection, whose descriptor is closed when it returns. It runs on the
    ///   connection's thread and may block.
    func start(_ serve: @escaping @Sendable (Int32) -> Void) {
      guard let listener = state.withLock({ $0.listener }) else { return }
      TestLimitTrait.turn?.atEnd { [weak self] in self?.stop() }
      Thread.detachNewThread { [self] in
        while true {
          let connection = accept(listener, nil, nil)
          // A client that has gone before it was accepted, or a signal, doesn't concern the others.
          guard connection >= 0 || [EINTR, ECONNABORTED].contains(errno) else { break }
          guard connection >= 0 else { continue }
          LoopbackServer.closeOnExec(connection)
          receive(connection, serve)
        }
        state.withLock { state in
          state.listener = nil
          _ = close(listener)
        }
      }
    }

    /// The number of connections that were accepted.
    var accepted: Int { state.withLock { $0.accepted } }

    /// The number of connections that are open.
    var open: Int { state.withLock { $0.connections.count } }

    /// Stops accepting connections, and shuts down the socket and all connections. Doesn't wait for the
    /// threads. Further calls have no effect.
    func stop() {
      state.withLock { state in
        state.isStopped = true
        if let listener = state.listener { _ = shutdown(listener, Int32(SHUT_RDWR)) }
        state.connections.forEach { _ = shutdown($0, Int32(SHUT_RDWR)) }
      }
    }

    /// Serves a connection on a new thread, unless the listener has been stopped.
    private func receive(_ connection: Int32, _ serve: @escaping @Sendable (Int32) -> Void) {
      let isOpen = state.withLock { state in
        guard !state.isStopped else {
          _ = close(connection)
          return false
        }
        state.connections.insert(connection)
        state.accepted += 1
        return true
      }
      guard isOpen else { return }
      Thread.detachNewThread { [self] in
        serve(connection)
        state.withLock { state in
          state.connections.remove(connection)
          _ = close(connection)
        }
      }
    }
  }
#endif
