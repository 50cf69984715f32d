/// The reason why the server can't be configured as it was asked to: a sentence, and what to do.
struct ConfigurationProblem: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
