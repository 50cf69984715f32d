@_exported import TenonCore

/// What a plugin brings.
public protocol Payments: Sendable {
  var provider: String { get }
}

/// What several plugins may contribute.
public protocol Receipt: Sendable {
  var text: String { get }
}

/// What is made on the main actor.
public protocol Screen: Sendable {
  var title: String { get }
}

/// What the host has itself.
public protocol Ledger: Sendable {
  var owner: String { get }
}
