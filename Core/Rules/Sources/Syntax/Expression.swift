/// An expression as it was written.
///
/// The parser limits how deeply expressions are nested, so functions over the tree may be recursive.
package struct Expression: Sendable {
  /// What it is.
  package var kind: Kind
  /// Where it was written.
  package var range: SourceRange

  /// The kinds of expressions.
  package indirect enum Kind: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case boolean(Bool)
    /// `12`.
    case integer(Int64)
    /// `1.5`.
    case float(Double)
    /// `'text'`.
    case string(String)
    /// `b'bytes'`.
    case bytes([UInt8])
    /// `/databases/$(database)/documents`.
    case path([PathPart])
    /// `[1, 2]`.
    case list([Expression])
    /// `{'a': 1}`.
    case map([(key: Expression, value: Expression)])
    /// `request`.
    case variable(String)
    /// `object.name`.
    case member(Expression, name: String)
    /// `object[key]`.
    case index(Expression, Expression)
    /// `list[from:to]`.
    case slice(Expression, from: Expression, to: Expression)
    /// `name(arguments)`.
    case call(name: String, [Expression])
    /// `object.name(arguments)`.
    case method(Expression, name: String, [Expression])
    /// `!a` or `-a`.
    case unary(UnaryOperator, Expression)
    /// `a + b`.
    case binary(BinaryOperator, Expression, Expression)
    /// `a is type`.
    case typeTest(Expression, type: String)
    /// `condition ? first : second`.
    case conditional(Expression, Expression, Expression)
  }

  /// A segment of a path.
  package enum PathPart: Sendable {
    /// Text.
    case text(String)
    /// `$(expression)`.
    case interpolation(Expression)
  }

  /// Creates an expression.
  package init(_ kind: Kind, _ range: SourceRange) {
    self.kind = kind
    self.range = range
  }
}

/// An operator before its operand.
package enum UnaryOperator: String, Sendable {
  case not = "!"
  case negate = "-"
}

/// An operator between its operands.
package enum BinaryOperator: String, Sendable {
  case multiply = "*"
  case divide = "/"
  case remainder = "%"
  case add = "+"
  case subtract = "-"
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case contains = "in"
  case equal = "=="
  case notEqual = "!="
  case and = "&&"
  case or = "||"
}
