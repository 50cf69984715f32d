/// A version as semver.org defines it: major, minor and patch, with an optional pre-release label.
public struct SemanticVersion: Sendable, Hashable, CustomStringConvertible {
  /// Changes when users must change their code.
  public var major: Int
  /// Changes when something is added.
  public var minor: Int
  /// Changes when something is mended.
  public var patch: Int
  /// For example `beta.1`; `nil` for a release.
  public var prerelease: String?

  /// Creates a version.
  public init(_ major: Int, _ minor: Int, _ patch: Int, prerelease: String? = nil) {
    self.major = major
    self.minor = minor
    self.patch = patch
    self.prerelease = prerelease
  }

  /// The version as text, for example `1.4.0` or `2.0.0-beta.1`.
  public var description: String {
    let release = "\(major).\(minor).\(patch)"
    guard let prerelease else { return release }
    return "\(release)-\(prerelease)"
  }
}
