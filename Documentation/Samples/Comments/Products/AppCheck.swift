import Foundation
import TenonAppCheck
import TenonCore

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

let appCheck = try! AppCheck.appCheck()
@MainActor var request = URLRequest(url: URL(string: "https://example.com")!)

/// The app's own server.
struct Backend {
  struct Answer {
    let token = "token"
    let lifetime = 60.0
  }
  func appCheckToken(limitedUse: Bool) async throws -> AppCheckToken {
    AppCheckToken(token: "token", expirationDate: .now)
  }
  func attest(limitedUse: Bool) async throws -> Answer { Answer() }
}
let backend = Backend()
