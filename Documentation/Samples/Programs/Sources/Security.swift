// sample: locations
import TenonCore
import TenonEmbedded

// sample: end
func dataLocations() async throws {
  // sample: locations
  try App.configure(
    options: AppOptions(projectID: "demo", backend: .embedded(directory: nil), data: .memory))
  print(try App.default.options.data)
  // sample: end
}
