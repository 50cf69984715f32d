import TenonCore
import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTransport
import TenonTransportInterop
import TenonWebChannel

/// The channel: it is opened for the first target, and again when the tokens have changed or when it ended
/// because of its size.
extension ListenStream {
  /// Opens a channel with the tokens of the user, and sends what waits.
  func openChannel() async throws {
    guard !outbox.isEmpty else { return }
    let path = "/google.firestore.v1.Firestore/Listen/channel"
    let url = try client.url(path)
    let (time, facts) = (client.time, memory.facts.withLock { $0 })
    let signed = try await client.signed(
      TransportRequest(.post, url), in: context, refreshing: facts.needsNewToken,
      replacing: facts.refusedToken, by: time.now() + Self.tokenTimeout)
    if !context.isAdministrator { memory.facts.withLock { $0.needsNewToken = false } }
    var settings = ClientSettings()
    // Browsers use other hosts because they limit the connections of each. A prefix would send the session
    // elsewhere.
    settings.usesHostPrefix = false
    let channel: ClientChannel
    do throws(ChannelError) {
      channel = try ClientChannel(
        database: database.name,
        headers: signed.headers.fields.map { ChannelForm.Header($0.name, $0.value) }, settings: settings)
      let driver = ChannelDriver(
        channel, route: .init(http: client.http, url: client.service + path), signal: signal)
      let messages = outbox
      outbox = []
      for field in ["Authorization", "X-Firebase-AppCheck"] { credentials[field] = signed.headers[field] }
      newCredentials = [:]
      try await driver.open(with: messages)
      self.driver = driver
    } catch {
      throw ChannelEnd.invalid(error)
    }
  }

  /// Terminates the channel.
  func closeChannel() async {
    outbox = []
    answers = OwedAnswers()
    sentNotifiers = []
    guard let driver else { return }
    self.driver = nil
    await driver.close()
  }

  /// Closes the channel, so that another one is opened. The listener doesn't notice, except for targets that
  /// it has received in part.
  func restartChannel() async {
    // What the old channel owes is answered here.
    for id in answers.removals { emit(.target(TargetChange(.removed(nil), targets: [id]))) }
    await closeChannel()
    heldSnapshot = nil
    reading = nil
    for (id, target) in targets.sorted(by: { $0.key < $1.key }) {
      targets[id]?.phase = .unsent
      targets[id]?.newToken = nil
      if target.polled != nil {
        // What the listener has is known, and compared with the next reading.
        targets[id]?.polled?.isCurrent = false
        targets[id]?.polled?.wasReset = false
        targets[id]?.polled?.isDirty = true
        continue
      }
      guard target.isTouched else { continue }
      targets[id]?.isTouched = false
      targets[id]?.resumption = nil
      targets[id]?.expectedCount = nil
      emit(.target(TargetChange(.reset, targets: [id])))
    }
  }

  /// Receives the next message of the channel.
  ///
  /// - Returns: whether there was one.
  func receiveMessage() async throws -> Bool {
    guard let driver else { return false }
    let message: ChannelMessage?
    do throws(ChannelEnd) {
      message = try await driver.take()
    } catch {
      try await channelEnds(error)
      return true
    }
    guard let message else { return false }
    process(try ListenEvent(decoding: message.payload, in: database))
    return true
  }

  /// Remembers for the next stream that the server doesn't accept the token.
  private func noteRefusal() {
    guard context.isAdministrator else { return memory.facts.withLock { $0.needsNewToken = true } }
    let refused = credentials["Authorization"]?.split(separator: " ").last.map(String.init)
    memory.facts.withLock { $0.refusedToken = refused }
  }

  /// Called when the channel has ended.
  ///
  /// If it ended while it was sending targets that may be too large for it, their documents are counted, and
  /// another channel is opened. Otherwise, the stream ends.
  private func channelEnds(_ end: ChannelEnd) async throws {
    let sending = targets.values.filter { $0.phase == .sending && $0.polled == nil && $0.largeQuery != nil }
    failedChannels += 1
    guard end.mayBeOverload, !sending.isEmpty, failedChannels <= Self.channelAttempts else {
      if end.isUnauthenticated { noteRefusal() }
      if case .unreachable = end, let reason = await driver?.lastFailure { throw reason }
      throw end
    }
    await restartChannel()
    for target in sending where targets[target.request.id]?.order == target.order {
      targets[target.request.id]?.isSuspect = true
    }
    if failedChannels > 1 { isPaced = true }
  }
}
