// sample: interface
/// Forecasts the weather.
public protocol WeatherInterop: Sendable {
  /// Returns the temperature that is expected at a place, in degrees Celsius.
  func temperature(at place: String) async throws -> Int
}
// sample: end
