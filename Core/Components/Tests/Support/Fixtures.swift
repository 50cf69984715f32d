import Foundation
import Synchronization

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

/// Counts from any thread.
final class Counter: Sendable {
  private let count = Atomic<Int>(0)
  var value: Int { count.load(ordering: .sequentiallyConsistent) }
  @discardableResult
  func increment() -> Int { count.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue }
}

/// Collects from any thread.
final class Journal: Sendable {
  private let storage = Lock<[String]>([])
  var entries: [String] { storage.withLock { $0 } }
  func note(_ entry: String) { storage.withLock { $0.append(entry) } }
}

/// Runs `body` on a thread of its own, so that it may block.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    Thread { continuation.resume(returning: body()) }.start()
  }
}

extension Result where Failure == any Error {
  var componentError: ComponentError? {
    if case .failure(let error) = self { error as? ComponentError } else { nil }
  }
}

/// The error that `body` throws, if it is of the wanted type.
func error<Value, Thrown: Error>(_ type: Thrown.Type = Thrown.self, of body: () throws -> Value) -> Thrown? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? Thrown
  }
}
