public import TenonCore
public import Testing

/// Checks that libraries can be configured together: fails the test with every problem, its repairs and the part of the
/// graph that is wrong. Nothing is created.
///
/// ```swift
/// @Test func theLibrariesFitTogether() {
///   expectValidGraph(of: [GreetingLibrary.self, AuthLibrary.self])
/// }
/// ```
///
/// - Parameters:
///   - libraries: the libraries; those that are linked into the test when `nil`.
///   - sources: further components.
/// - Returns: the graph; `nil` when it isn't valid.
@discardableResult
public func expectValidGraph(
  of libraries: [any Library.Type]? = nil,
  sources: [any ComponentSource] = [],
  sourceLocation: SourceLocation = #_sourceLocation
) -> ComponentGraph? {
  do {
    return try App.graph(of: libraries, sources: sources)
  } catch {
    Issue.record(Comment(rawValue: "\(error)"), sourceLocation: sourceLocation)
    return nil
  }
}
