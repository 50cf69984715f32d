import TenonBasics

/// A value that a library that is loaded later may provide (R11).
///
/// ```swift
/// Component(Checkout.self, needs: .deferred((any Payments).self)) { _, payments in
///   payments.whenAvailable { $0.warmUp() }  // now, or when a library with payments is loaded
///   return Checkout(payments: payments)
/// }
/// ```
///
/// It may be used on any thread, and doesn't keep its container alive. Each request, by ``whenAvailable(_:)``
/// or ``value()``, is answered at most once. If the creation fails, that is the answer: it isn't tried again
/// for the same request.
public struct Deferred<Value: Sendable>: Sendable {
  /// The key of the value.
  private let key: ComponentKey
  /// The container that needs the value, and that stores the requests for it.
  private let container: WeakContainer

  /// Creates the value of a deferred need.
  ///
  /// - Parameters:
  ///   - key: the key that is needed.
  ///   - container: the container of the component that needs it.
  init(key: ComponentKey, container: WeakContainer) {
    self.key = key
    self.container = container
  }

  /// Returns the instance, or `nil` while nothing provides it.
  ///
  /// - Returns: the instance, created if necessary; also `nil` if its provider declines.
  /// - Throws: ``ComponentError`` as ``ComponentContainer/resolveIfPresent(_:named:)``, and with the code
  ///   ``ComponentError/Code/containerDeleted`` if the container has been deallocated.
  public func get() throws -> Value? {
    guard let container = container.container else { throw ComponentError.containerGone(key) }
    return try container.resolveIfPresent(Value.self, named: key.name)
  }

  /// Calls a closure once with the instance.
  ///
  /// If something provides the instance, the closure is called before this returns; otherwise, when a library
  /// that provides it is loaded or a component is installed, on the thread that does so. It is never called
  /// if the container is deleted or deallocated before. A creation that fails is logged.
  ///
  /// The container retains the closure until then. The request can't be withdrawn; to stop waiting, await
  /// ``value()`` in a task and cancel that.
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
      case .failure(let error): AppLogger(source: "tenon-core").error("\(key) can't be delivered: \(error)")
      }
    }
  }

  /// Waits until something provides the instance, and returns it.
  ///
  /// - Returns: the instance.
  /// - Throws: ``ComponentError`` if its creation fails or the container is deleted; `CancellationError` if
  ///   the calling task is cancelled.
  public func value() async throws -> Value {
    let (results, continuation) = AsyncStream<Result<Value, any Error>>.makeStream()
    let request = observe { result in
      continuation.yield(result)
      continuation.finish()
    }
    defer { if let request { container.container?.deferred.withLock { $0.remove(request) } } }
    for await result in results { return try result.get() }
    throw CancellationError()
  }

  /// Calls a closure once with the instance or with the error that prevents it.
  ///
  /// - Parameter deliver: receives the result: before this returns if the key is provided, unless another
  ///   thread is delivering at the same time; otherwise on the thread that provides the key or ends the
  ///   container.
  /// - Returns: the identity of the request; `nil` if the container has been deallocated.
  @discardableResult
  private func observe(
    _ deliver: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> DeferredRequests.ID? {
    guard let container = container.container else {
      deliver(.failure(ComponentError.containerGone(key)))
      return nil
    }
    let key = key
    let request = container.deferred.withLock {
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

extension Dependency {
  /// Needs a ``Deferred`` value, which is delivered when a library that is loaded later provides it (R11).
  /// Configuring succeeds without a provider.
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
  static func dependency(named name: String?) -> any Sendable {
    Dependency<Deferred<Value>>.deferred(Value.self, named: name)
  }
}

// MARK: - Requests

extension ComponentContainer {
  /// Answers the requests of this container and its children whose keys are provided now, on the calling
  /// thread.
  ///
  /// The requests of one container are answered in order of arrival, before those of its children. A request
  /// is removed before it is answered, so of concurrent calls, one answers it.
  func deliverDeferred() {
    if deferred.withLock({ !$0.isEmpty }) {
      let wiring = currentWiring
      let answers = deferred.withLock { requests in requests.take { wiring.slot($0) != nil } }
      for answer in answers { answer(self) }
    }
    for child in liveChildren { child.deliverDeferred() }
  }

  /// Answers all requests of this container with the error that it was deleted or deallocated.
  ///
  /// - Parameter isGone: whether it is being deallocated, so that the answers must not receive it.
  func endDeferred(isGone: Bool) {
    for answer in deferred.withLock({ requests in requests.take { _ in true } }) {
      answer(isGone ? nil : self)
    }
  }
}

/// The requests that haven't been answered, in order of arrival. Not thread-safe; guarded by the lock of
/// ``ComponentContainer``.
struct DeferredRequests {
  /// Identifies a request within a container.
  struct ID: Hashable, Sendable { fileprivate let number: Int }

  /// A request: by ``Deferred/whenAvailable(_:)`` or ``Deferred/value()``.
  private struct Request {
    let id: ID
    let key: ComponentKey
    /// Answers the request. Receives `nil` if the container is being deallocated.
    let deliver: @Sendable (ComponentContainer?) -> Void
  }

  private var requests: [Request] = []
  /// The number of requests so far, from which they are numbered.
  private var count = 0

  /// Whether every request has been answered or removed.
  var isEmpty: Bool { requests.isEmpty }
  /// The number of unanswered requests.
  var waiting: Int { requests.count }

  /// Adds a request.
  ///
  /// - Parameters:
  ///   - key: the key that is requested.
  ///   - deliver: answers the request; see `take(where:)`.
  /// - Returns: the identity of the request, with which it can be removed.
  mutating func add(_ key: ComponentKey, deliver: @escaping @Sendable (ComponentContainer?) -> Void) -> ID {
    count += 1
    requests.append(Request(id: ID(number: count), key: key, deliver: deliver))
    return ID(number: count)
  }

  /// Removes a request. Does nothing if it was answered.
  ///
  /// - Parameter id: the request.
  /// - Complexity: O(*n*) in the number of requests.
  mutating func remove(_ id: ID) { requests.removeAll { $0.id == id } }

  /// Removes and returns the requests for keys that satisfy a predicate, in order of arrival. They must be
  /// called outside the lock.
  ///
  /// - Parameter isProvided: the predicate. Called with the lock held, more than once per request.
  /// - Returns: the functions that answer the requests. Each takes the container, or `nil` if it is being
  ///   deallocated.
  /// - Complexity: O(*n*) in the number of requests.
  mutating func take(where isProvided: (ComponentKey) -> Bool) -> [@Sendable (ComponentContainer?) -> Void] {
    let answered = requests.filter { isProvided($0.key) }
    requests.removeAll { isProvided($0.key) }
    return answered.map(\.deliver)
  }
}
