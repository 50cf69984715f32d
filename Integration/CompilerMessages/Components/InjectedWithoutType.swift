import TenonCore

@MainActor private final class Page {
  // error: generic parameter 'Value' could not be inferred
  @Injected var clock
}
