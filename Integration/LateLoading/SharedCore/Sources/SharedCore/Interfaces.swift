@_exported import TenonCore

/// An interface that a plugin provides.
public protocol Payments: Sendable {
  var provider: String { get }
}

/// An interface to which several plugins can contribute.
public protocol Receipt: Sendable {
  var text: String { get }
}

/// An interface whose instance is created on the main actor.
public protocol Screen: Sendable {
  var title: String { get }
}

/// An interface that the host itself provides.
public protocol Ledger: Sendable {
  var owner: String { get }
}
