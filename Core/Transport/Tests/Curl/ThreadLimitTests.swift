#if os(Linux)
  import Foundation
  import TenonTransport
  import TenonTransportInterop
  import TenonTestSupport
  import Testing

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  @Suite(.limited) struct ThreadLimitTests {
    /// The process gets no memory for the stacks of further threads, of which each transport has one.
    @Test func requestWithoutAThreadIsAnError() async throws {
      await #expect(processExitsWith: .success) {
        // Nothing listens on this port. A failed connection is unreachable, too, but says something else.
        let request = TransportRequest(.get, try #require(URL(string: "http://127.0.0.1:1/")))
        var transports: [CurlTransport] = []
        func failure() async -> TransportError? {
          transports.append(CurlTransport())
          do { _ = try await transports[transports.count - 1].send(request) } catch {
            return error as? TransportError
          }
          return nil
        }
        // Loads libcurl.
        #expect(await failure()?.code == .unreachable)
        let pages = try String(contentsOf: URL(filePath: "/proc/self/statm"), encoding: .utf8)
          .split(separator: " ").first.flatMap { rlim_t($0) }
        var limit = rlimit()
        limit.rlim_cur = try #require(pages) * rlim_t(getpagesize()) + 64 << 20
        limit.rlim_max = limit.rlim_cur
        #if canImport(Glibc)
          #expect(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
        #else
          #expect(setrlimit(RLIMIT_AS, &limit) == 0)
        #endif
        var message = ""
        for _ in 0..<100 where !message.contains("can't start another thread") {
          let error = try #require(await failure())
          #expect(error.code == .unreachable)
          message = error.message
        }
        #expect(message.contains("can't start another thread"), "\(message)")
      }
    }
  }
#endif
