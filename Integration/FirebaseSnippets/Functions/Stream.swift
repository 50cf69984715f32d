import TenonFunctions

/// Follows what a function streams.
func streamFunction() async throws {
  let callable: Callable<String, StreamResponse<String, String>> =
    try Functions.functions().httpsCallable("tell")
  for try await response in try callable.stream("a story") {
    switch response {
    case .message(let message): print(message)
    case .result(let result): print(result)
    }
  }
}
