import TenonFoundation
import TenonValues

/// The functions for objects, users and times.
extension Embedded {
  /// Registers a closure that is called when an object has a new content: when it was uploaded, copied or
  /// composed.
  ///
  /// Events of objects and users are recorded and delivered as those of documents; see
  /// ``onDocumentCreated(_:_:database:retry:timeout:_:)``.
  ///
  /// - Parameters:
  ///   - name: the name of the function: letters, digits, hyphens and underscores.
  ///   - bucket: the bucket; all of them by default.
  ///   - retry: how often the closure is called again if it throws.
  ///   - timeout: the maximum duration of a call; 60 seconds by default.
  ///   - handler: the function. The event's data is the metadata of the object.
  /// - Throws: ``FunctionRegistrationError`` with `invalidName`, or `alreadyExists` if there is a function
  ///   with the name.
  public func onObjectFinalized(
    _ name: String, bucket: String? = nil, retry: RetryConfig = RetryConfig(),
    timeout: Duration = .seconds(60),
    _ handler: @escaping @Sendable (CloudEvent<EmbeddedObject>) async throws -> Void
  ) throws {
    try register(.objectFinalized, name, bucket, retry, timeout, handler)
  }

  /// Registers a closure that is called when a content was deleted: that of a deleted object, and that of a
  /// replaced one, before the event of the new content. In a bucket with object versioning, both are events of
  /// ``onObjectArchived(_:bucket:retry:timeout:_:)`` instead.
  ///
  /// - Parameters:
  ///   - name: the name of the function.
  ///   - bucket: the bucket; all of them by default.
  ///   - retry: how often the closure is called again if it throws.
  ///   - timeout: the maximum duration of a call; 60 seconds by default.
  ///   - handler: the function. The event's data is the last metadata of the object.
  /// - Throws: ``FunctionRegistrationError``, as ``onObjectFinalized(_:bucket:retry:timeout:_:)``.
  public func onObjectDeleted(
    _ name: String, bucket: String? = nil, retry: RetryConfig = RetryConfig(),
    timeout: Duration = .seconds(60),
    _ handler: @escaping @Sendable (CloudEvent<EmbeddedObject>) async throws -> Void
  ) throws {
    try register(.objectDeleted, name, bucket, retry, timeout, handler)
  }

  /// Registers a closure that is called when an object became noncurrent: when it was replaced or deleted in
  /// a bucket with object versioning.
  ///
  /// - Parameters:
  ///   - name: the name of the function.
  ///   - bucket: the bucket; all of them by default.
  ///   - retry: how often the closure is called again if it throws.
  ///   - timeout: the maximum duration of a call; 60 seconds by default.
  ///   - handler: the function. The event's data is the metadata of the noncurrent version.
  /// - Throws: ``FunctionRegistrationError``, as ``onObjectFinalized(_:bucket:retry:timeout:_:)``.
  public func onObjectArchived(
    _ name: String, bucket: String? = nil, retry: RetryConfig = RetryConfig(),
    timeout: Duration = .seconds(60),
    _ handler: @escaping @Sendable (CloudEvent<EmbeddedObject>) async throws -> Void
  ) throws {
    try register(.objectArchived, name, bucket, retry, timeout, handler)
  }

  /// Registers a closure that is called when the metadata of an object was changed.
  ///
  /// - Parameters:
  ///   - name: the name of the function.
  ///   - bucket: the bucket; all of them by default.
  ///   - retry: how often the closure is called again if it throws.
  ///   - timeout: the maximum duration of a call; 60 seconds by default.
  ///   - handler: the function. The event's data is the new metadata.
  /// - Throws: ``FunctionRegistrationError``, as ``onObjectFinalized(_:bucket:retry:timeout:_:)``.
  public func onObjectMetadataUpdated(
    _ name: String, bucket: String? = nil, retry: RetryConfig = RetryConfig(),
    timeout: Duration = .seconds(60),
    _ handler: @escaping @Sendable (CloudEvent<EmbeddedObject>) async throws -> Void
  ) throws {
    try register(.objectMetadataUpdated, name, bucket, retry, timeout, handler)
  }

  private func register(
    _ kind: EventKind, _ name: String, _ bucket: String?, _ retry: RetryConfig, _ timeout: Duration,
    _ handler: @escaping @Sendable (CloudEvent<EmbeddedObject>) async throws -> Void
  ) throws {
    try register(
      EventFunction(name: name, kind: kind, place: bucket ?? "", retry: retry, timeout: timeout) { event in
        guard let object = event.details.object else { return }
        try await handler(CloudEvent(event, data: EmbeddedObject(object)))
      })
  }

