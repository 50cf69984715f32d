/// A version as [semver.org](https://semver.org) defines it: major, minor and patch, and an optional
/// pre-release label.
public struct SemanticVersion: Sendable, Hashable, CustomStringConvertible {
  /// The major version, for incompatible changes.
  public var major: Int
  /// The minor version, for additions.
  public var minor: Int
  /// The patch version, for fixes.
  public var patch: Int
  /// The pre-release label, for example `beta.1`; `nil` for a release.
  public var prerelease: String?

  /// Creates a version.
  ///
  /// - Parameters:
  ///   - major: the major version.
  ///   - minor: the minor version.
  ///   - patch: the patch version.
  ///   - prerelease: the pre-release label; `nil` for a release.
  public init(_ major: Int, _ minor: Int, _ patch: Int, prerelease: String? = nil) {
    self.major = major
    self.minor = minor
    self.patch = patch
    self.prerelease = prerelease
  }

  /// The version as text, for example `1.4.0` or `2.0.0-beta.1`.
  public var description: String {
    @inline(never) get {
      let release = "\(major).\(minor).\(patch)"
      guard let prerelease else { return release }
      return "\(release)-\(prerelease)"
    }
  }
}
