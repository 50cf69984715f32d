/// Where a component is declared. It refers to the text that the compiler has put into the program, and copies nothing.
@usableFromInline
struct DeclarationPlace: Sendable {
  /// The module and the file, as `#fileID` has them: `Shop/Cart.swift`. No path, which a program would disclose.
  let file: StaticString
  /// The line, counted from 1.
  let line: UInt

  /// Creates a place from the default arguments of a declaration.
  ///
  /// - Parameters:
  ///   - file: the module and the file.
  ///   - line: the line.
  @usableFromInline
  init(_ file: StaticString, _ line: UInt) {
    self.file = file
    self.line = line
  }
}
