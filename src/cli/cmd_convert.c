// capstan convert: strands of hair from one file to a `.hair` file.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capstan/hair.h"
#include "cli/command.h"
#include "cli/options.h"

static int convert(const char* input, const char* output, double scale, bool quiet) {
  CpsHair hair = {0};
  CpsError error;
  if (cps_hair_read(input, &hair, &error) != CPS_OK) return cps_complain("%s", error.text);
  for (int64_t i = 0; i < hair.point_count; ++i) {
    CpsVec3* p = &hair.points[i];
    *p = (CpsVec3){scale * p->x, scale * p->y, scale * p->z};
    if (hair.thickness) hair.thickness[i] *= scale;
  }
  hair.diameter *= scale;
  int code = CPS_EXIT_OK;
  if (cps_hair_write(output, &hair, &error) != CPS_OK) {
    code = cps_complain("%s", error.text);
  } else if (!quiet) {
    printf("wrote %s (%d strands, %" PRId64 " points", output, (int)hair.strand_count, hair.point_count);
    if (hair.skipped_short + hair.skipped_bad > 0) {
      printf("; left out %" PRId64, hair.skipped_short + hair.skipped_bad);
    }
    puts(")");
  }
  cps_hair_free(&hair);
  return code;
}

int cps_cmd_convert(int argc, char** argv) {
  double scale = 1.0;
  bool quiet = false;
  const CpsOption options[] = {
      {"scale", 0, CPS_OPTION_POSITIVE, &scale, "F", "factor on all lengths [1]", 0},
      {"quiet", 'q', CPS_OPTION_FLAG, &quiet, NULL, "print nothing but errors", 0},
      {0},
  };
  const CpsCommandLine line = {
      .name = "convert",
      .usage = "IN OUT.hair [OPTIONS]",
      .summary = "Reads strands of hair (.hair, .ply, USC .data) and writes them as a .hair file.",
      .options = options,
      .examples =
          "  capstan convert groom.ply groom.hair\n  capstan convert strands00001.data salon.hair --scale 0.01\n",
  };
  int word_count = 0;
  CpsParse parsed = cps_parse(&line, argc, argv, &word_count);
  if (parsed != CPS_PARSE_GO) return parsed == CPS_PARSE_HELP ? CPS_EXIT_OK : CPS_EXIT_BAD_INPUT;
  if (word_count != 2) return cps_complain("convert needs a file to read and a file to write");
  size_t length = strlen(argv[1]);
  if (length < 5 || strcmp(argv[1] + length - 5, ".hair") != 0) {
    return cps_complain("convert: '%s' does not end in .hair, the one format that is written", argv[1]);
  }
  return convert(argv[0], argv[1], scale, quiet);
}
