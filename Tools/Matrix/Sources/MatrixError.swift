/// A reason why the matrix can't be made.
struct MatrixError: Error, CustomStringConvertible {
  /// A sentence that names the program or file, and what to do.
  let description: String

  init(_ description: String) { self.description = description }
}
