import TenonCore
import TenonFoundation
import TenonJSON
import TenonTransport
import TenonTransportInterop

/// The hub of the emulators, by which kits find them: `@firebase/rules-unit-testing` among others.
final class Hub: Sendable {
  /// Where clients find the emulators, once that is known.
  private let places = Lock<ServedPlaces?>(nil)

  /// Begins to answer.
  func open(_ places: ServedPlaces) { self.places.withLock { $0 = places } }

  /// Returns the response to a request for the hub; `nil` for another one.
  func answer(_ request: TenonTransportInterop.TransportRequest) -> TransportStreamingResponse? {
    guard let places = places.withLock({ $0 }) else { return nil }
    switch (request.method, request.url.path) {
    case (.get, "/"), (.get, ""): return Self.response(200, Self.root(places))
    case (.get, "/emulators"):
      let members = places.emulators.map { ($0.rawValue, Self.description(of: $0, places)) }
      return Self.response(200, .object(Dictionary(uniqueKeysWithValues: members)))
    // The server's functions are called only, so there is no trigger that runs either way.
    case (.put, "/functions/disableBackgroundTriggers"): return Self.response(200, ["enabled": false])
    case (.put, "/functions/enableBackgroundTriggers"): return Self.response(200, ["enabled": true])
    case (.post, "/_admin/export"):
      return Self.response(
        501,
        [
          "message":
            "The server doesn't export data. What is in its folder is durable; copy the folder when it has ended."
        ])
    default: return nil
    }
  }

  /// What is at the root of every port: that of the hub, and that of the emulator of accounts.
  private static func root(_ places: ServedPlaces) -> JSON {
    let hub = places.emulators.contains(.hub) ? Emulator.hub : places.emulators[0]
    return [
      "authEmulator": ["ready": true], "version": .string(Release.version),
      "origins": [.string("http://\(places.address(of: hub))")],
      "host": "127.0.0.1", "port": .int(Int64(places.port(of: hub))),
    ]
  }

  private static func description(of emulator: Emulator, _ places: ServedPlaces) -> JSON {
    let port = JSON.int(Int64(places.port(of: emulator)))
    return [
      "name": .string(emulator.rawValue), "host": "127.0.0.1", "port": port,
      "listen": [["address": "127.0.0.1", "family": "IPv4", "port": port]],
    ]
  }

  private static func response(_ status: Int, _ content: JSON) -> TransportStreamingResponse {
    let text = (try? content.serialized) ?? Data()
    return TransportStreamingResponse(
      status: status,
      headers: HTTPHeaders([
        HTTPHeader(name: "Content-Type", value: "application/json; charset=utf-8"),
        HTTPHeader(name: "Content-Length", value: String(text.count)),
      ]),
      body: AsyncThrowingStream { continuation in
        continuation.yield(text)
        continuation.finish()
      })
  }
}
