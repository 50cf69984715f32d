"""The public symbols of this package's modules, as the compiler knows them. Used by build-docs and check-api."""
import json, re, subprocess, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / ".build/debug"
# The module whose public declarations a module exports as its own.
EXPORTED = {"TenonStore": "TenonStoreEngine"}


def manifest():
    """Returns the package's manifest, whose targets and products SwiftPM lists in JSON."""
    command = ["swift", "package", "--ignore-lock", "--package-path", str(ROOT), "dump-package"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def triple():
    target = subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True, check=True).stdout
    return re.search(r'"triple": "([^"]+)"', target)[1]


def module_maps(build):
    """Returns the options with which the extraction finds the C modules that Swift modules import."""
    folders = sorted({path.parent for area in ("Core", "Products") for path in (ROOT / area).rglob("module.modulemap")})
    generated = sorted(path.parent for path in build.glob("*.build/module.modulemap"))
    return [option for folder in [*folders, *generated] for option in ("-I", str(folder))]


def extract(module, folder, target, build=BUILD):
    """Writes the public symbols of a module of a finished build, and returns what the extraction reports if it fails.

    folder: where the files module.symbols.json, and module@other.symbols.json for extensions of other modules, go to
    target: the triple for which the module was built
    """
    if (report := run(module, folder, target, build)) or module not in EXPORTED:
        return report
    # The compiler's option for exported modules omits the members of extensions.
    exported = EXPORTED[module]
    with tempfile.TemporaryDirectory() as others:
        if report := run(exported, Path(others), target, build):
            return report
        file = folder / f"{module}.symbols.json"
        graph, other = (json.loads(path.read_text()) for path in (file, Path(others) / f"{exported}.symbols.json"))
    for key in ("symbols", "relationships"):
        graph[key] += other[key]
    file.write_text(json.dumps(graph))
    return ""


def run(module, folder, target, build):
    """Writes the public symbols of one module, as extract."""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["swift-symbolgraph-extract", "-module-name", module, "-minimum-access-level", "public", "-target", target]
    command += ["-I", str(build / "Modules"), *module_maps(build)]
    command += ["-skip-inherited-docs", "-skip-synthesized-members", "-output-dir", str(folder)]
    result = subprocess.run(command, capture_output=True, text=True)
    return result.stderr if result.returncode else ""
