import Foundation
import TenonCore
import TenonTransport
import TenonTransportInterop

/// The emulators that the options name respond, or the production backend does. Any response is one, whatever
/// its status.
///
/// All are asked concurrently, so that several silent ones take no longer than one.
enum ServersCheck {
  static func results(for options: AppOptions?, deadline: Duration = .seconds(5)) async -> [Diagnosis] {
    switch options?.backend {
    case .emulator(let hosts):
      let emulators = [
        ("Auth", hosts.auth, "auth"), ("Functions", hosts.functions, "functions"),
        ("Storage", hosts.storage, "storage"),
        ("Firestore", hosts.firestore, "firestore"),
      ]
      return await withTaskGroup(of: (Int, Diagnosis).self) { group in
        for (index, (name, host, service)) in emulators.enumerated() {
          guard let host else { continue }
          group.addTask {
            let result = await result(
              "\(name) emulator", "http://\(host)/", failure: Diagnosis.problem(_:_:fix:),
              fix: "firebase emulators:start --only \(service)", deadline)
            return (index, result)
          }
        }
        return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
      }
    case .embedded: return [.ok("Backend", "the embedded backend needs no server")]
    case .production, nil:
      let fix =
        "Check the network, DNS and, if there is one, the proxy: curl -I https://firestore.googleapis.com/"
      return [
        await result(
          "Backend", "https://firestore.googleapis.com/", failure: Diagnosis.warning(_:_:fix:), fix: fix,
          deadline)
      ]
    }
  }

  private static func result(
    _ check: String, _ address: String, failure: (String, String, String) -> Diagnosis, fix: String,
    _ deadline: Duration
  ) async -> Diagnosis {
    guard let url = URL(string: address) else {
      return failure(check, "\(address) is no address", "Write the emulator's address as host:port.")
    }
    do {
      // The body isn't read.
      _ = try await SystemTransport.shared.stream(TransportRequest(.get, url, deadline: deadline))
      return .ok(check, "\(address) responds")
    } catch {
      return failure(check, "\(address) doesn't respond: \(error)", fix)
    }
  }
}
