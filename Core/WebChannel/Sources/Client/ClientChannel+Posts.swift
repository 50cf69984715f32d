import TenonFoundation

extension ClientChannel {
  /// The messages of a POST, which is repeated unchanged: a server may recognize it by its `RID`.
  struct Batch: Sendable {
    /// The number of the first message.
    let first: MessageNumber
    /// The number of messages.
    let count: Int
    /// The `RID`.
    let requestID: Int
  }

  /// A forward POST that is under way.
  struct Post: Sendable {
    /// The number of the request.
    let number: Int
    let startedAt: Duration
    /// When the answer must have arrived.
    let deadline: Duration
    /// The frames of the answer.
    var reader: FrameReader
    /// Whether the head of the answer has arrived, with the status 200.
    var isAccepted = false
    /// The answer, when it has arrived.
    var answer: ForwardAnswer?
  }

  /// Appends a message to the queue.
  mutating func enqueue(_ message: Data) {
    outgoing.append(message)
    outgoingBytes += ChannelMessage.cost(of: message)
  }

  /// Returns as many messages from the front of the queue as fit into one POST, with the form for them.
  mutating func nextBatch(headers: [ChannelForm.Header] = []) -> (Batch, ChannelForm) {
    var form = ChannelForm(headers: headers, first: outgoing.first, messages: [])
    var size = 0
    // Checked: the numbers of a queue in memory.
    for number in outgoing.first..<outgoing.next {
      let message = outgoing[number]
      size += FormEncoding.size(of: message) + 32
      guard form.messages.count < max(settings.postMessages, 1),
        size <= settings.postBytes || form.messages.isEmpty
      else { break }
      form.messages.append(message)
    }
    return (Batch(first: form.first, count: form.messages.count, requestID: newRequestID()), form)
  }

  /// Sends the next messages, if there are any and no POST is under way.
  mutating func sendNext(at now: Duration) {
    guard phase == .open, batch == nil, !outgoing.isEmpty else { return }
    let (batch, form) = nextBatch()
    self.batch = batch
    postAttempts = 0
    sendPost(batch, form, at: now)
  }

  /// Sends a POST.
  private mutating func sendPost(_ batch: Batch, _ form: ChannelForm, at now: Duration) {
    let query = ChannelQuery(requestID: .number(batch.requestID), acknowledged: lastEntry)
    let number = perform(.forward, query, form)
    post = Post(
      number: number, startedAt: now, deadline: now + settings.postTimeout,
      reader: FrameReader(limit: settings.limits.controlBytes))
  }

  /// Sends ``batch`` again, unchanged except for the acknowledgement.
  private mutating func repeatPost(at now: Duration) {
    postRetry = nil
    guard let batch else { return }
    // Checked: the messages of a batch are in the queue until it is acknowledged.
    let messages = (batch.first..<batch.first + batch.count).map { outgoing[$0] }
    sendPost(batch, ChannelForm(first: batch.first, messages: messages), at: now)
  }

  /// Sends ``batch`` again after a delay, or ends the channel if no attempt is left.
  private mutating func retryPost(at now: Duration) {
    post = nil
    guard postAttempts < settings.postRetries else { return end(.unreachable) }
    let delay = delay(before: postAttempts)
    postAttempts += 1
    if delay == .zero {
      repeatPost(at: now)
    } else {
      postRetry = now + delay
    }
  }

  /// Removes the messages that the server has received.
  mutating func acknowledgeBatch() {
    guard let batch else { return }
    for message in outgoing.removeAll(before: batch.first + batch.count) {
      outgoingBytes -= ChannelMessage.cost(of: message)
    }
    self.batch = nil
  }

  /// Takes note of what became of the POST.
  mutating func receivePost(_ event: ResponseEvent, at now: Duration) {
    switch event {
    case .head(let status, _):
      guard accepts(status: status) else { return }
      post?.isAccepted = true
    case .bytes(let bytes):
      do throws(ChannelError) {
        post?.reader.append(bytes)
        while let frame = try post?.reader.next() {
          let answer = try ForwardAnswer(parsing: frame, limit: settings.limits.controlBytes)
          post?.answer = answer
        }
      } catch {
        end(.invalid(error))
      }
    case .end, .failure:
      guard let ended = post else { return }
      // An answer means that the messages have arrived, whatever became of the connection after it.
      guard ended.answer != nil || event == .end && ended.isAccepted && ended.reader.isBetweenFrames else {
        return retryPost(at: now)
      }
      post = nil
      acknowledgeBatch()
      if let answer = ended.answer { receive(answer, ofPostAt: ended.startedAt, at: now) }
      sendNext(at: now)
    }
  }

  /// Does what is due for POSTs.
  mutating func advancePosts(to now: Duration) {
    if let post, post.deadline <= now {
      actions.append(.cancel(post.number))
      retryPost(at: now)
    } else if let postRetry, postRetry <= now {
      repeatPost(at: now)
    }
  }
}
