import Foundation
import TenonFoundation
import TenonTestSupport

/// A proxy in front of Google's emulator that cuts the response to the first commit for each of some
/// documents. The emulator has carried out these commits.
final class CuttingProxy: Sendable {
  private let server: LoopbackServer
  private let cuts: Cuts

  /// The cuts that remain.
  private final class Cuts: Sendable {
    let places: Lock<[String: Int]>
    init(_ places: [String: Int]) { self.places = Lock(places) }
  }

  /// - Parameters:
  ///   - port: the port of the emulator.
  ///   - cuts: the number of bytes of the response that are sent, for each part of a request's body that
  ///     selects it.
  init(to port: UInt16, cuts: [String: Int]) throws {
    let cuts = Cuts(cuts)
    self.cuts = cuts
    server = try LoopbackServer { request in
      guard let response = try? request.forwarded(to: port) else { return [.hangUp] }
      let body = String(decoding: request.body, as: UTF8.self)
      let cut = cuts.places.withLock { cuts -> Int? in
        guard request.target.contains(":commit"), let name = cuts.keys.first(where: body.contains) else {
          return nil
        }
        return cuts.removeValue(forKey: name)
      }
      guard let cut else { return [.bytes(response)] }
      return [.bytes(response.prefix(min(cut, response.count - 1))), .hangUp]
    }
  }

  var port: UInt16 { server.port }
  /// The number of responses that haven't been cut yet.
  var remaining: Int { cuts.places.withLock { $0.count } }
  func stop() { server.stop() }
}
