import TenonFoundation

#if !os(Windows)
  package import Foundation
  import TenonCore

  /// A server for tests that plays a ``Misbehavior`` instead of the correct response to some of its requests.
  ///
  /// ```swift
  /// let server = try HostileServer { _ in Misbehavior.Response(200, "{}") }
  /// for misbehavior in Misbehavior.all {
  ///   server.play(misbehavior)
  ///   let response = try? await transport.send(TransportRequest(.get, server.url("/")))
  ///   #expect(response?.body != Data("{}".utf8))
  /// }
  /// ```
  package final class HostileServer: Sendable {
    /// What the server does with the next requests.
    private struct Course {
      /// What it plays; `nil` to answer correctly.
      var misbehavior: Misbehavior?
      /// The number of requests that it answers correctly before.
      var skipped = 0
      /// The number of times that it has played.
      var played = 0
    }

    /// The course, which the threads of the connections share.
    private final class Board: Sendable {
      let course = Lock(Course())

      /// Returns what to play on a new connection before a request is read; `nil` for nothing.
      func early() -> Misbehavior? {
        course.withLock { course in
          guard let misbehavior = course.misbehavior, !misbehavior.readsRequest, course.skipped == 0 else {
            return nil
          }
          course.played += 1
          return misbehavior
        }
      }

      /// Returns what to play instead of the response to a request; `nil` to answer correctly.
      func next() -> Misbehavior? {
        course.withLock { course in
          guard let misbehavior = course.misbehavior else { return nil }
          guard course.skipped == 0 else {
            course.skipped -= 1
            return nil
          }
          course.played += 1
          return misbehavior
        }
      }
    }

    private let server: RawServer
    private let board = Board()

    /// Starts a server, which answers correctly until ``play(_:after:)``.
    ///
    /// - Parameter respond: returns the correct response to a request. It runs on the thread of the
    ///   connection.
    /// - Throws: `LoopbackServer.Failure` if the socket can't be opened.
    package init(
      _ respond: @escaping @Sendable (LoopbackServer.Request) -> Misbehavior.Response
    ) throws {
      server = try RawServer { [board] connection in
        if let early = board.early() {
          guard early.play(connection, Misbehavior.Response(body: Data())) else { return }
        }
        var rest = Data()
        while let request = connection.readRequest(&rest) {
          let response = respond(request)
          guard let misbehavior = board.next() else {
            guard connection.write(response.sized) else { return }
            continue
          }
          guard misbehavior.play(connection, response) else { return }
        }
      }
    }

    /// The port on 127.0.0.1.
    package var port: UInt16 { server.port }

    /// The number of connections that are open.
    package var open: Int { server.open }

    /// The number of times that the misbehavior has been played since it was set.
    package var played: Int { board.course.withLock { $0.played } }

    /// Sets what the server plays from now on.
    ///
    /// - Parameters:
    ///   - misbehavior: what it plays instead of every response; `nil` to answer correctly.
    ///   - skipped: the number of requests that it answers correctly before; 0 by default. A misbehavior that
    ///     begins before the request is read plays on the first connection that is opened afterwards.
    package func play(_ misbehavior: Misbehavior?, after skipped: Int = 0) {
      board.course.withLock { $0 = Course(misbehavior: misbehavior, skipped: skipped) }
    }

    /// Stops accepting connections, and shuts down those that are open.
    package func stop() { server.stop() }

    /// Returns the URL of a target on this server.
    ///
    /// - Parameter target: the path and the query, beginning with a slash.
    package func url(_ target: String) -> URL { server.url(target) }
  }
#endif
