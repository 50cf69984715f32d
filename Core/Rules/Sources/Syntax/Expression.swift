/// An expression as it was written.
///
/// The parser limits how deeply expressions are nested, so functions over the tree may be recursive.
package struct Expression: Sendable {
  /// What it is.
  package var kind: Kind
  /// Where it was written.
  package var range: SourceRange
  /// The number of parentheses around it, which count as levels for Google's limit of nesting.
  package var parentheses = 0
  /// The number of levels below it and its own.
  package var height: Int

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
    /// `'text'`, as UTF-16 because escapes can denote halves of surrogate pairs.
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
    /// `list[from:to]`, where either may be absent.
    case slice(Expression, from: Expression?, to: Expression?)
    /// `name(arguments)`.
    case call(name: String, [Expression])
    /// `object.name(arguments)`.
    case method(Expression, name: String, [Expression], place: SourcePlace)
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
    /// Text, with its percent encoding removed.
    case text(String)
    /// `$(expression)`.
    case interpolation(Expression)
    /// `{name}` or `{name=**}`, which `bind` replaces.
    case capture(name: String, isRecursive: Bool)
  }

  /// Creates an expression.
  package init(_ kind: Kind, _ range: SourceRange) {
    self.kind = kind
    self.range = range
    height = 0
    height = 1 + (children.map(\.height).max() ?? 0)
  }

  /// The expressions of which it consists, in the order in which they were written.
  package var children: [Expression] {
    switch kind {
    case .null, .boolean, .integer, .float, .string, .bytes, .variable: []
    case .path(let parts):
      parts.compactMap { if case .interpolation(let expression) = $0 { expression } else { nil } }
    case .list(let elements): elements
    case .map(let entries): entries.flatMap { [$0.key, $0.value] }
    case .member(let object, _), .unary(_, let object), .typeTest(let object, _): [object]
    case .index(let object, let key): [object, key]
    case .slice(let object, let from, let to): [object] + [from, to].compactMap(\.self)
    case .call(_, let arguments): arguments
    case .method(let object, _, let arguments, _): [object] + arguments
    case .binary(_, let left, let right): [left, right]
    case .conditional(let condition, let first, let second): [condition, first, second]
    }
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
