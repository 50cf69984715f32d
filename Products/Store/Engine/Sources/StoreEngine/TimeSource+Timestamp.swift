import TenonCore
import TenonDocuments
import TenonStoreInterop

extension TimeSource {
  /// Returns the wall-clock time as a timestamp, with which writes are dated.
  func timestamp() -> Timestamp { Timestamp(date: date()) }
}
