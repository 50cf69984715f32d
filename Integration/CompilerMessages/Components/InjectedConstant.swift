import TenonCore

@MainActor private final class Page {
  // error: property wrapper can only be applied to a 'var'
  @Injected let clock: any Clock
}
