/// `Optional` of any type. A dynamic cast of a metatype to `any OptionalType.Type` determines whether the type is an
/// optional, and of what.
protocol OptionalType {
  /// `nil`.
  static var none: Self { get }
  /// The type that is wrapped; one level, so that of `Int??` is `Int?`.
  static var wrapped: any Any.Type { get }
}

extension Optional: OptionalType {
  static var wrapped: any Any.Type { Wrapped.self }
}
