public import TenonCore
public import Testing

/// Checks that libraries can be configured together. If not, records an issue with every problem, its
/// solutions and the affected part of the graph. No component is created.
///
/// The check is that of `App.configure`, without an app: it finds missing dependencies, cycles and
/// conflicting components. Call it in a test of each executable's libraries, so that a wrong combination
/// fails in a test instead of at startup.
///
/// ```swift
/// @Test func theLibrariesFitTogether() {
///   expectValidGraph(of: [GreetingLibrary.self, AuthLibrary.self])
/// }
/// ```
///
/// - Parameters:
///   - libraries: the libraries; all that are linked into the test if `nil`.
///   - sources: the sources of additional components; none by default.
///   - sourceLocation: the source location at which the issue is reported.
/// - Returns: the graph, for further expectations; `nil` if it isn't valid, after the issue was recorded.
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
