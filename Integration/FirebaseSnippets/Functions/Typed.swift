import TenonFunctions

/// What the function takes.
struct Question: Codable, Sendable {
  var text: String
}

/// What the function answers.
struct Answer: Codable, Sendable {
  var text: String
}

/// Calls a function with models.
func callTyped() async throws {
  let callable: Callable<Question, Answer> = try Functions.functions().httpsCallable("answer")
  print(try await callable(Question(text: "why?")).text)
  print(try await callable.call(Question(text: "why?")).text)
  let other = try Functions.functions()
    .httpsCallable("answer", requestAs: Question.self, responseAs: Answer.self)
  print(try await other.call(Question(text: "why?")).text)
}
