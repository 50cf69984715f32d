/// Something that a user can put right; shown without the command's usage, with exit code 1.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
