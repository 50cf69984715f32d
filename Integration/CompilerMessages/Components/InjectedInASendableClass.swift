import TenonCore

private final class Page: Sendable {
  // error: stored property '_clock' of 'Sendable'-conforming class 'Page' is mutable
  @Injected var clock: any Clock
}
