import TenonAuth
import TenonCore
import TenonFunctions

// Uses two products through their entry points.
@main enum Products {
  static func main() throws {
    let app = try App.configure(
      options: AppOptions(projectID: "archives", apiKey: "key", backend: .production, data: .memory))
    print("registered:", app.graph.libraries.map(\.name).joined(separator: " "))
    _ = try Functions.functions()
    _ = try Auth.auth()
    let functions = app.graph.components.filter { $0.library == "tenon-functions" }
    let auth = functions.flatMap(\.needs).filter { $0.name == "any AuthInterop" }
    print("auth of functions:", auth.flatMap(\.providers).joined(separator: " "))
  }
}
