@preconcurrency import Dispatch
import TenonBasics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// The memory pressure of the system.
///
/// Uses the memory pressure source of Dispatch on Apple platforms, and [pressure stall
/// information](https://docs.kernel.org/accounting/psi.html) on Linux. Elsewhere, there are no events.
///
/// On Linux, there is an event for each interval in which programs waited for memory for at least a certain
/// fraction of the time: ``MemoryPressure/critical`` if all of them waited simultaneously for that long,
/// otherwise ``MemoryPressure/warning``. Kernels provide the information since version 4.20, if they are
/// configured with it. If the file can't be read at the beginning, a notice is logged and the events end.
public struct SystemMemoryPressure: MemoryPressureSource {
  /// The path of the kernel's file.
  private let file: String
  /// The time between two readings.
  private let interval: Duration
  /// The fraction of an interval that must have been lost.
  private let threshold: Double

  /// Creates a source.
  ///
  /// The parameters apply to Linux, where the time that programs spent waiting for memory is polled.
  ///
  /// - Parameters:
  ///   - file: the kernel's file, by default that of the whole system; a control group has its own
  ///     `memory.pressure`.
  ///   - interval: the time between two readings, more than 0; two seconds by default.
  ///   - threshold: the fraction of an interval that must have been lost, from 0 to 1; 0.1 by default. With
  ///     0, every reading is an event.
  public init(
    file: String = "/proc/pressure/memory", interval: Duration = .seconds(2), threshold: Double = 0.1
  ) {
    self.file = file
    self.interval = interval
    self.threshold = threshold
  }

  #if canImport(Darwin)
    /// The events from now on, as the system reports them. A reader that is busy receives all of them later.
    public var events: AsyncStream<MemoryPressure> {
      AsyncStream { continuation in
        let source = DispatchSource.makeMemoryPressureSource(
          eventMask: [.warning, .critical], queue: .global())
        source.setEventHandler { [weak source] in
          continuation.yield(source?.data.contains(.critical) ?? false ? .critical : .warning)
        }
        continuation.onTermination = { _ in source.cancel() }
        source.activate()
      }
    }
  #elseif os(Linux) || os(Android)
    /// The events from now on. The file is read once now and then periodically on a dedicated queue, until
    /// the iteration ends. A reader that is busy receives only the newest event.
    public var events: AsyncStream<MemoryPressure> {
      AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
        guard var last = PressureStall(file: file) else {
          AppLogger(source: "tenon-core").notice("\(file) can't be read, so memory pressure isn't noticed.")
          return continuation.finish()
        }
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "tenon.memory-pressure"))
        // Checked: at most a year.
        let nanoseconds = Int(interval.limited / .nanoseconds(1))
        // Checked: an integer.
        timer.schedule(deadline: .now() + .nanoseconds(nanoseconds), repeating: .nanoseconds(nanoseconds))
        timer.setEventHandler { [file, interval, threshold] in
          guard let now = PressureStall(file: file) else { return }
          if let pressure = now.pressure(since: last, interval: interval, threshold: threshold) {
            continuation.yield(pressure)
          }
          last = now
        }
        continuation.onTermination = { _ in timer.cancel() }
        timer.activate()
      }
    }
  #else
    /// No events.
    public var events: AsyncStream<MemoryPressure> { AsyncStream { $0.finish() } }
  #endif
}

/// The time that programs have spent waiting for memory: Linux's [pressure stall
/// information](https://docs.kernel.org/accounting/psi.html). The counters only grow.
struct PressureStall: Sendable, Equatable {
  /// Microseconds during which at least one program waited.
  var some: UInt64
  /// Microseconds during which all programs waited.
  var full: UInt64

  /// Parses the kernel's two lines, `some avg10=0.00 avg60=0.00 avg300=0.00 total=12345` and `full …`.
  /// Returns `nil` if the first is missing.
  ///
  /// - Parameter text: the content of the kernel's file. Other lines and fields are ignored.
  init?(text: String) {
    var totals: [String: UInt64] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard let kind = words.first, let total = words.last(where: { $0.hasPrefix("total=") }) else {
        continue
      }
      // Checked: text; the initializer is failable.
      totals[String(kind)] = UInt64(String(total.dropFirst(6)))
    }
    guard let some = totals["some"] else { return nil }
    self.some = some
    full = totals["full"] ?? 0
  }

  /// Returns the pressure between two readings, or `nil` if there was none.
  ///
  /// - Parameters:
  ///   - earlier: the first reading.
  ///   - interval: the time between the readings.
  ///   - threshold: the fraction of the interval that must have been lost, from 0 to 1.
  /// - Returns: ``MemoryPressure/critical`` if all programs waited simultaneously for that long, otherwise
  ///   ``MemoryPressure/warning`` if at least one did.
  func pressure(since earlier: PressureStall, interval: Duration, threshold: Double) -> MemoryPressure? {
    let limit = threshold * (interval / .microseconds(1))
    if Double(full &- earlier.full) >= limit { return .critical }
    return Double(some &- earlier.some) >= limit ? .warning : nil
  }
}

#if os(Linux) || os(Android)
  extension PressureStall {
    /// Reads the kernel's file. Returns `nil` if it doesn't exist, as in kernels without pressure stall
    /// information.
    ///
    /// - Parameter file: the path. At most 512 bytes are read, several times the length of the two lines.
    init?(file: String) {
      guard let stream = fopen(file, "r") else { return nil }
      defer { fclose(stream) }
      var bytes = [UInt8](repeating: 0, count: 512)
      let count = fread(&bytes, 1, bytes.count, stream)
      // Checked: a number of bytes that were read.
      self.init(text: String(decoding: bytes.prefix(count), as: UTF8.self))
    }
  }
#endif
