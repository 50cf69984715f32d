import Foundation
import TenonCore

/// One of several property lists, chosen when the program starts.
func configureForStaging() {
  guard
    let path = Bundle.main.path(forResource: "GoogleService-Info-Staging", ofType: "plist"),
    // expect: 'FirebaseOptions' has been renamed to 'AppOptions'
    // expect: initializer for conditional binding must have Optional type, not 'FirebaseOptions' (aka 'AppOptions')
    // expect: call can throw, but it is not marked with 'try' and the error is not handled
    let options = FirebaseOptions(contentsOfFile: path)
  else {
    fatalError("The property list of the staging project is missing.")
  }
  // expect: 'FirebaseApp' has been renamed to 'App'
  // expect: call can throw, but it is not marked with 'try' and the error is not handled
  FirebaseApp.configure(options: options)
}
