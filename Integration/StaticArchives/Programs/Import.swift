import TenonAuth
import TenonCore
import TenonFunctions

// Imports a product without using it: the linker takes no object from its archive.
@main enum Import {
  static func main() throws {
    let app = try App.configure(
      options: AppOptions(projectID: "archives", apiKey: "key", backend: .production, data: .memory))
    print("registered:", app.graph.libraries.map(\.name).joined(separator: " "))
    _ = try Functions.functions()
    for need in app.graph.components.flatMap(\.needs) where need.name == "any AuthInterop" {
      print("auth of functions:", need.providers, need.unregisteredProduct ?? "nothing known")
    }
  }
}
