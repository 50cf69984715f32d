import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: 'contributing(to:named:)' is unavailable: Convert the instance to the type: .contributing(to: T.self) { $0 }.
    Component(Motor.self) { _ in Motor() }.contributing(to: (any Engine).self)
  }
}
