/// Compiled rules.
package struct RulesProgram: Sendable {
  /// The services by name.
  let services: [String: CompiledService]
  /// The places of the expressions, by their numbers.
  package let ranges: [SourceRange]
}

/// The rules of a service.
struct CompiledService: Sendable {
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
  let methods: Set<RulesMethod>
  /// The condition; `nil` if there is none.
  let condition: (any Node)?
  let place: SourcePlace
  let id: Int
}
