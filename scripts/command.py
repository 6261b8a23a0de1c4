#!/usr/bin/env python3
"""usage: command.py CAPSTAN [--check]   Writes what the book and the manual say about the command's options, from `capstan COMMAND --help`:
the tables in docs/reference/command.md (between <!-- options COMMAND --> and <!-- end -->) and the pages docs/man/*.1. Each option is
written once, in src/cli. The pages take their prose from docs/reference/command.md. --check changes nothing and fails if an
option would change."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BOOK = ROOT / "docs" / "reference" / "command.md"
MAN = ROOT / "docs" / "man"


def ask(capstan, *words):
    return subprocess.run([capstan, *words], capture_output=True, text=True, check=True).stdout


class Command:
    """One command, as its help says it."""

    def __init__(self, capstan, name, summary):
        self.name, self.summary = name, summary
        text = ask(capstan, name, "--help")
        self.usage = text.splitlines()[0].removeprefix(f"usage: capstan {name} ")
        about, rest = text.split("\noptions:\n")
        self.about = about.split("\n\n", 1)[1]
        options, self.examples = rest.split("\nexamples:\n")
        self.options = []  # (how it is written, meaning, default)
        for line in options.splitlines():
            found = re.match(r"  (\S.*?)  +(\S.*)$", line) or re.match(r"  (\S+(?:, --\S+)?(?: \S+)?) (\S.*)$", line)
            if not found:
                if line.strip():
                    raise SystemExit(f"capstan {name} --help: cannot read '{line}'")
                continue
            written, meaning = found.groups()
            default = re.search(r" \[([^\]]+)\]$", meaning)
            self.options.append((written, meaning[:default.start()] if default else meaning, default.group(1) if default else ""))


def commands(capstan):
    text = ask(capstan, "--help")
    return [Command(capstan, *line) for line in re.findall(r"^  ([a-z]+)  +(\S.*)$", text.split("\nexamples:")[0], re.MULTILINE)]


# -- the book --------------------------------------------------------------------------------------------------------

def table(command):
    """The options as Markdown. Words of the command line are code."""
    def cell(text):
        text = text.replace("|", "\\|")
        return re.sub(r"(?<![`\w-])(--?[a-z][a-z-]*(?:[= ](?:KEY=VALUE|[a-z.]+=[A-Z]))?|[A-Z]{2,}(?:\.[a-z0-9]+)+)(?![\w`])", r"`\1`", text)

    rows = ["| option | meaning | default |", "|---|---|---|"]
    for written, meaning, default in command.options:
        name = ", ".join(f"`{part}`" for part in written.split(", "))
        rows.append(f"| {name} | {cell(meaning)} | {cell(default)} |")
    return "\n".join(rows)


def book(all_commands):
    text = BOOK.read_text()
    for command in all_commands:
        begin, end = f"<!-- options {command.name} -->\n", "\n<!-- end -->"
        if begin not in text:
            raise SystemExit(f"{BOOK.name}: there is no line '{begin.strip()}'")
        head, rest = text.split(begin, 1)
        text = head + begin + "\n" + table(command) + "\n" + end + rest.split(end, 1)[1]
    return text


# -- manual pages ----------------------------------------------------------------------------------------------------

def roff(text):
    """A line of Markdown or plain text as roff."""
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)  # links
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"\*\*([^*]+)\*\*", r"\\fB\1\\fR", text)
    text = re.sub(r"`([^`]+)`", r"\\fB\1\\fR", text)
    text = re.sub(r"\$([^$]+)\$", lambda m: re.sub(r"\\e([a-z]+)", r"\1", m.group(1)).replace("^", "^"), text)
    return re.sub(r"^([.'])", r"\\&\1", text)


def literal(lines):
    return [".PP", ".nf", ".RS"] + [re.sub(r"^([.'])", r"\\&\1", line.replace("\\", "\\e").replace("-", "\\-")) for line in lines] + [".RE", ".fi"]


def prose(section):
    """The Markdown of a section, without its first table of options."""
    section = re.sub(r"<!-- options .*?<!-- end -->\n?", "", section, flags=re.DOTALL)
    out, lines, i = [], section.splitlines(), 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("```"):
            end = next(k for k in range(i + 1, len(lines)) if lines[k].startswith("```"))
            out += literal(lines[i + 1:end])
            i = end + 1
            continue
        if line.startswith("|"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
            if not set(line) <= set("|- ") and not (i + 1 < len(lines) and set(lines[i + 1]) <= set("|- ")):
                out += [".TP", roff(cells[0].replace("\\|", "|")), roff(" ".join(cells[1:]).replace("\\|", "|"))]
        elif line.startswith("- "):
            out += [".IP \\(bu 2", roff(line[2:])]
        elif not line.strip():
            if out and out[-1] != ".PP":
                out.append(".PP")
        else:
            out.append(roff(line.strip()))
        i += 1
    while out and out[-1] == ".PP":
        out.pop()
    return out


def sections():
    """The sections of the book by command, and its introduction."""
    parts = re.split(r"^## `capstan ([a-z]+)[^\n]*\n", BOOK.read_text(), flags=re.MULTILINE)
    return parts[0].split("\n", 1)[1], dict(zip(parts[1::2], parts[2::2]))


def options(command):
    out = []
    for written, meaning, default in command.options:
        bold = ", ".join("\\fB" + re.sub(r"^(\S+)(.*)$", r"\1\\fR\\fI\2\\fR", part.replace("-", "\\-")) for part in written.split(", "))
        out += [".TP", bold, roff(meaning) + (f" (default: {roff(default)})" if default else "")]
    return out


def page(command, text, version):
    head = f'.TH CAPSTAN\\-{command.name.upper()} 1 "" "capstan {version}" "User Commands"'
    about = []
    for line in command.about.splitlines():
        about += literal([line])[1:] if line.startswith("  ") else [roff(line)] if line.strip() else [".PP"]
    lines = ['.\\" Written by scripts/command.py from the help of the command and docs/reference/command.md.', head, ".SH NAME",
             f"capstan\\-{command.name} \\- {roff(command.summary)}", ".SH SYNOPSIS", f".B capstan {command.name}", roff(command.usage),
             ".SH DESCRIPTION", *about, ".SH OPTIONS", *options(command), ".SH DETAILS", *prose(text), ".SH EXAMPLES",
             *literal([line.strip() for line in command.examples.splitlines() if line.strip()]), ".SH SEE ALSO", ".BR capstan (1)"]
    return "\n".join(lines) + "\n"


def overview(all_commands, introduction, version):
    lines = ['.\\" Written by scripts/command.py from the help of the command and docs/reference/command.md.',
             f'.TH CAPSTAN 1 "" "capstan {version}" "User Commands"', ".SH NAME",
             "capstan \\- simulate contact with exact Coulomb friction", ".SH SYNOPSIS", ".B capstan", ".I COMMAND", ".RI [ OPTIONS ]",
             ".SH COMMANDS", "Each has a page of its own, \\fBman capstan\\-COMMAND\\fR."]
    for command in all_commands:
        lines += [".TP", f"\\fB{command.name}\\fR {roff(command.usage)}", roff(command.summary)]
    lines += [".SH DESCRIPTION", *prose(introduction), ".SH SEE ALSO"]
    lines += [",\n".join(f".BR capstan\\-{command.name} (1)" for command in all_commands).replace(",\n", " ,\n")]
    return "\n".join(lines) + "\n"


def by_options(path, text):
    """What must be the same: of a manual page all but its prose, which may wait for the next make docs."""
    return text if path == BOOK else text.split("\n.SH DE" if path.name == "capstan.1" else "\n.SH DETAILS")[0]


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    all_commands = commands(sys.argv[1])
    version = re.search(r"[0-9][0-9.]*", ask(sys.argv[1], "--version")).group()
    introduction, texts = sections()
    missing = [command.name for command in all_commands if command.name not in texts]
    if missing:
        sys.exit(f"{BOOK.name} has no section for {', '.join(missing)}")
    wanted = {BOOK: book(all_commands), MAN / "capstan.1": overview(all_commands, introduction, version)}
    for command in all_commands:
        wanted[MAN / f"capstan-{command.name}.1"] = page(command, texts[command.name], version)
    bad = [path for path in MAN.glob("*.1") if path not in wanted]
    bad += [path for path, text in wanted.items() if not path.exists() or by_options(path, path.read_text()) != by_options(path, text)]
    if len(sys.argv) == 3 and bad:
        sys.exit(f"out of date: {', '.join(str(path.relative_to(ROOT)) for path in bad)}; run make docs")
    if len(sys.argv) == 2:
        for path in MAN.glob("*.1"):
            path.unlink()
        for path, text in wanted.items():
            path.write_text(text)
    print(f"{len(all_commands)} commands, {sum(len(command.options) for command in all_commands)} options")


if __name__ == "__main__":
    main()
