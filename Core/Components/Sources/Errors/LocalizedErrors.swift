public import TenonBasics

// An app that shows `localizedDescription` shows the text of the error itself, not "The operation could not
// be completed".

extension ComponentError: LocalizedError {
  /// The text of ``description``. Foundation returns it as `localizedDescription`. It isn't translated.
  public var errorDescription: String? { description }
}

extension ConfigurationError: LocalizedError {
  /// The text of ``description``. It lists every problem with its repairs.
  public var errorDescription: String? { description }
}

extension ComponentUnavailable: LocalizedError {
  /// The text of ``description``. It is the reason that the creation gave.
  public var errorDescription: String? { description }
}