  /// Registers a closure that is called when a user was created, by a sign-up, the first sign-in with a
  /// provider, or an administrator. As on Firebase, an import and the first sign-in with a custom token aren't
  /// events.
  ///
  /// - Parameters:
  ///   - name: the name of the function: letters, digits, hyphens and underscores.
  ///   - retry: how often the closure is called again if it throws.
  ///   - timeout: the maximum duration of a call; 60 seconds by default.
  ///   - handler: the function. The event's data is the user.
  /// - Throws: ``FunctionRegistrationError`` with `invalidName`, or `alreadyExists` if there is a function
  ///   with the name.
  public func onUserCreated(
    _ name: String, retry: RetryConfig = RetryConfig(), timeout: Duration = .seconds(60),
    _ handler: @escaping @Sendable (CloudEvent<EmbeddedUser>) async throws -> Void
  ) throws {
    try register(.userCreated, name, retry, timeout, handler)
  }

  /// Registers a closure that is called when a user was deleted. As on Firebase, a deletion of several users in
  /// one request isn't an event.
  ///
  /// - Parameters:
  ///   - name: the name of the function.
  ///   - retry: how often the closure is called again if it throws.
  ///   - timeout: the maximum duration of a call; 60 seconds by default.
  ///   - handler: the function. The event's data is the user before the deletion.
  /// - Throws: ``FunctionRegistrationError``, as ``onUserCreated(_:retry:timeout:_:)``.
  public func onUserDeleted(
    _ name: String, retry: RetryConfig = RetryConfig(), timeout: Duration = .seconds(60),
    _ handler: @escaping @Sendable (CloudEvent<EmbeddedUser>) async throws -> Void
  ) throws {
    try register(.userDeleted, name, retry, timeout, handler)
  }

  private func register(
    _ kind: EventKind, _ name: String, _ retry: RetryConfig, _ timeout: Duration,
    _ handler: @escaping @Sendable (CloudEvent<EmbeddedUser>) async throws -> Void
  ) throws {
    try register(
      EventFunction(name: name, kind: kind, retry: retry, timeout: timeout) { event in
        guard let user = event.details.user else { return }
        try await handler(CloudEvent(event, data: user))
      })
  }

  /// Registers a closure that is called according to a schedule.
  ///
  /// ```swift
  /// try embedded.onSchedule("clean", "every 5 minutes") { event in print(event.scheduleTime) }
  /// try embedded.onSchedule("report", "0 9 * * mon-fri", timeZone: "Europe/Berlin") { _ in print("nine") }
  /// ```
  ///
  /// If several processes register the function, one of them calls it. A time at which no process runs, or at
  /// which the call for an earlier time hasn't ended, is skipped.
  ///
  /// - Parameters:
  ///   - name: the name of the function: letters, digits, hyphens and underscores.
  ///   - schedule: an expression of cron, `every 5 minutes`, `every 2 hours`, `every day 09:00` or
  ///     `every mon,fri 17:30`. Intervals are counted from 1970 in UTC, so that they don't depend on when the
  ///     process began: `every 5 minutes` is at 0, 5, 10 minutes past the hour and so on.
  ///   - timeZone: the time zone of the clock times; `UTC` by default.
  ///   - retry: how often the closure is called again if it throws; never by default, as on Firebase.
  ///   - timeout: the maximum duration of a call; 60 seconds by default.
  ///   - handler: the function.
  /// - Throws: ``FunctionRegistrationError`` with `invalidSchedule`, `unknownTimeZone`, `invalidName`, or
  ///   `alreadyExists` if there is a function with the name.
  public func onSchedule(
    _ name: String, _ schedule: String, timeZone: String = "UTC", retry: RetryConfig = .never,
    timeout: Duration = .seconds(60), _ handler: @escaping @Sendable (ScheduledEvent) async throws -> Void
  ) throws {
    let times = try Schedule(schedule, timeZone: timeZone, now: time.timestamp())
    try register(
      EventFunction(name: name, kind: .scheduled, schedule: times, retry: retry, timeout: timeout) { event in
        try await handler(
          ScheduledEvent(
            jobName: name, scheduleTime: Timestamp(microsecondsSince1970: event.details.time),
            attempt: event.attempts))
      })
  }
}
