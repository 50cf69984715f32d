package import TenonFoundation

extension TimeSource {
  /// Returns the wall-clock time as a timestamp, in microseconds, the precision of documents.
  package func timestamp() -> Timestamp { Timestamp(date: date()) }
}
