import Foundation
import TenonAppCheck
import TenonCore

/// The factory of a program's providers.
// expect: 'AppCheckProviderFactory' is unavailable: A provider is a component of the app, without a factory: try App.configure(sources: [CustomAppCheckProvider { limitedUse in … }]).
final class HarbourAppCheckProviderFactory: NSObject, AppCheckProviderFactory {
  // expect: 'FirebaseApp' has been renamed to 'App'
  func createProvider(with app: FirebaseApp) -> AppCheckProvider? {
    // expect: 'AppAttestProvider' is unavailable: App Attest isn't supported. Attest in your own code, with CustomAppCheckProvider { limitedUse in … }.
    AppAttestProvider(app: app)
  }
}

/// DeviceCheck instead.
func deviceCheck() {
  // expect: 'setAppCheckProviderFactory' is unavailable: The provider is a component of the app: try App.configure(sources: [AppCheckDebugProviderFactory()]), or sources: [CustomAppCheckProvider { limitedUse in … }].
  // expect: 'DeviceCheckProviderFactory' is unavailable: DeviceCheck isn't supported. Attest in your own code, with CustomAppCheckProvider { limitedUse in … }.
  AppCheck.setAppCheckProviderFactory(DeviceCheckProviderFactory())
}
