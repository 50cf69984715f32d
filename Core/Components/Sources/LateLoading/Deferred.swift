/// A value that a library which is loaded later may provide (R11).
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

  /// Returns the instance, or `nil` while nothing provides it.
  ///
  /// - Throws: ``ComponentError`` as ``ComponentContainer/resolveIfPresent(_:named:)``, and with the code
  ///   ``ComponentError/Code/containerDeleted`` if the container has been deallocated.
  public func get() throws -> Value? {
    guard let container = container.container else { throw ComponentError.containerGone(key) }
    return try container.resolveIfPresent(Value.self, named: key.name)
  }

  /// Calls a closure once with the instance.
  ///
  /// If something provides it, the closure is called before this returns; otherwise, when a library is loaded
  /// or a component is installed that does. It is never called if the container ends first. A creation that
  /// fails is logged.
  ///
  /// - Parameter deliver: receives the instance.
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
  /// - Returns: the instance.
  /// - Throws: ``ComponentError`` if its creation fails or the container is deleted; `CancellationError`.
  public func value() async throws -> Value {
    let (results, continuation) = AsyncStream<Result<Value, any Error>>.makeStream()
    let request = observe { result in
      continuation.yield(result)
      continuation.finish()
    }
    defer { if let request { container.container?.deferred.requests.withLock { $0.remove(request) } } }
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
    let request = container.deferred.requests.withLock {
      $0.add(key) { container in
        deliver(
          Result {
            guard let container else { throw ComponentError.containerGone(key) }
            return try container.resolve(Value.self, named: key.name)
          })
      }
    }
    Features.deliverDeferred(in: container)
    return request
  }
}

extension Dependency {
  /// Needs a ``Deferred`` value, which is delivered when a library that is loaded later provides it (R11).
  ///
  /// - Parameters:
  ///   - type: the type of the key.
  ///   - name: the name of the key; none by default.
  public static func deferred<T: Sendable>(_ type: T.Type, named name: String? = nil) -> Dependency
  where Value == Deferred<T> {
    let key = ComponentKey(type, named: name)
    return Dependency(Need(.deferred, key)) { builder in
      let deferred = Deferred<T>(key: key, container: builder.container)
      return .made(Make { _ in deferred })
    }
  }
}

extension Deferred: NeedForm {
  static var dependency: any Sendable { Dependency<Deferred<Value>>.deferred(Value.self) }
}

// MARK: - Requests

/// The requests for deferred needs in a container.
final class DeferredState: Sendable {
  let requests = Lock(DeferredRequests())
}

extension ComponentContainer {
  var deferred: DeferredState { features.state(DeferredState()) }
}

extension Features {
  static func deliverDeferred(in container: ComponentContainer) {
    if let deferred = container.features.existing(DeferredState.self) {
      let wiring = container.currentWiring
      let answers = deferred.requests.withLock { requests in requests.take { wiring.slot($0) != nil } }
      for answer in answers { answer(container) }
    }
    for child in children(of: container) { deliverDeferred(in: child) }
  }

  static func endDeferred(in container: ComponentContainer, isGone: Bool) {
    guard let deferred = container.features.existing(DeferredState.self) else { return }
    for answer in deferred.requests.withLock({ requests in requests.take { _ in true } }) {
      answer(isGone ? nil : container)
    }
  }
}

/// The requests that have not been answered, in order of arrival.
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

  /// Removes and returns the requests that can be answered, in order of arrival.
  mutating func take(where isProvided: (ComponentKey) -> Bool) -> [@Sendable (ComponentContainer?) -> Void] {
    let answered = requests.filter { isProvided($0.key) }
    requests.removeAll { isProvided($0.key) }
    return answered.map(\.deliver)
  }
}
