import Dispatch
import Foundation
import Synchronization
import TenonFoundation
import TenonTestSupport
import TenonTesting

@testable import TenonCore

protocol Engine: Sendable {
  var power: Int { get }
}

protocol Radio: Sendable {}

final class Motor: Engine, Radio {
  let power: Int
  init(power: Int = 1) { self.power = power }
}

final class Car: Sendable {
  let engine: any Engine
  let radio: (any Radio)?
  init(engine: any Engine, radio: (any Radio)? = nil) {
    self.engine = engine
    self.radio = radio
  }
}

struct Failure: Error, Equatable {
  var text = "failed"
}

/// A counter for use from any thread.
final class Counter: Sendable {
  private let count = Atomic<Int>(0)
  var value: Int { count.load(ordering: .sequentiallyConsistent) }
  @discardableResult
  func increment() -> Int { count.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue }
}

/// A collection of elements for use from any thread.
final class Journal: Sendable {
  private let storage = Lock<[String]>([])
  var entries: [String] { storage.withLock { $0 } }
  func note(_ entry: String) { storage.withLock { $0.append(entry) } }
}

/// Returns the result of `body`, run on a new thread; `nil` if it doesn't return within half a minute, or
/// longer on an overloaded machine.
func inTime<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value? {
  let thread = Task { await onThread(body) }
  return await inTime { await thread.value }
}

/// Returns the result of `body`; `nil` if it doesn't return within half a minute, or longer on an overloaded
/// machine: before the test reaches its own limit.
func inTime<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value? {
  let (values, continuation) = AsyncStream<Value?>.makeStream()
  Task { continuation.yield(await body()) }
  DispatchQueue.global().asyncAfter(deadline: .now() + 30 * MachineLoad.patience) { continuation.yield(nil) }
  for await value in values { return value }
  return nil
}

extension Result where Failure == any Error {
  var componentError: ComponentError? {
    if case .failure(let error) = self { error as? ComponentError } else { nil }
  }
}

/// Returns the error that `body` throws, if it is of the expected type.
func error<Value, Thrown: Error>(_ type: Thrown.Type = Thrown.self, of body: () throws -> Value) -> Thrown? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? Thrown
  }
}
