import Observation
import TenonCore
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore

/// `LiveDocument`: one document, observed on the main actor.
@MainActor @Suite(.limited) struct LiveDocumentTests {
  struct Note: Codable, Equatable {
    @DocumentID var id: String?
    var title: String
  }

  private let store = makeStore()
  private var tea: DocumentReference { store.document("notes/tea") }

  @Test func aDocumentIsDecodedAndFollowed() async throws {
    let live = LiveDocument(tea, as: Note.self)
    #expect(live.isLoading && live.snapshot == nil && live.value == nil && live.error == nil && !live.exists)
    await Invalidation.wait { !live.isLoading }
    #expect(live.snapshot?.exists == false && live.value == nil && live.error == nil && !live.exists)

    try await tea.setData(from: Note(title: "Tea"))
    await Invalidation.wait { live.exists }
    #expect(live.value == Note(id: "tea", title: "Tea") && live.id == "notes/tea" && live.reference == tea)
    try await tea.delete()
    await Invalidation.wait { !live.exists }
    #expect(live.value == nil && live.error == nil && !live.isFromCache && !live.hasPendingWrites)
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Test func valuesCanBeReadAsAStream() async throws {
    let live = LiveDocument(tea, as: Note.self)
    try await tea.setData(from: Note(title: "0"))
    for await title in Observations({ live.value?.title }) {
      guard let title, let number = Int(title), number < 5 else {
        if title == nil { continue }
        break
      }
      try await tea.updateData(["title": "\(number + 1)"])
    }
    #expect(live.value?.title == "5")
  }

  @Test func theListenerBeginsWithTheObjectAndEndsWithIt() async throws {
    var live: LiveDocument<Note>? = LiveDocument(tea)
    try await eventually { await store.engine.isListened }
    weak let released = live
    live = nil
    #expect(released == nil)
    try await eventually { await !store.engine.isListened }
  }

  /// Observers are notified before the change takes effect.
  @Test func anObserverThatReadsTheFormerValueDoesNotKeepIt() async throws {
    let live = LiveDocument(tea, as: Note.self)
    try await tea.setData(from: Note(title: "old"))
    await Invalidation.wait { live.value?.title == "old" }
    withObservationTracking {
      _ = live.value
    } onChange: {
      MainActor.assumeIsolated { _ = live.value }
    }
    try await tea.updateData(["title": "new"])
    await Invalidation.wait { live.snapshot?.fields?["title"] == "new" }
    #expect(live.value?.title == "new")
  }

  @Test func errorsAreValues() async throws {
    let invalid = LiveDocument(store.document("notes"), as: Note.self)
    await Invalidation.wait { invalid.error != nil }
    #expect(invalid.error?.code == .invalidArgument && !invalid.isLoading)

    try await tea.setData(["title": ["Tea"]])
    let live = LiveDocument(tea, as: Note.self)
    await Invalidation.wait { live.error != nil }
    #expect(live.error?.code == .invalidArgument && live.exists && live.value == nil)
    try await tea.setData(["name": "Tea"])
    await Invalidation.wait { live.snapshot?.fields?["name"] == "Tea" }
    #expect(live.error?.message.contains("notes/tea can't be decoded as Note: title") == true)
    try await tea.setData(["title": "Tea"])
    await Invalidation.wait { live.value != nil }
    #expect(live.error == nil)
  }

  @Test func aConfirmationLeavesTheValueAlone() async throws {
    let remote = FakeStoreRemote()
    let store = makeStore(remote: remote)
    let live = LiveDocument(store.document("notes/tea"), as: Note.self)
    #expect(live.isFromCache)
    await Invalidation.wait { !live.isFromCache }
    remote.delayResponses()
    try await store.document("notes/tea").setData(["title": "Tea"])
    await Invalidation.wait { live.hasPendingWrites }
    let (value, pending) = (Invalidation { _ = live.value }, Invalidation { _ = live.hasPendingWrites })
    remote.deliverDelayedResponses()
    await Invalidation.wait { !live.hasPendingWrites }
    #expect(pending.hasHappened && !value.hasHappened && live.value?.title == "Tea")
    await store.terminate()
    await Invalidation.wait { live.error != nil }
    #expect(live.error?.code == .closed && live.value?.title == "Tea")
  }
}
