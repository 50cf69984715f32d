/// The release to which this source belongs.
package enum Release {
  /// The version, as the executables of this package print it with `--version`.
  package static let version = "0.2.0"
}
