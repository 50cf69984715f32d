import TenonCore
import TenonEmbedded
import TenonFoundation
import TenonJSON
import TenonTransport
import TenonTransportInterop

/// The hub of the emulators, by which kits find them: `@firebase/rules-unit-testing` among others.
final class Hub: Sendable {
  /// Where clients find the emulators, once that is known.
  private let places = Lock<ServedPlaces?>(nil)
  private let exchange: SuiteExchange

  private let embedded: Embedded

  init(_ exchange: SuiteExchange, _ embedded: Embedded) {
    self.exchange = exchange
    self.embedded = embedded
  }

  /// Begins to answer.
  func open(_ places: ServedPlaces) { self.places.withLock { $0 = places } }

  /// Returns the response to a request for the hub; `nil` for another one.
  func answer(_ request: TenonTransportInterop.TransportRequest) async -> TransportStreamingResponse? {
    guard let places = places.withLock({ $0 }) else { return nil }
    switch (request.method, request.url.path) {
    case (.get, "/"), (.get, ""): return Self.response(200, Self.root(places))
    case (.get, "/emulators"):
      let members = places.emulators.map { ($0.rawValue, Self.description(of: $0, places)) }
      return Self.response(200, .object(Dictionary(uniqueKeysWithValues: members)))
    case (.put, "/functions/disableBackgroundTriggers"): return triggers(enabled: false)
    case (.put, "/functions/enableBackgroundTriggers"): return triggers(enabled: true)
    case (.post, "/_admin/export"): return await export(request)
    default: return nil
    }
  }

  /// Makes writes events for functions, or not.
  private func triggers(enabled: Bool) -> TransportStreamingResponse {
    embedded.areBackgroundTriggersEnabled = enabled
    return Self.response(200, ["enabled": .bool(enabled)])
  }

  /// Exports the data into the folder that a request names.
  private func export(_ request: TenonTransportInterop.TransportRequest) async -> TransportStreamingResponse {
    guard case .data(let body) = request.body, let path = try? JSON(parsing: body)["path"]?.string,
      !path.isEmpty
    else { return Self.response(400, ["message": #"The body must be {"path": "FOLDER"}."#]) }
    do {
      try await exchange.export(to: path)
      return Self.response(200, ["message": "OK"])
    } catch {
      return Self.response(500, ["message": .string("\(error)")])
    }
  }

  /// What is at the root of every port: that of the hub, and that of the emulator of accounts.
  private static func root(_ places: ServedPlaces) -> JSON {
    let hub = places.emulators.contains(.hub) ? Emulator.hub : places.emulators[0]
    return [
      "authEmulator": ["ready": true], "version": .string(Release.version),
      "origins": .array(places.origins(of: hub).map(JSON.string)),
      "host": "127.0.0.1", "port": .int(Int64(places.port(of: hub))),
    ]
  }

  private static func description(of emulator: Emulator, _ places: ServedPlaces) -> JSON {
    let port = JSON.int(Int64(places.port(of: emulator)))
    let other: JSON = ["address": "::1", "family": "IPv6", "port": port]
    let listen: [JSON] = [["address": "127.0.0.1", "family": "IPv4", "port": port]]
    return [
      "name": .string(emulator.rawValue), "host": "127.0.0.1", "port": port,
      "listen": .array(places.isOnIPv6(emulator) ? listen + [other] : listen),
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
