public import TenonCore
public import Testing

/// Checks that libraries can be configured together. If not, records an issue with every problem, its solutions and the
/// affected part of the graph. No component is created.
///
/// ```swift
/// @Test func theLibrariesFitTogether() {
///   expectValidGraph(of: [GreetingLibrary.self, AuthLibrary.self])
/// }
/// ```
///
/// - Parameters:
///   - libraries: the libraries; all that are linked into the test if `nil`.
///   - sources: the sources of additional components.
///   - sourceLocation: the source location at which the issue is reported.
/// - Returns: the graph; `nil` if it isn't valid.
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
