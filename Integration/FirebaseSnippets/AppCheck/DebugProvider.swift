import TenonAppCheck
import TenonCore

/// The provider for simulators and servers.
func debugProvider() {
  let providerFactory = AppCheckDebugProviderFactory()
  // expect: 'setAppCheckProviderFactory' is unavailable: The provider is a component of the app: try App.configure(sources: [AppCheckDebugProviderFactory()]), or sources: [CustomAppCheckProvider { limitedUse in … }].
  AppCheck.setAppCheckProviderFactory(providerFactory)
  // expect: 'FirebaseApp' has been renamed to 'App'
  // expect: call can throw, but it is not marked with 'try' and the error is not handled
  FirebaseApp.configure()
}
