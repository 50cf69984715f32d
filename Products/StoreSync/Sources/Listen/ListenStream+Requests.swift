import TenonDocuments
import TenonStoreInterop
import TenonWebChannel

/// The requests of the listener, and those to the server.
extension ListenStream {
  /// Processes a request of the listener.
  func process(_ request: ListenRequest) {
    switch request {
    case .add(let target):
      if let earlier = targets[target.id] {
        confirm(earlier)
        end(target.id, answer: .replaced)
      }
      guard (1..<Self.firstOwnTarget).contains(target.id) else {
        return refuse(
          target.id,
          StoreRemoteError(.invalidArgument, "Targets have positive numbers below \(Self.firstOwnTarget)."))
      }
      requestCount += 1
      targets[target.id] = ListenedTarget(target, order: requestCount)
    case .remove(let id):
      guard let target = targets[id] else {
        // It has ended by itself, and the server wouldn't answer.
        return emit(.target(TargetChange(.removed(nil), targets: [id])))
      }
      confirm(target)
      end(id, answer: .removed)
    }
  }

  /// Confirms the addition of a target that ends before the server has confirmed it, because the listener
  /// counts the answers.
  func confirm(_ target: ListenedTarget) {
    guard !target.isConfirmed else { return }
    targets[target.request.id]?.isConfirmed = true
    emit(.target(TargetChange(.added, targets: [target.request.id])))
  }

  /// Ends a target at the server, and confirms it to the listener unless the server will.
  private func end(_ id: Int, answer: OwedAnswers.Answer) {
    guard let target = targets.removeValue(forKey: id) else { return }
    if reading?.target == id { reading = nil }
    if let polled = target.polled { endNotifier(polled.notifier) }
    guard driver != nil, target.polled == nil, target.phase != .unsent else {
      if answer == .removed { emit(.target(TargetChange(.removed(nil), targets: [id]))) }
      return
    }
    answers.expect(answer, of: id)
    post(.remove(target: id))
  }

  /// Ends a target of the stream itself.
  func endNotifier(_ id: Int) {
    notifiers[id] = nil
    guard sentNotifiers.remove(id) != nil else { return }
    answers.expect(.replaced, of: id)
    post(.remove(target: id))
  }

  /// Ends a target with an error.
  func refuse(_ id: Int, _ error: any Error) {
    targets[id] = nil
    emit(.target(TargetChange(.removed(error), targets: [id])))
  }

  /// Queues a message for the channel.
  ///
  /// - Returns: whether it has a form in which it can be sent; a target that hasn't is refused.
  @discardableResult private func post(_ request: ListenRequest) -> Bool {
    do throws(DocumentError) {
      outbox.append(try request.encoded(in: database))
      return true
    } catch {
      if case .add(let target) = request {
        refuse(target.id, StoreRemoteError(.invalidArgument, error.message, underlying: error))
      }
      return false
    }
  }

  /// Sends what the channel accepts.
  ///
  /// - Returns: whether anything was sent.
  func flush() async throws -> Bool {
    guard let driver, !outbox.isEmpty else { return false }
    let messages = outbox
    outbox = []
    for (index, message) in messages.enumerated() {
      do throws(ChannelError) {
        try await driver.send(message)
      } catch {
        // The end of the channel shows in its messages.
        if error.code == .ended { return index > 0 }
        guard error.code == .full else { throw ChannelEnd.invalid(error) }
        outbox = Array(messages[index...]) + outbox
        return index > 0
      }
    }
    return true
  }

  /// Requests the targets that the channel doesn't know, and opens it first if necessary.
  ///
  /// - Returns: whether anything was done.
  func requestTargets() async throws -> Bool {
    let isBusy = isPaced && targets.values.contains { $0.phase == .sending }
    guard !isBusy,
      let next = targets.values.filter({ $0.phase == .unsent }).min(by: { $0.order < $1.order })
    else { return false }
    let id = next.request.id
    if try await chooseMode(of: next) { return true }
    guard let target = targets[id], target.order == next.order else { return true }
    if let polled = target.polled {
      requestNotifier(polled, of: target)
    } else {
      var request = target.request
      request.resumption = target.resumption
      request.expectedCount = target.expectedCount
      guard post(.add(request)) else { return true }
      answers.expect(.added, of: id)
    }
    targets[id]?.phase = .sending
    if driver == nil { try await openChannel() }
    return true
  }

  /// Requests the notifier of a polled target.
  private func requestNotifier(_ polled: PolledTarget, of target: ListenedTarget) {
    guard var query = target.largeQuery else { return }
    query.limit = 1
    var request = ListenTarget(id: polled.notifier, content: .query(query))
    if polled.isProbe { request.resumption = target.resumption }
    if post(.add(request)) {
      answers.expect(.added, of: polled.notifier)
      sentNotifiers.insert(polled.notifier)
    }
  }

  /// Returns the ID of a new target of the stream itself.
  func makeOwnTarget() -> Int {
    ownTargets += 1
    return Self.firstOwnTarget + ownTargets % (Self.firstOwnTarget - 1)
  }
}
