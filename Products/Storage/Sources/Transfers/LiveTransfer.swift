public import Observation
import TenonFoundation

/// An upload or a download that is observed: its state, for views and other observers on the main actor.
///
/// It follows the transfer from its creation until it is released, and belongs to whatever holds it.
/// Releasing it neither pauses nor cancels the transfer. Its properties are observed individually.
///
/// ```swift
/// struct UploadView: View {
///   let upload: StorageUploadTask
///   @State var transfer: LiveTransfer
///
///   var body: some View {
///     ProgressView(value: transfer.progress.fractionCompleted)
///     if let error = transfer.error { Text("\(error)") }
///   }
/// }
/// ```
@MainActor @Observable public final class LiveTransfer {
  /// The object.
  public nonisolated let reference: StorageReference
  /// What the transfer is doing.
  public private(set) var status: StorageTaskStatus
  /// The bytes that have been transferred. The numbers only grow.
  public private(set) var progress: OperationProgress
  /// The metadata of the stored object; `nil` unless the transfer is an upload that has succeeded.
  public private(set) var metadata: StorageMetadata?
  /// Why the transfer has failed, as thrown by its `value`; `nil` unless ``status`` is
  /// ``StorageTaskStatus/failure``.
  public private(set) var error: (any Error)?

  /// Reads the states of the transfer.
  @ObservationIgnored private var reader: MainActorReader?

  /// Starts to follow an upload.
  public convenience init(_ upload: StorageUploadTask) {
    self.init(upload.snapshots) { upload.snapshot }
  }

  /// Starts to follow a download into a file.
  public convenience init(_ download: StorageDownloadTask) {
    self.init(download.snapshots) { download.snapshot }
  }

  /// - Parameters:
  ///   - snapshots: the states of the transfer.
  ///   - current: returns the state at the moment of the call.
  private init(
    _ snapshots: AsyncThrowingStream<StorageTaskSnapshot, any Error>,
    _ current: @escaping @Sendable () -> StorageTaskSnapshot
  ) {
    let snapshot = current()
    (reference, status, progress) = (snapshot.reference, snapshot.status, snapshot.progress)
    (metadata, error) = (snapshot.metadata, snapshot.error)
    reader = MainActorReader(
      snapshots, receive: { [weak self] in self?.receive($0) },
      end: { [weak self] _ in self?.receive(current()) })
  }

  /// Takes over a state. Observers of what is unchanged aren't invalidated.
  private func receive(_ new: StorageTaskSnapshot) {
    if progress != new.progress { progress = new.progress }
    guard status != new.status else { return }
    (metadata, error) = (new.metadata, new.error)
    status = new.status
  }
}
