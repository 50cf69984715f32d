import TenonCore

// error: type 'Single' does not conform to protocol 'ComponentSource'
private struct Single: ComponentSource {
  var components: Component<Motor> { Component(Motor.self) { _ in Motor() } }
}
