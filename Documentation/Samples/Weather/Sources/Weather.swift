// sample: product
import TenonAuthInterop
public import TenonCore
public import WeatherInterop

/// Weather for an app. It can be used from any thread.
public final class Weather: Sendable {
  /// Auth, as this product uses it; `nil` if no linked library provides it.
  private let auth: (any AuthInterop)?

  init(auth: (any AuthInterop)?) { self.auth = auth }

  /// Returns that of an app; of the default app if `app` is `nil`.
  ///
  /// - Throws: the error of the app's container.
  public static func weather(app: App? = nil) throws -> Weather {
    try (app ?? App.default).resolve(Weather.self, from: WeatherLibrary.self)
  }

  /// Returns a forecast for the signed-in user.
  public func forecast(for place: String) async throws -> String {
    let reader = try await auth?.currentUserID == nil ? "guest" : "user"
    return "\(try await temperature(at: place)) degrees in \(place), dear \(reader)"
  }
}

extension Weather: WeatherInterop {
  /// Returns the temperature that is expected at a place, in degrees Celsius.
  public func temperature(at place: String) async throws -> Int { place == "Ulm" ? 21 : 18 }
}
// sample: end
