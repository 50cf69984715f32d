/// Whether the tests run on Linux, the only system on which programs can be inspected so far.
var isLinux: Bool {
  #if os(Linux)
    true
  #else
    false
  #endif
}
