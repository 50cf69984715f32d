import TenonCore

// error: type 'TextLibrary' does not conform to protocol 'Library'
private enum TextLibrary: Library {
  static let name = "text"
  static let version = "1.0.0"
  @ComponentBuilder static var components: [AnyComponent] { Component(Motor.self) { _ in Motor() } }
}
