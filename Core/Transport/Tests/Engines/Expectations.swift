import TenonFoundation
import TenonTransportInterop
import Testing

/// Expects a `TransportError` with a code.
func expect<Result>(
  _ code: TransportError.Code,
  at location: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Result
) async {
  let error = await #expect(throws: TransportError.self, sourceLocation: location) { _ = try await body() }
  #expect(error?.code == code, "\(error?.message ?? "")", sourceLocation: location)
}

/// A counter that reports once when it reaches a number.
final class Arrivals: Sendable {
  private let expected: Int
  private let count = Lock(0)

  init(_ expected: Int) { self.expected = expected }

  func isComplete() -> Bool {
    count.withLock { count in
      count += 1
      return count == expected
    }
  }
}
