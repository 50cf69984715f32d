import TenonCore

@MainActor private final class Page {
  // error: 'init(_:)' is unavailable: The label is named: @Injected(named: "…") var value: T.
  @Injected("utc") var clock: any Clock
}
