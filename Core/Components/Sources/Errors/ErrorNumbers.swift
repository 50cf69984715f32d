// Every error of Core has a number, which is the first word of its text and the name of its page in the
// documentation. A number is never given to another error. The first digit is the subject: 1 the graph, 2
// requests, 3 apps and their options, 4 libraries.

extension ConfigurationError.Code {
  /// The number of the kind of problem, for example `TENON-102`, which is stable across versions and names
  /// its page in the documentation; `nil` for a code that this version doesn't know.
  public var number: String? { Self.numbers[self].map { "TENON-\($0)" } }

  /// The numbers of all codes.
  static let numbers: [Self: Int] = [
    .duplicateKey: 101,
    .missingDependency: 102,
    .cycle: 103,
    .depth: 104,
    .badName: 105,
    .timing: 106,
    .arguments: 107,
    .unknownComponent: 108,
    .missingOption: 301,
    .malformedOption: 302,
    .unreadableFile: 303,
    .missingBackend: 304,
    .unknownLibrary: 305,
    .alreadyConfigured: 306,
    .notConfigured: 307,
    .unusableDirectory: 308,
    .duplicateLibrary: 401,
    .adoption: 402,
    .severalCores: 403,
  ]
}

extension ComponentError.Code {
  /// The number of the kind of failure, for example `TENON-201`, which is stable across versions and names
  /// its page in the documentation; `nil` for a code that this version doesn't know.
  public var number: String? { Self.numbers[self].map { "TENON-\($0)" } }

  /// The numbers of all codes.
  static let numbers: [Self: Int] = [
    .notProvided: 201,
    .creationFailed: 202,
    .unavailable: 203,
    .cycle: 204,
    .appDeleted: 205,
    .containerDeleted: 206,
    .noApp: 207,
    .arguments: 208,
    .notOnMainActor: 209,
    .updateWhileCreating: 210,
    .notOverridden: 211,
    .notRegistered: 212,
    .weakValue: 213,
  ]
}
