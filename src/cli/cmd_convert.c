// capstan convert: strands of hair, or the fibres of a result, to a `.hair` file.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/hair.h"
#include "capstan/result.h"
#include "cli/command.h"
#include "cli/options.h"

#define LAST_FRAME UINT64_MAX

// Reads the fibres of a frame of a result as strands; the last frame if the number is negative.
static CpsStatus read_frame(const CpsResult* result, int64_t frame, CpsHair* hair, CpsError* error) {
  CpsResultInfo info = cps_result_info(result);
  if (info.lines == 0 || info.frames == 0) {
    snprintf(error->text, sizeof error->text, "the result contains no fibres");
    return CPS_BAD_DATA;
  }
  *hair = (CpsHair){.strand_count = info.lines, .point_count = info.fibre_points};
  hair->first = malloc(((size_t)info.lines + 1) * sizeof *hair->first);
  hair->points = malloc((size_t)info.fibre_points * sizeof *hair->points);
  if (!hair->first || !hair->points) {
    snprintf(error->text, sizeof error->text, "out of memory");
    return CPS_NO_MEMORY;
  }
  for (int32_t i = 0; i < info.lines; ++i) hair->first[i] = cps_result_line(result, i).first;
  hair->first[info.lines] = info.fibre_points;
  hair->diameter = 2.0 * cps_result_line(result, 0).radius;
  snprintf(hair->about, sizeof hair->about, "%.80s", info.title);
  return cps_result_frame_fibres(result, frame < 0 ? info.frames - 1 : frame, hair->points, NULL, error);
}

static CpsStatus read_any(const char* input, int64_t frame, CpsHair* hair, CpsError* error) {
  if (!cps_result_recognise(input)) return cps_hair_read(input, hair, error);
  CpsResult* result = NULL;
  CpsStatus status = cps_result_open(input, &result, error);
  if (status == CPS_OK) status = read_frame(result, frame, hair, error);
  cps_result_destroy(result);
  return status;
}

static void scale_all(CpsHair* hair, double scale) {
  for (int64_t i = 0; i < hair->point_count; ++i) {
    CpsVec3* p = &hair->points[i];
    *p = (CpsVec3){scale * p->x, scale * p->y, scale * p->z};
    if (hair->thickness) hair->thickness[i] *= scale;
  }
  hair->diameter *= scale;
}

static int convert(const char* input, const char* output, int64_t frame, double scale, bool quiet) {
  CpsHair hair = {0};
  CpsError error;
  int code = CPS_EXIT_OK;
  CpsStatus status = read_any(input, frame, &hair, &error);
  if (status == CPS_OK) {
    scale_all(&hair, scale);
    status = cps_hair_write(output, &hair, &error);
  }
  if (status != CPS_OK) {
    code = cps_complain("%s", error.text);
  } else if (!quiet) {
    printf("wrote %s (%d strands, %" PRId64 " points", output, (int)hair.strand_count, hair.point_count);
    if (hair.skipped_short + hair.skipped_bad > 0) {
      printf("; skipped %" PRId64, hair.skipped_short + hair.skipped_bad);
    }
    puts(")");
  }
  cps_hair_free(&hair);
  return code;
}

int cps_cmd_convert(int argc, char** argv) {
  double scale = 1.0;
  uint64_t frame = LAST_FRAME;
  bool quiet = false;
  const CpsOption options[] = {
      {"frame", 0, CPS_OPTION_NATURAL, &frame, "N", "frame of a result, counted from 0 [last]", 0},
      {"scale", 0, CPS_OPTION_POSITIVE, &scale, "F", "scale factor for all lengths [1]", 0},
      {"quiet", 'q', CPS_OPTION_FLAG, &quiet, NULL, "print nothing but errors", 0},
      {0},
  };
  const CpsCommandLine line = {
      .name = "convert",
      .usage = "IN OUT.hair [OPTIONS]",
      .summary =
          "Converts strands of hair (.hair, .ply, USC .data), or the fibres in one frame of a result, to a .hair\n"
          "file.",
      .options = options,
      .examples =
          "  capstan convert groom.ply groom.hair\n  capstan convert free-a.h5 end.hair\n  capstan convert "
          "strands00001.data salon.hair --scale 0.01\n",
  };
  int word_count = 0;
  CpsParse parsed = cps_parse(&line, argc, argv, &word_count);
  if (parsed != CPS_PARSE_GO) return parsed == CPS_PARSE_HELP ? CPS_EXIT_OK : CPS_EXIT_BAD_INPUT;
  if (word_count != 2) return cps_complain("convert needs an input file and an output file");
  size_t length = strlen(argv[1]);
  if (length < 5 || strcmp(argv[1] + length - 5, ".hair") != 0) {
    return cps_complain("convert: '%s' does not end in .hair, the only output format", argv[1]);
  }
  int64_t number = frame == LAST_FRAME ? -1 : frame > INT64_MAX ? INT64_MAX : (int64_t)frame;
  return convert(argv[0], argv[1], number, scale, quiet);
}
