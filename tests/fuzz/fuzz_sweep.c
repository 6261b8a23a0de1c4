// Folders of sweeps whose sweep.txt and notes of ended cases are damaged: read whole or refused in one line, and what is read can be
// named, set and forgotten.
#include <string.h>

#include "cli/sweep_folder.h"
#include "scratch.h"

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  (void)argc;
  (void)argv;
  make_folder("sweep.txt", "0001.done");
  return 0;
}

static const char* const PIECES[] = {"scene\tx.yaml\n",
                                     "hash\t0123456789abcdef\n",
                                     "until\t0.5\n",
                                     "set\ttime.step=1 ms\n",
                                     "key\tmu\t\n",
                                     "key\tangle\tdeg\n",
                                     "case\t0.1\n",
                                     "case\t0.1\t20\n",
                                     "case\n",
                                     "key\t",
                                     "\t",
                                     "\n",
                                     "exit\t0\nseconds\t1",
                                     "until\tnan\n",
                                     "\n\n",
                                     "scene\t"};
enum { PIECE_COUNT = sizeof PIECES / sizeof PIECES[0] };

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  bool first = next_below(&bytes, 8) > 0, done = next_below(&bytes, 2);
  if (done) {
    write_pieces(scratch_names[1], "", PIECES, PIECE_COUNT, &bytes, bytes.left / 2);
  } else {
    (void)unlink(scratch_names[1]);
  }
  write_pieces(scratch_names[0], first ? "capstan sweep 1\n" : "", PIECES, PIECE_COUNT, &bytes, SIZE_MAX);
  CpsSweep sweep;
  CpsError error = {""};
  CpsStatus status = cps_sweep_read(folder, &sweep, &error);
  if (status != CPS_OK) {
    CHECK(status < 0 && strlen(error.text) > 10 && !strchr(error.text, '\n'));
    return 0;
  }
  CHECK(sweep.scene && sweep.plan.axis_count > 0 && sweep.plan.case_count > 0);
  for (int64_t i = 0; i < sweep.plan.case_count; ++i) {
    char text[256];
    CpsSweepEnd end;
    CHECK(cps_sweep_case_text(&sweep, i, text, sizeof text));
    (void)cps_sweep_read_end(&sweep, i, &end);
    for (int32_t a = 0; a < sweep.plan.axis_count; ++a) {
      CHECK(cps_sweep_value(&sweep.plan, i, a));
      (void)cps_sweep_set(&sweep.plan, i, a, text, sizeof text);
    }
    if (i < 2) cps_sweep_forget(&sweep, i);
  }
  cps_sweep_free_read(&sweep);
  return 0;
}
