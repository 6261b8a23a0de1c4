#!/usr/bin/env python3
"""usage: wheel.py PACKAGE VERSION FOLDER   Packs the built Python package as a wheel.

A wheel is a zip file with a list of its files. The module is for the stable ABI and holds our own libraries; HDF5 and the others
come from the system. Files are in a fixed order with a fixed date, so that the same build gives the same bytes.
"""

import base64
import hashlib
import os
import pathlib
import sys
import sysconfig
import time
import zipfile

METADATA = """Metadata-Version: 2.1
Name: capstan
Version: {version}
Summary: Simulation of contact with exact Coulomb friction
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: numpy
Requires-Dist: cffi
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: capstan\nRoot-Is-Purelib: false\nTag: {tag}\n"


def main(package, version, folder):
    tag = "cp39-abi3-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
    date = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "315532800")), 315532800))[:6]
    files = {f"capstan/{path.name}": path.read_bytes() for path in pathlib.Path(package).iterdir()
             if path.suffix in (".py", ".pyi", ".so") or path.name == "py.typed"}
    scenes = pathlib.Path(__file__).resolve().parent.parent / "scenes"  # Scene("knot") finds them
    files |= {f"capstan/scenes/{path.relative_to(scenes)}": path.read_bytes() for path in scenes.rglob("*") if path.is_file()}
    if not any(name.endswith(".so") for name in files):
        sys.exit(f"{package}: holds no module")
    info = f"capstan-{version}.dist-info"
    files[f"{info}/METADATA"] = METADATA.format(version=version).encode()
    files[f"{info}/WHEEL"] = WHEEL.format(tag=tag).encode()
    record = ""
    for name in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(files[name])}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    target = pathlib.Path(folder) / f"capstan-{version}-{tag}.whl"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            wheel.writestr(entry, files[name])
    print(target)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
