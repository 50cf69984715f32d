import TenonFoundation
import TenonValues

/// The functions for documents.
///
/// The name of a function identifies it across launches: an event is recorded in the transaction of its write,
/// whichever process or client writes, and is delivered when a process registers the function. A function that no
/// process has registered for a week receives no more events.
extension Embedded {
  /// Registers a closure that is called when a document was created.
  ///
  /// ```swift
  /// try embedded.onDocumentCreated("index-note", "users/{uid}/notes/{note}") { event in
  ///   print(event.params["uid"] ?? "", event.data.fields)
  /// }
  /// ```
  ///
  /// The event is recorded in the transaction of the write, so that it isn't lost if the process ends. The
  /// closure is called at least once for it, in the order of the writes of a document, and again if it throws
  /// or doesn't return within its time. It should do the same thing again when it is called again:
  /// ``CloudEvent/id`` is the same in every attempt. What the event was recorded for isn't undone if the
  /// function fails.
  ///
  /// Writes of every client are events, also those of administrators, of imports, and of functions. A function
  /// that writes the documents that it is called for calls itself without end.
  ///
  /// - Parameters:
  ///   - name: the name of the function: letters, digits, hyphens and underscores.
  ///   - document: the pattern of the documents' paths: `users/{uid}/notes/{note}`. A wildcard `{uid}` is one
  ///     segment, and `{rest=**}` one or more.
  ///   - database: the ID of the database; `(default)` by default.
  ///   - retry: how often the closure is called again if it throws.
  ///   - timeout: the maximum duration of a call; 60 seconds by default.
  ///   - handler: the function. The event's data is the document.
  /// - Throws: ``FunctionRegistrationError`` with `invalidName`, `invalidPath`, or `alreadyExists` if there is a
  ///   function with the name.
  public func onDocumentCreated(
    _ name: String, _ document: String, database: String = "(default)", retry: RetryConfig = RetryConfig(),
    timeout: Duration = .seconds(60),
    _ handler: @escaping @Sendable (CloudEvent<EmbeddedDocument>) async throws -> Void
  ) throws {
    try register(.documentCreated, name, document, database, retry, timeout) { event, params in
      guard let document = try event.documentAfter else { return }
      try await handler(CloudEvent(event, params: params, data: document))
    }
  }

  /// Registers a closure that is called when a document was updated. A write without effect isn't an event.
  ///
  /// - Parameters:
  ///   - name: the name of the function.
  ///   - document: the pattern of the documents' paths.
  ///   - database: the ID of the database; `(default)` by default.
  ///   - retry: how often the closure is called again if it throws.
  ///   - timeout: the maximum duration of a call; 60 seconds by default.
  ///   - handler: the function, as that of ``onDocumentCreated(_:_:database:retry:timeout:_:)``. The event's
  ///     data is the document before and after the write.
  /// - Throws: ``FunctionRegistrationError``, as for a created document.
  public func onDocumentUpdated(
    _ name: String, _ document: String, database: String = "(default)", retry: RetryConfig = RetryConfig(),
    timeout: Duration = .seconds(60),
    _ handler: @escaping @Sendable (CloudEvent<Change<EmbeddedDocument>>) async throws -> Void
  ) throws {
    try register(.documentUpdated, name, document, database, retry, timeout) { event, params in
      guard let before = try event.documentBefore, let after = try event.documentAfter else { return }
      try await handler(CloudEvent(event, params: params, data: Change(before: before, after: after)))
    }
  }

  /// Registers a closure that is called when a document was deleted.
  ///
  /// - Parameters:
  ///   - name: the name of the function.
  ///   - document: the pattern of the documents' paths.
  ///   - database: the ID of the database; `(default)` by default.
  ///   - retry: how often the closure is called again if it throws.
  ///   - timeout: the maximum duration of a call; 60 seconds by default.
  ///   - handler: the function, as that of ``onDocumentCreated(_:_:database:retry:timeout:_:)``. The event's
  ///     data is the document that was deleted.
  /// - Throws: ``FunctionRegistrationError``, as for a created document.
  public func onDocumentDeleted(
    _ name: String, _ document: String, database: String = "(default)", retry: RetryConfig = RetryConfig(),
    timeout: Duration = .seconds(60),
    _ handler: @escaping @Sendable (CloudEvent<EmbeddedDocument>) async throws -> Void
  ) throws {
    try register(.documentDeleted, name, document, database, retry, timeout) { event, params in
      guard let document = try event.documentBefore else { return }
      try await handler(CloudEvent(event, params: params, data: document))
    }
  }

  /// Registers a closure that is called when a document was created, updated or deleted.
  ///
  /// - Parameters:
  ///   - name: the name of the function.
  ///   - document: the pattern of the documents' paths.
  ///   - database: the ID of the database; `(default)` by default.
  ///   - retry: how often the closure is called again if it throws.
  ///   - timeout: the maximum duration of a call; 60 seconds by default.
  ///   - handler: the function, as that of ``onDocumentCreated(_:_:database:retry:timeout:_:)``. The event's
  ///     data is the document before and after the write, `nil` if it doesn't exist.
  /// - Throws: ``FunctionRegistrationError``, as for a created document.
  public func onDocumentWritten(
    _ name: String, _ document: String, database: String = "(default)", retry: RetryConfig = RetryConfig(),
    timeout: Duration = .seconds(60),
    _ handler: @escaping @Sendable (CloudEvent<Change<EmbeddedDocument?>>) async throws -> Void
  ) throws {
    try register(.documentWritten, name, document, database, retry, timeout) { event, params in
      let change = Change(before: try event.documentBefore, after: try event.documentAfter)
      try await handler(CloudEvent(event, params: params, data: change))
    }
  }

  private func register(
    _ kind: EventKind, _ name: String, _ document: String, _ database: String, _ retry: RetryConfig,
    _ timeout: Duration, _ handler: @escaping @Sendable (StoredEvent, [String: String]) async throws -> Void
  ) throws {
    let pattern = try DocumentPathPattern(document)
    try register(
      EventFunction(
        name: name, kind: kind, place: database, pattern: document, retry: retry, timeout: timeout
      ) { event in
        // The pattern may have been changed since the event was recorded.
        guard let params = pattern.match(PresentDocuments.path(event.details.subject)) else { return }
        try await handler(event, params)
      })
  }
}
