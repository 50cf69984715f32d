import Foundation
import TenonAppCheck
import TenonCore

/// A provider that asks the program's server.
final class HarbourProvider: NSObject, AppCheckProvider {
  func getToken() async throws -> AppCheckToken {
    AppCheckToken(token: "token", expirationDate: Date(timeIntervalSinceNow: 3600))
  }
}
