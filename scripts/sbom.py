#!/usr/bin/env python3
"""usage: sbom.py OUT.cdx.json NOTICES.txt BINARY…   A software bill of materials (CycloneDX 1.5) of what the binaries link and what is bundled
into them, and the licences of all of it. Libraries are found by the loader and named by the packages of this machine; their licences are
those of docs/reference/licences.md, and a library that this page does not know is an error. npm packages are those of web/package-lock.json."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# As SPDX writes what the page says.
SPDX = {"LGPL-2.1+": "LGPL-2.1-or-later", "BSD-3-clause": "BSD-3-Clause", "Apache-2.0": "Apache-2.0", "MIT": "MIT", "zlib": "Zlib"}
# Packages of npm whose files are in the site that `make site` builds and in its live scenes, beside those in the viewer's page.
SITE = {"katex": "site", "minisearch": "site", "yaml": "live scenes"}


def known_licences():
    """Debian package: licence, of the table in the book."""
    text = (ROOT / "docs" / "reference" / "licences.md").read_text()
    return dict(re.findall(r"^\|[^|]*\| `(lib[^`]+|zlib1g)` \| ([^|]+?) \|", text, re.MULTILINE))


def needed(path):
    said = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", said)


def loaded(path):
    """Name: file, of everything the loader would load."""
    said = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
    return dict(re.findall(r"^\s*(\S+) => (/\S+)", said, re.MULTILINE))


def owners(files):
    """Debian's package of each file and its version, by two questions: each of them reads all lists of packages."""
    names = {file: (file, os.path.realpath(file), "/usr" + os.path.realpath(file), os.path.realpath(file).removeprefix("/usr")) for file in files}
    said = subprocess.run(["dpkg-query", "-S", *sorted({name for group in names.values() for name in group})], capture_output=True, text=True).stdout
    package_of = dict(reversed(line.split(": ", 1)) for line in said.splitlines() if ": " in line and not line.startswith("diversion"))
    found = {}
    for file, group in names.items():
        name = next((package_of[name] for name in group if name in package_of), None)
        if name is None:
            sys.exit(f"{file}: no package of this machine owns it")
        found[file] = name.split(",")[0].split(":")[0]
    said = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version}\n", *sorted(set(found.values()))], capture_output=True, text=True, check=True).stdout
    versions = dict(line.split() for line in said.splitlines())
    return {file: (package, versions[package]) for file, package in found.items()}


def licence_of_copyright(package):
    """The licences that a machine-readable copyright file names; for what is loaded in turn."""
    path = pathlib.Path("/usr/share/doc") / package / "copyright"
    names = re.findall(r"^License: *(\S[^\n]*)", path.read_text(errors="replace"), re.MULTILINE) if path.exists() else []
    return sorted(set(names))


def library(package, version, direct, licences):
    part = {"type": "library", "bom-ref": f"deb:{package}", "name": package, "version": version,
            "purl": f"pkg:deb/debian/{package}@{version.replace('+', '%2B').replace(':', '%3A')}",
            "properties": [{"name": "capstan:linked", "value": "direct" if direct else "in turn"}]}
    if licences:
        part["licenses"] = [{"license": {"id": SPDX[name]} if name in SPDX else {"name": name}} for name in licences]
    return part


def system_libraries(binaries):
    direct, files = set(), {}
    for binary in binaries:
        direct.update(needed(binary))
        files.update(loaded(binary))
    known, parts, unknown = known_licences(), {}, []
    for name, file in sorted(files.items()):
        if name.startswith("libcapstan"):
            direct.update(needed(file))
    owned = owners(file for name, file in files.items() if not name.startswith("libcapstan"))
    for name, file in sorted(files.items()):
        if name.startswith("libcapstan"):
            continue
        package, version = owned[file]
        if name in direct and package not in known and package not in ("libgcc-s1", "libstdc++6"):
            unknown.append(f"{name} ({package})")
        is_direct = name in direct or (package in parts and parts[package]["properties"][0]["value"] == "direct")
        licences = [known[package]] if package in known else licence_of_copyright(package)
        parts[package] = library(package, version, is_direct, licences)
    if unknown:
        sys.exit(f"docs/reference/licences.md does not know {', '.join(unknown)}")
    return list(parts.values())


