/// Where the clients of each emulator find the server.
struct ServedPlaces: Sendable {
  private let ports: [Emulator: UInt16]

  /// The ports on which the server also listens on `::1`.
  private let portsOfIPv6: Set<UInt16>

  /// - Parameters:
  ///   - ports: the ports; not empty.
  ///   - portsOfIPv6: those on which the server also listens on `::1`.
  init(_ ports: [Emulator: UInt16], onIPv6 portsOfIPv6: Set<UInt16>) {
    self.ports = ports
    self.portsOfIPv6 = portsOfIPv6
  }

  /// Returns whether an emulator is also found on `::1`.
  func isOnIPv6(_ emulator: Emulator) -> Bool { portsOfIPv6.contains(port(of: emulator)) }
  /// Returns the origins of an emulator, of which the first one is that of its address.
  func origins(of emulator: Emulator) -> [String] {
    let other = isOnIPv6(emulator) ? ["http://[::1]:\(port(of: emulator))"] : []
    return ["http://\(address(of: emulator))"] + other
  }

  /// The emulators that have a port, in their order.
  var emulators: [Emulator] { Emulator.allCases.filter { ports[$0] != nil } }
  var hasOnePort: Bool { Set(ports.values).count == 1 }

  /// Returns the port of an emulator; 0 if it has none.
  func port(of emulator: Emulator) -> UInt16 { ports[emulator] ?? 0 }
  /// Returns the address of an emulator, as `host:port`.
  func address(of emulator: Emulator) -> String { "127.0.0.1:\(port(of: emulator))" }
}
