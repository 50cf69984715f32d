import TenonCore

@MainActor private final class Page {
  // error: 'init(_:named:app:)' is unavailable: Give the type to the property: @Injected var value: T.
  @Injected((any Clock).self) var clock
}
