/// The reason for which a command can't do what it was asked for. It is printed after `Error: `, and the exit
/// code is 1.
struct CommandError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
