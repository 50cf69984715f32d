import TenonCore
import TenonEmbedded

@main struct Notes {
  static func main() async throws {
    try App.configure(options: AppOptions(projectID: "notes", backend: .embedded(directory: nil)))
    print(try App.default.graph.libraries.map(\.name))
  }
}
