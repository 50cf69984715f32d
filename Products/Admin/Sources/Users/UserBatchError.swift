import TenonJSON

/// Why one of several users wasn't imported or deleted.
public struct UserBatchError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The index of the user in the argument of the call.
  public let index: Int
  /// The reason that the server states, in English.
  public let message: String

  /// The message and the index.
  public var description: String { "\(message) (user \(index))" }

  /// Reads the errors of an answer, in the order of their indices.
  ///
  /// - Parameters:
  ///   - list: the list of the answer; `nil` if there are no errors.
  ///   - count: the number of users in the request.
  /// - Throws: ``AdminError`` with ``AdminError/Code/internalError`` if an error isn't about a user of the
  ///   request, or two are about the same one.
  static func all(in list: JSON?, count: Int) throws(AdminError) -> [UserBatchError] {
    var errors: [Int: UserBatchError] = [:]
    for error in list?.array ?? [] {
      // Zero is left out in the JSON form of protocol buffers.
      guard let index = Int(decimal: error["index"]?.text ?? "0"), 0 <= index, index < count,
        errors[index] == nil
      else {
        throw AdminError(
          .internalError,
          "The server for accounts reports an error of a user that wasn't in the request. Look the users up.")
      }
      errors[index] = UserBatchError(
        index: index, message: error["message"]?.string ?? "The server gives no reason.")
    }
    return errors.values.sorted { $0.index < $1.index }
  }
}

/// The outcome of ``Admin/deleteUsers(withUIDs:)``.
public struct DeleteUsersResult: Sendable, Hashable {
  /// The number of users that don't exist any more, among them those that didn't exist before.
  public let successCount: Int
  /// Why the others weren't deleted, in the order of the users.
  public let errors: [UserBatchError]
  /// The number of users that weren't deleted.
  public var failureCount: Int { errors.count }
}
