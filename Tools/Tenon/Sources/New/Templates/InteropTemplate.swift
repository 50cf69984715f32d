/// The text of a new interop module.
enum InteropTemplate {
  static func text(_ name: String, interface: String) -> String {
    """
    /// Provides \(name) to other products.
    ///
    /// Replace the requirement by what other products need, and write here what every implementation guarantees.
    ///
    /// Requirements for implementations:
    /// - It can be used from any thread, concurrently.
    public protocol \(interface): Sendable {
      /// A sentence about the state, for people.
      var status: String { get async throws }
    }

    """
  }
}
