public import Testing

/// Waits until a condition holds, and fails the test where it was called if the condition doesn't hold in
/// time.
///
/// Use it for something that happens soon, but at no known time, and that offers nothing to await. A loop
/// that waits for the condition itself would wait forever if a defect prevented it.
///
/// ```swift
/// @Test func aReleasedObjectIsGone() async throws {
///   var object: NSObject? = NSObject()
///   weak let gone = object
///   object = nil
///   try await eventually { gone == nil }
/// }
/// ```
///
/// - Parameters:
///   - limit: how long to wait at most: 30 s by default, and longer on an overloaded
///     machine.
///   - sourceLocation: where to report the failure: at the call by default.
///   - isolation: the actor on which the condition is evaluated: the caller's actor by default.
///   - condition: the condition. It is evaluated repeatedly, at first without a pause and then every few
///     milliseconds.
/// - Throws: the errors of `condition`, `CancellationError` if the task is cancelled, and an error that ends
///   the test after the failure has been recorded.
public func eventually(
  within limit: Duration = .seconds(30), sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws {
  _ = try await eventually(
    within: limit, sourceLocation: sourceLocation, isolation: isolation, condition, satisfies: { $0 })
}

/// Waits until a value satisfies a condition, and fails the test where it was called if it doesn't in time.
/// The failure shows the last value.
///
/// ```swift
/// @Test func theFolderHasThreeFiles() async throws {
///   let files = FileManager.default
///   try await eventually({ try files.contentsOfDirectory(atPath: ".") }, satisfies: { $0.count == 3 })
/// }
/// ```
///
/// - Parameters:
///   - limit: how long to wait at most: 30 s by default, and longer on an overloaded
///     machine.
///   - sourceLocation: where to report the failure: at the call by default.
///   - isolation: the actor on which the closures are called: the caller's actor by default.
///   - value: returns the present value. It is called repeatedly, at first without a pause and then every few
///     milliseconds.
///   - condition: the condition.
/// - Returns: the first value that satisfies the condition.
/// - Throws: the errors of `value`, `CancellationError` if the task is cancelled, and an error that ends the
///   test after the failure has been recorded.
@discardableResult public func eventually<Value>(
  within limit: Duration = .seconds(30), sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation, _ value: () async throws -> Value,
  satisfies condition: (Value) -> Bool
) async throws -> Value {
  let start = ContinuousClock.now
  var evaluations = 0
  while true {
    let last = try await value()
    if condition(last) { return last }
    evaluations += 1
    let elapsed = start.duration(to: .now)
    if elapsed > limit, elapsed > limit * MachineLoad.patience {
      let comment: Comment = "After \(elapsed) and \(evaluations) evaluations, the value is still \(last)."
      try #require(condition(last), comment, sourceLocation: sourceLocation)
    }
    try Task.checkCancellation()
    if evaluations < 20 {
      await Task.yield()
    } else {
      try await Task.sleep(for: .milliseconds(min(10, evaluations / 20)))
    }
  }
}