def npm_packages(notices):
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text())
    parts = []
    for place, entry in sorted(lock["packages"].items()):
        name = place.removeprefix("node_modules/")
        where = "page" if place and not entry.get("dev") else SITE.get(name)
        if where is None:
            continue
        if not entry.get("license"):
            sys.exit(f"web/package-lock.json: {name} has no licence")
        parts.append({"type": "library", "bom-ref": f"npm:{name}", "name": name, "version": entry["version"],
                      "purl": f"pkg:npm/{name.replace('@', '%40')}@{entry['version']}",
                      "licenses": [{"license": {"id": entry["license"]}}],
                      "hashes": [{"alg": "SHA-512", "content": integrity(entry)}],
                      "properties": [{"name": "capstan:bundled", "value": where}]})
        folder = ROOT / "web" / place
        texts = sorted(path for path in folder.glob("*") if re.match(r"(?i)licen[sc]e|copying|notice", path.name)) if folder.is_dir() else []
        for path in texts:
            notices.append(f"{name} {entry['version']} ({entry['license']}), bundled in the {where}\n\n{path.read_text(errors='replace').strip()}\n")
        if folder.is_dir() and not texts:
            sys.exit(f"{folder}: holds no licence")
    return parts


def runtime(notices):
    """What Emscripten compiles into the live scenes: its runtime and the C library musl; nothing where it is not installed."""
    if shutil.which("em-config") is None:
        return []
    said = subprocess.run(["em-config", "EMSCRIPTEN_ROOT"], capture_output=True, text=True, check=True).stdout
    root = pathlib.Path(said.strip())
    version = re.search(r"[\d.]+", (root / "emscripten-version.txt").read_text()).group()
    musl = root / "system" / "lib" / "libc" / "musl" / "COPYRIGHT"
    notices.append(f"musl, the C library of Emscripten {version} (MIT), in the live scenes\n\n{musl.read_text().strip()}\n")
    return [{"type": "library", "bom-ref": f"emscripten:{name}", "name": name, "version": version,
             "purl": f"pkg:generic/{name}@{version}", "licenses": [{"license": {"id": "MIT"}}],
             "properties": [{"name": "capstan:bundled", "value": "live scenes"}]} for name in ("emscripten", "emscripten-musl")]


def integrity(entry):
    import base64
    kind, text = entry["integrity"].split("-", 1)
    if kind != "sha512":
        sys.exit(f"expected sha512, found {kind}")
    return base64.b64decode(text).hex()


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    out, text, binaries = sys.argv[1], sys.argv[2], sys.argv[3:]
    version = re.search(r"project\(capstan VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    notices = [f"Capstan {version} (Apache-2.0)\n\n{(ROOT / 'LICENSE').read_text().strip()}\n"]
    libraries, packages = system_libraries(binaries), npm_packages(notices) + runtime(notices)
    notices.append("Linked from the system, with their licences in /usr/share/doc/PACKAGE/copyright:\n\n" + "\n".join(
        f"{part['name']} {part['version']}: {', '.join(x['license'].get('id') or x['license']['name'] for x in part.get('licenses', []))}"
        for part in libraries if part["properties"][0]["value"] == "direct") + "\n")
    files = [{"type": "file", "name": os.path.basename(path), "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()}]}
             for path in sorted(binaries)]
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
            "metadata": {"component": {"type": "library", "bom-ref": "capstan", "name": "capstan", "version": version,
                                       "licenses": [{"license": {"id": "Apache-2.0"}}], "components": files}},
            "components": libraries + packages,
            "dependencies": [{"ref": "capstan", "dependsOn": [part["bom-ref"] for part in libraries + packages
                                                             if part["properties"][0]["value"] != "in turn"]}]}
    pathlib.Path(out).write_text(json.dumps(bill, indent=1, ensure_ascii=False) + "\n")
    pathlib.Path(text).write_text(("\n" + "-" * 100 + "\n\n").join(notices))
    print(f"{len(libraries)} libraries, {len(packages)} bundled packages")


if __name__ == "__main__":
    main()
