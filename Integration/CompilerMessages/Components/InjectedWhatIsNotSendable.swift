import TenonCore

@MainActor private final class Page {
  // error: type 'Notebook' does not conform to the 'Sendable' protocol
  @Injected var notebook: Notebook
}
