/// `Optional` of any type. A dynamic cast of a metatype to `any OptionalType.Type` determines whether the
/// type is an optional, and of what; a cast of a value to `any OptionalType`, whether the value is an
/// optional.
package protocol OptionalType {
  /// `nil`.
  static var none: Self { get }
  /// The type that is wrapped; one level, so that of `Int??` is `Int?`.
  static var wrappedType: any Any.Type { get }
  /// The wrapped value; `nil` if there is none.
  var wrapped: Any? { get }
}

extension Optional: OptionalType {
  package static var wrappedType: any Any.Type { Wrapped.self }
  package var wrapped: Any? { self }
}
