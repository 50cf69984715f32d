import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    // error: 'contributing(_:named:_:)' is unavailable: The label is to: .contributing(to: T.self) { $0 }.
    Component(Motor.self) { _ in Motor() }.contributing((any Engine).self) { $0 }
  }
}
