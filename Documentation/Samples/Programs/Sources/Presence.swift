// sample: calls, problems
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonFunctions

// sample: end
func presence() async throws {
  // sample: calls
  try App.configure(options: AppOptions(projectID: "demo", backend: .embedded(directory: nil)))
  try Embedded.embedded().onCall("greet") { (request: CallableRequest<String>) in
    "\(request.data) from \(request.auth == nil ? "nobody" : "a user")"
  }
  try await Auth.auth().signInAnonymously()
  print(try await Functions.functions().httpsCallable("greet").call("hello").data)
  // sample: end
}

func presenceGraph() async throws {
  try App.configure(options: AppOptions(projectID: "demo", backend: .embedded(directory: nil)))
  // sample: graph
  let graph = try App.default.graph
  for library in graph.libraries { print(library.name) }
  // sample: end
}

func problems() async throws {
  // sample: problems
  do {
    try App.configure(options: AppOptions(projectID: "Bad Project", apiKey: ""))
  } catch {
    print(error)
  }
  // sample: end
}
