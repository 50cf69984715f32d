import Foundation

/// On Linux, the headers and libraries that `Tools/bootstrap` installs are present.
enum SystemPackagesCheck {
  /// A file of a package, with the package's names in the families of distributions.
  struct Package {
    let file: String
    let isHeader: Bool
    let debian: String
    let fedora: String
    let arch: String
    let alpine: String
  }

  static let packages = [
    Package(
      file: "sqlite3.h", isHeader: true, debian: "libsqlite3-dev", fedora: "sqlite-devel", arch: "sqlite",
      alpine: "sqlite-dev"),
    Package(
      file: "crypt.h", isHeader: true, debian: "libcrypt-dev", fedora: "libxcrypt-devel", arch: "libxcrypt",
      alpine: "libxcrypt-dev"),
    Package(
      file: "libcurl.so.4", isHeader: false, debian: "libcurl4", fedora: "libcurl", arch: "curl",
      alpine: "libcurl"),
  ]

  /// - Parameter exists: whether a file exists.
  static func results(_ exists: (String) -> Bool = FileManager.default.fileExists(atPath:)) -> [Diagnosis] {
    #if os(Linux)
      packages.map { package in
        let folders = package.isHeader ? headers : libraries
        if folders.contains(where: { exists("\($0)/\(package.file)") }) {
          return .ok("System packages", "\(package.file) is installed")
        }
        return .problem(
          "System packages", "\(package.file) is missing", fix: installation(of: package, exists))
      }
    #else
      []
    #endif
  }

  private static let headers = ["/usr/include", "/usr/local/include"]
  private static let libraries: [String] = {
    let plain = ["/lib", "/usr/lib", "/lib64", "/usr/lib64", "/usr/local/lib"]
    let multiarch = ["x86_64", "aarch64", "arm", "riscv64", "i386"].flatMap { machine in
      ["/lib", "/usr/lib"].flatMap { ["\($0)/\(machine)-linux-gnu", "\($0)/\(machine)-linux-gnueabihf"] }
    }
    return plain + multiarch
  }()

  private static func installation(of package: Package, _ exists: (String) -> Bool) -> String {
    if exists("/usr/bin/apt-get") { return "sudo apt-get install \(package.debian)" }
    if exists("/usr/bin/dnf") { return "sudo dnf install \(package.fedora)" }
    if exists("/usr/bin/pacman") { return "sudo pacman -S \(package.arch)" }
    if exists("/sbin/apk") { return "sudo apk add \(package.alpine)" }
    return "Install the package that contains \(package.file)."
  }
}
