/// `Optional` of any type.
protocol OptionalType {
  /// `nil`.
  static var none: Self { get }
  /// The type that is wrapped.
  static var wrapped: any Any.Type { get }
}

extension Optional: OptionalType {
  static var wrapped: any Any.Type { Wrapped.self }
}
