import Foundation
import TenonCore
import TenonFoundation

/// Turns the first Ctrl-C into a request to stop. The second one ends the process.
struct Interruption {
  /// The conventional exit code of a program that Ctrl-C has ended: 128 and the number of the signal.
  static let exitCode = 128 + SIGINT

  /// Whether Ctrl-C was pressed.
  private final class Flag: Sendable {
    private let value = Lock(false)
    var isRaised: Bool { value.withLock { $0 } }
    func raise() { value.withLock { $0 = true } }
  }

  private let source: any DispatchSourceSignal
  private let flag = Flag()

  /// Whether Ctrl-C was pressed.
  var isRaised: Bool { flag.isRaised }

  /// Begins to handle Ctrl-C.
  ///
  /// - Parameter action: runs when Ctrl-C is pressed, on a separate thread.
  init(_ action: @escaping @Sendable () -> Void = {}) {
    // The default action would end the process before the source receives the signal.
    signal(SIGINT, SIG_IGN)
    source = DispatchSource.makeSignalSource(signal: SIGINT)
    source.setEventHandler { [flag] in
      flag.raise()
      signal(SIGINT, SIG_DFL)
      action()
    }
    source.resume()
  }

  func end() {
    source.cancel()
    signal(SIGINT, SIG_DFL)
  }
}
