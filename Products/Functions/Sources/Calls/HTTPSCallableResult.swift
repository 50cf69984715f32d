import TenonCallable
import TenonTransport

/// The result of a call of an ``HTTPSCallable``.
public struct HTTPSCallableResult: Sendable {
  /// The result as Swift values: `NSNull`, `Bool`, `Int`, `UInt64` (above `Int.max`), `Double`, `String`,
  /// `[any Sendable]` or `[String: any Sendable]`. A conditional cast to `[String: Any]` or `[Any]` succeeds
  /// for the last two.
  ///
  /// On Linux, an optional that is `nil` takes the place of `NSNull` in a program that doesn't contain the
  /// full Foundation, to which that class belongs.
  ///
  /// Numbers without a fraction are `Int`, even if the function computed them as floating-point numbers.
  public let data: any Sendable
  /// The result in the protocol's encoding.
  private let json: JSON
  /// The function's name, for error messages.
  private let function: String

  /// Creates a result.
  ///
  /// - Throws: ``FunctionsError/Code/internal`` if the result contains a malformed wrapped integer.
  init(_ json: JSON, function: String) throws(FunctionsError) {
    do { data = try UntypedCoding.value(json) } catch {
      throw FunctionsError(undecodable: error, as: Any.self, function: function)
    }
    self.json = json
    self.function = function
  }

  /// Decodes the result.
  ///
  /// ```swift
  /// let count = try await functions.httpsCallable("count").call().data(as: Int.self)
  /// ```
  ///
  /// - Parameter type: the type to decode.
  /// - Throws: ``FunctionsError`` with ``FunctionsError/Code/internal`` if the result has another form.
  public func data<Response: Decodable>(as type: Response.Type) throws -> Response {
    do { return try CallableCoding.decode(type, from: json) } catch {
      throw FunctionsError(undecodable: error, as: type, function: function)
    }
  }
}
