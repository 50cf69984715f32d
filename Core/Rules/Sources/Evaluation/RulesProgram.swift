/// Compiled rules.
package struct RulesProgram: Sendable {
  /// The services.
  let services: [CompiledService]
  /// The places of the expressions, by their numbers.
  package let ranges: [SourceRange]
}

/// The rules of a service.
struct CompiledService: Sendable {
  let name: String
  let matches: [CompiledMatch]
  /// The number of wildcards of all blocks.
  let wildcards: Int
}

/// A `match` with its statements.
final class CompiledMatch: Sendable {
  let segments: [Segment]
  let matches: [CompiledMatch]
  let allows: [CompiledAllow]

  /// A segment of the path.
  enum Segment: Sendable {
    case text(String)
    case wildcard(Int)
    /// Any number of segments, but at least `minimum`.
    case recursive(Int, minimum: Int)
  }

  init(segments: [Segment], matches: [CompiledMatch], allows: [CompiledAllow]) {
    (self.segments, self.matches, self.allows) = (segments, matches, allows)
  }
}

/// An `allow` statement.
struct CompiledAllow: Sendable {
  /// The bits of the methods.
  let methods: UInt8
  /// The condition; `nil` if there is none.
  let condition: (any Node)?
  let place: SourcePlace
  let id: Int
}

extension RulesMethod {
  /// A bit for sets of methods.
  var bit: UInt8 {
    switch self {
    case .get: 1
    case .list: 2
    case .create: 4
    case .update: 8
    case .delete: 16
    }
  }
}
