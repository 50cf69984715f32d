// sample: use
import TenonAuth
import TenonCore
import TenonEmbedded
import Weather

// sample: end
func useWeather() async throws {
  // sample: use
  try App.configure(options: AppOptions(projectID: "demo", backend: .embedded(directory: nil)))
  let weather = try Weather.weather()
  print(try await weather.forecast(for: "Ulm"))
  try await Auth.auth().signInAnonymously()
  print(try await weather.forecast(for: "Ulm"))
  // sample: end
}
