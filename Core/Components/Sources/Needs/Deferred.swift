/// What a library that is loaded later may bring (R11).
///
/// ```swift
/// Component(Checkout.self, needs: .deferred((any Payments).self)) { _, payments in
///   Checkout(payments: payments)
/// }
/// …
/// payments.whenAvailable { $0.warmUp() }   // now, or when a library with payments is loaded
/// ```
public struct Deferred<Value: Sendable>: Sendable {
  private let key: ComponentKey
  private let container: WeakContainer

  init(key: ComponentKey, container: WeakContainer) {
    self.key = key
    self.container = container
  }

  /// The instance, or `nil` as long as nothing provides it.
  ///
  /// - Throws: ``ComponentError``: as ``ComponentContainer/resolveIfPresent(_:named:)``.
  public func get() throws -> Value? {
    guard let container = container.container else { throw ComponentError.containerGone(key) }
    return try container.resolveIfPresent(Value.self, named: key.name)
  }

  /// Calls `deliver` once with the instance: before this returns if something provides it already, otherwise when a
  /// library is loaded or a component installed that does; never if the container ends before. A creation that fails is
  /// logged.
  public func whenAvailable(_ deliver: @escaping @Sendable (Value) -> Void) {
    let key = key
    observe { result in
      switch result {
      case .success(let value): deliver(value)
      case .failure(let error as ComponentError)
      where error.code == .appDeleted || error.code == .containerDeleted:
        break
      case .failure(let error): Logger(source: "tenon-core").error("\(key) can't be delivered: \(error)")
      }
    }
  }

  /// Waits for the instance.
  ///
  /// - Throws: ``ComponentError`` when its creation fails or the container is deleted; `CancellationError`.
  public func value() async throws -> Value {
    let (results, continuation) = AsyncStream<Result<Value, any Error>>.makeStream()
    let request = observe { result in
      continuation.yield(result)
      continuation.finish()
    }
    defer { if let request { container.container?.deferredRequests.withLock { $0.remove(request) } } }
    for await result in results { return try result.get() }
    throw CancellationError()
  }

  @discardableResult
  private func observe(
    _ deliver: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> DeferredRequests.ID? {
    guard let container = container.container else {
      deliver(.failure(ComponentError.containerGone(key)))
      return nil
    }
    let key = key
    let request = container.deferredRequests.withLock {
      $0.add(key) { container in
        deliver(
          Result {
            guard let container else { throw ComponentError.containerGone(key) }
            return try container.resolve(Value.self, named: key.name)
          })
      }
    }
    container.deliverDeferred()
    return request
  }
}

/// Who waits for what in a container.
struct DeferredRequests {
  struct ID: Hashable, Sendable { fileprivate let number: Int }

  private struct Request {
    let id: ID
    let key: ComponentKey
    let deliver: @Sendable (ComponentContainer?) -> Void
  }

  private var requests: [Request] = []
  private var count = 0

  var isEmpty: Bool { requests.isEmpty }
  var waiting: Int { requests.count }

  mutating func add(_ key: ComponentKey, deliver: @escaping @Sendable (ComponentContainer?) -> Void) -> ID {
    count += 1
    requests.append(Request(id: ID(number: count), key: key, deliver: deliver))
    return ID(number: count)
  }

  mutating func remove(_ id: ID) { requests.removeAll { $0.id == id } }

  /// Takes out the requests that can be answered, in the order in which they came.
  mutating func take(where isProvided: (ComponentKey) -> Bool) -> [@Sendable (ComponentContainer?) -> Void] {
    let answered = requests.filter { isProvided($0.key) }
    requests.removeAll { isProvided($0.key) }
    return answered.map(\.deliver)
  }
}
