// Unavailable overloads, whose messages say what to write instead. For code that compiles without them, the
// compiler doesn't consider them.

extension Injected {
  /// Unavailable: the property has the type.
  @available(*, unavailable, message: "Give the type to the property: @Injected var value: T.")
  @export(implementation)
  public init(_ type: Value.Type, named name: String? = nil, app: String? = nil) { unavailable() }

  /// Unavailable: the label is `named:`.
  @available(*, unavailable, message: "The label is named: @Injected(named: \"…\") var value: T.")
  @export(implementation)
  public init(_ name: String) { unavailable() }
}
