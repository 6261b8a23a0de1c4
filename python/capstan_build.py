"""Makes the C part of the Python package from the public headers: one declaration of the interface, in one place.

CMake calls this file to write the C source of the module `capstan._capstan` (CFFI in API mode, so the compiler checks
every field against the headers) and compiles it for the stable ABI, so that one file serves every Python 3 from 3.9 on.

    python3 capstan_build.py --include ../include --cc cc --output _capstan.c
"""

import argparse
import pathlib
import re
import subprocess
import tempfile

import cffi

# Those of capstan-io and below; --view adds those of capstan-view.
HEADERS = [
    "capstan", "export", "fabric", "fclib", "frame", "generate", "hair", "inverse", "mesh", "rest", "result", "scene",
]

# Functions of Python that the library calls. Each is found again by the handle in its last argument.
CALLBACKS = """
extern "Python" {
  void capstan_py_friction(CpsContactQuery* query, void* data);
  bool capstan_py_cancel(void* data);
  bool capstan_py_progress(const CpsProgress* progress, void* data);
  void capstan_py_predict(const CpsCustomStep* step, const double* q, const double* v, double* matrix, double* impulse,
                          void* data);
  void capstan_py_place(const double* q, int32_t ball, CpsVec3* centre, double* jacobian, void* data);
  void capstan_py_energy(const CpsVec3* gravity, const double* q, const double* v, double* kinetic, double* potential, void* data);
  void capstan_py_tell(bool mistake, const char* sentence, void* data);
}
"""


def source_of_headers(headers):
    return "".join(f'#include "capstan/{name}.h"\n' for name in headers)


def declarations(include, compiler, headers):
    """The public headers as CFFI reads them: without comments, directives and what is the C library's."""
    with tempfile.TemporaryDirectory() as folder:
        empty = pathlib.Path(folder)
        for name in ("stdbool.h", "stddef.h", "stdint.h"):
            (empty / name).write_text("")
        command = [compiler, "-E", "-P", "-nostdinc", f"-I{empty}", f"-I{include}", "-DCPS_API=", "-x", "c", "-"]
        text = subprocess.run(command, input=source_of_headers(headers), capture_output=True, text=True, check=True).stdout
    # Tables of macros are not part of what -E leaves; numbers that Python needs come from enums and functions.
    return re.sub(r"^#.*$", "", text, flags=re.MULTILINE) + CALLBACKS


def builder(include, compiler, headers):
    ffi = cffi.FFI()
    ffi.cdef(declarations(include, compiler, headers))
    ffi.set_source("capstan._capstan", source_of_headers(headers), py_limited_api=True)
    return ffi


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--include", required=True, help="folder of the public headers")
    parser.add_argument("--cc", default="cc", help="C compiler whose preprocessor reads them")
    parser.add_argument("--output", required=True, help="C file to write")
    parser.add_argument("--view", action="store_true", help="with render.h and view.h, of the library capstan-view")
    args = parser.parse_args()
    builder(args.include, args.cc, HEADERS + (["render", "view"] if args.view else [])).emit_c_code(args.output)


if __name__ == "__main__":
    main()
