#!/usr/bin/env python3
"""usage: abi.py LIST BUILD [--write]   What the public headers and the shared libraries of BUILD offer, against the list of the last
release. Functions, structures and constants may join; one that is gone or has become another fails. A structure of that release with new
fields has another size in programs compiled before: that needs a new soname, and nothing else may change it. --write makes the list anew: for a
release, never to make a test pass."""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def declarations():
    """The headers without comments and directives; the mark of what is public stays."""
    names = sorted((ROOT / "include" / "capstan").glob("*.h"))
    text = "".join(f'#include "{path}"\n' for path in names)
    with tempfile.TemporaryDirectory() as folder:  # the headers of the C library are empty here
        for name in ("stdbool.h", "stddef.h", "stdint.h"):
            (pathlib.Path(folder) / name).write_text("")
        command = ["cc", "-E", "-P", "-nostdinc", "-DCAPSTAN_SHARED", f"-I{folder}", f"-I{ROOT / 'include'}", "-x", "c", "-"]
        out = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return re.sub(r'__attribute__\(\(visibility\("default"\)\)\)', "CPS_PUBLIC", out)


def tidy(text):
    text = " ".join(text.split())
    return re.sub(r" ?([*,()\[\];]) ?", r"\1", text)


def offers():
    text = declarations()
    found = {}
    for signature in re.findall(r"CPS_PUBLIC\s+([^;{]+);", text):
        name = re.search(r"(cps_\w+)\s*\(", signature).group(1)
        found[f"function {name}"] = tidy(signature)
    for body, name in re.findall(r"typedef struct \w* ?\{(.*?)\}\s*(\w+);", text, re.DOTALL):
        for field in re.sub(r"\s+", " ", body).split(";"):
            kind = re.match(r"\s*(.*?)\s*\b(\w+)((?:\[\w+\])*)\s*$", field.split(",")[0])
            if not kind or not field.strip():
                continue
            base, first, array = kind.groups()
            found[f"field {name}.{first}"] = tidy(base + array)
            for other in field.split(",")[1:]:
                if re.fullmatch(r"\s*\w+\s*", other):
                    found[f"field {name}.{other.strip()}"] = tidy(base)
    for body in re.findall(r"enum \w* ?\{(.*?)\}", text, re.DOTALL):
        value = -1
        for entry in body.split(","):
            parts = [part.strip() for part in entry.split("=")]
            if not parts[0]:
                continue
            value = parts[1] if len(parts) > 1 else value + 1
            if isinstance(value, str) and re.fullmatch(r"-?\d+", value):
                value = int(value)
            if not parts[0].endswith("COUNT"):  # how many there are may grow
                found[f"constant {parts[0]}"] = str(value)
    return found


def sonames(build):
    out = {}
    for path in sorted(pathlib.Path(build).glob("libcapstan*.so")):
        said = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
        out[f"soname {path.stem}"] = re.search(r"SONAME.*\[(.*)\]", said).group(1)
    return out


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["--write"]):
        sys.exit(__doc__)
    path, now = pathlib.Path(sys.argv[1]), {**sonames(sys.argv[2]), **offers()}
    version = re.search(r"project\(capstan VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    if sys.argv[3:]:
        path.write_text(f"# What release {version} offers; scripts/abi.py reads and writes it.\n" + "".join(f"{k}: {v}\n" for k, v in sorted(now.items())))
        return
    before = dict(line.split(": ", 1) for line in path.read_text().splitlines() if not line.startswith("#"))
    gone = [name for name in before if name not in now]
    other = [name for name in before if name in now and now[name] != before[name] and not name.startswith("soname ")]
    structures = {name.split(".")[0] for name in before if name.startswith("field ")}
    grown = [name for name in now if name not in before and name.split(".")[0] in structures]
    same = [name for name in before if name.startswith("soname ") and now.get(name) == before[name]]
    for name in gone:
        print(f"gone: {name}: {before[name]}")
    for name in other:
        print(f"changed: {name}: {before[name]}\n     now: {now[name]}")
    print(f"{len(before)} of the last release, {len(gone)} gone, {len(other)} changed, {len(now) - len(before) + len(gone)} new, "
          f"{len(grown)} of them in structures of that release")
    if gone or other:
        sys.exit("programs written for the last release would not compile: keep it, or add a migration line to CHANGELOG.md and make a new list")
    if grown and same:
        sys.exit(f"structures have grown, such as {grown[0]}, so programs built against the last release would break: raise the version, "
                 f"which is {version}, and with it the soname {now[same[0]]}")
    if not grown and not same:
        sys.exit("the soname is another one, and nothing needs it: programs built against the last release would not start")


if __name__ == "__main__":
    main()
