// capstan export: a result as files that other programs open.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "capstan/export.h"
#include "cli/bar.h"
#include "cli/command.h"
#include "cli/frames.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/report.h"

typedef struct ExportArguments {
  const char *file, *format, *output, *frames;
  char output_room[400];
  int64_t around;
  uint64_t tube;
  bool quiet, as_json;
} ExportArguments;

#define TUBE_UNSAID UINT64_MAX

static const char* format_names(void) {
  return "pvd, usda, gltf, obj or csv";
}

static CpsParse parse(ExportArguments* a, int argc, char** argv, int* word_count) {
  const CpsOption options[] = {
      {"to", 't', CPS_OPTION_TEXT, &a->format, "FORMAT", "pvd, usda, gltf, obj or csv [from the extension of PATH]", 0},
      {"output", 'o', CPS_OPTION_TEXT, &a->output, "PATH",
       "output file (obj: folder), - for standard output [from the name of OUT.h5]", 0},
      {"frames", 'f', CPS_OPTION_TEXT, &a->frames, "A:B", "frames A to B, or one frame A, counted from 0 [all]", 0},
      {"around", 0, CPS_OPTION_COUNT, &a->around, "N", "segments around round shapes, 6 to 512 [24 or fewer]", 512},
      {"tube", 0, CPS_OPTION_NATURAL, &a->tube, "N",
       "gltf, obj: draw fibres as tubes with N sides, 0 for lines [gltf 6, obj 0]", 0},
      {"json", 0, CPS_OPTION_FLAG, &a->as_json, NULL, "print one JSON object", 0},
      {"quiet", 'q', CPS_OPTION_FLAG, &a->quiet, NULL, "print nothing but errors", 0},
      {0},
  };
  const CpsCommandLine line = {
      .name = "export",
      .usage = "OUT.h5 --to FORMAT [OPTIONS]",
      .summary =
          "Exports frames of a result: to ParaView (pvd), Blender and Houdini (usda), viewers and the web (gltf) or\n"
          "most other 3D programs (obj). csv writes the scalars of each step as a table, and the contacts of frames\n"
          "as another, NAME-contacts.csv. Files are written completely or not at all.",
      .options = options,
      .examples =
          "  capstan export tower.h5 --to pvd && paraview tower.pvd\n"
          "  capstan export hair.h5 -o hair.usda --frames 0:120\n"
          "  capstan export knot.h5 --to gltf --tube 12 -o knot.glb\n"
          "  capstan export tower.h5 --to obj -o frames --frames 40\n"
          "  capstan export tower.h5 --to csv -o - | cut -d, -f1-3\n",
  };
  return cps_parse(&line, argc, argv, word_count);
}

static bool ends_with(const char* text, const char* end) {
  size_t length = strlen(text), size = strlen(end);
  return length > size && strcmp(text + length - size, end) == 0;
}

static int complain_format(const char* format) {
  const char* names[CPS_EXPORT_COUNT + 1] = {NULL};
  for (int i = 0; i < CPS_EXPORT_COUNT; ++i) names[i] = cps_export_format_name((CpsExportFormat)i);
  const char* near = cps_suggest(format, names);
  if (near) return cps_complain("--to: unknown format '%s'; did you mean '%s'?", format, near);
  return cps_complain("--to: unknown format '%s'; choose %s", format, format_names());
}

// Finds the format by name, or by the ending of the path.
static int choose_format(const ExportArguments* a, CpsExportFormat* format) {
  if (a->format) {
    *format = cps_export_format_find(a->format);
    return *format < CPS_EXPORT_COUNT ? CPS_EXIT_OK : complain_format(a->format);
  }
  for (int i = 0; a->output && i < CPS_EXPORT_COUNT; ++i) {
    *format = (CpsExportFormat)i;
    if (ends_with(a->output, cps_export_format_suffix(*format))) return CPS_EXIT_OK;
  }
  *format = CPS_EXPORT_OBJ;
  if (a->output && ends_with(a->output, ".obj")) return CPS_EXIT_OK;
  return cps_complain("export needs --to: %s", format_names());
}

// "runs/tower.h5" becomes "tower.pvd" here.
static int choose_output(ExportArguments* a, CpsExportFormat format) {
  if (a->output && format == CPS_EXPORT_GLTF && ends_with(a->output, ".gltf")) {
    return cps_complain("%s: glTF is written in binary form; the file name must end in .glb", a->output);
  }
  if (a->output) return CPS_EXIT_OK;
  const char* name = cps_file_name(a->file);
  size_t length = strlen(name);
  if (ends_with(name, ".h5")) length -= 3;
  int size =
      snprintf(a->output_room, sizeof a->output_room, "%.*s%s", (int)length, name, cps_export_format_suffix(format));
  if (size < 0 || (size_t)size >= sizeof a->output_room) return cps_complain("%s: the name is too long", a->file);
  a->output = a->output_room;
  return CPS_EXIT_OK;
}

static bool report_progress(int64_t done, int64_t total, void* data) {
  cps_bar_step(data, (double)done, (long long)total);
  return !cps_interrupt_seen();
}

static void print_json(const ExportArguments* a, const CpsExportOptions* o, const CpsExportInfo* info) {
  CpsJson json = {.out = stdout};
  cps_json_open(&json, NULL, '{');
  cps_json_text(&json, "file", a->file);
  cps_json_text(&json, "format", cps_export_format_name(o->format));
  cps_json_text(&json, "output", a->output);
  cps_json_integer(&json, "first", o->first);
  cps_json_integer(&json, "last", o->last);
  cps_json_integer(&json, o->format == CPS_EXPORT_CSV ? "rows" : "frames", info->frames);
  cps_json_integer(&json, "files", info->files);
  cps_json_integer(&json, "bytes", info->bytes);
  cps_json_text(&json, "note", info->note[0] ? info->note : NULL);
  cps_json_close(&json, '}');
  putchar('\n');
}

static void print_text(const ExportArguments* a, const CpsExportOptions* o, const CpsExportInfo* info) {
  char size[32];
  const char* unit = o->format == CPS_EXPORT_CSV ? "row" : "frame";
  printf("wrote %s (%" PRId64 " %s%s", a->output, info->frames, unit, info->frames == 1 ? "" : "s");
  if (info->files > 1) printf(", %" PRId64 " files", info->files);
  printf(", %s)\n", cps_bytes_text(info->bytes, size));
  if (info->note[0]) printf("note: %s\n", info->note);
}

static int write_all(const ExportArguments* a, CpsResult* result, CpsExportOptions* o) {
  CpsExportInfo info = {0};
  CpsError error = {""};
  CpsBar bar;
  o->last = cps_result_info(result).frames - 1;
  if (!cps_frames_choose("--frames", a->frames, a->file, o->last + 1, &o->first, &o->last)) return CPS_EXIT_BAD_INPUT;
  cps_interrupt_catch();
  cps_bar_begin(&bar, "frame", a->quiet || a->as_json);
  o->progress = report_progress;
  o->progress_data = &bar;
  CpsStatus status = cps_export(result, a->output, o, &info, &error);
  cps_bar_end(&bar);
  if (status != CPS_OK) {
    cps_complain("%s", error.text);
    return status == CPS_INTERRUPTED ? CPS_EXIT_NOT_SOLVED : CPS_EXIT_BAD_INPUT;
  }
  if (a->as_json) {
    print_json(a, o, &info);
  } else if (!a->quiet) {
    print_text(a, o, &info);
  }
  return CPS_EXIT_OK;
}

static bool copy_out(const char* path) {
  FILE* file = fopen(path, "rb");
  char bytes[1 << 14];
  for (size_t size; file && (size = fread(bytes, 1, sizeof bytes, file)) > 0;) fwrite(bytes, 1, size, stdout);
  bool whole = file && !ferror(file);
  if (file) fclose(file);
  return whole;
}

// Complete or not at all here, too: written to a temporary file first.
static int write_to_stdout(ExportArguments* a, CpsResult* result, CpsExportOptions* o) {
  const char* folder = getenv("TMPDIR");
  if (o->format == CPS_EXPORT_OBJ || o->format == CPS_EXPORT_PVD) {
    return cps_complain("%s writes more than one file and cannot go to standard output",
                        cps_export_format_name(o->format));
  }
  if (a->as_json) return cps_complain("--json and -o - both write to standard output; use one of them");
  int size =
      snprintf(a->output_room, sizeof a->output_room, "%s/capstan-XXXXXX", folder && folder[0] ? folder : "/tmp");
  int made = size > 0 && (size_t)size < sizeof a->output_room ? mkstemp(a->output_room) : -1;
  if (made < 0) return cps_complain("%s: cannot create a temporary file there", folder ? folder : "/tmp");
  close(made);
  a->output = a->output_room;
  a->quiet = true;
  o->contacts = o->contacts && o->format != CPS_EXPORT_CSV;  // a single file only
  int code = write_all(a, result, o);
  if (code == CPS_EXIT_OK && !copy_out(a->output)) code = cps_complain("%s: cannot be read back", a->output);
  unlink(a->output);
  return code;
}

int cps_cmd_export(int argc, char** argv) {
  ExportArguments a = {.tube = TUBE_UNSAID};
  int word_count = 0;
  CpsParse parsed = parse(&a, argc, argv, &word_count);
  if (parsed != CPS_PARSE_GO) return parsed == CPS_PARSE_HELP ? CPS_EXIT_OK : CPS_EXIT_BAD_INPUT;
  if (word_count != 1) return cps_complain("export needs one result file");
  a.file = argv[0];
  CpsExportOptions options = cps_export_options_default();
  int code = choose_format(&a, &options.format);
  if (code == CPS_EXIT_OK) code = choose_output(&a, options.format);
  if (code != CPS_EXIT_OK) return code;
  if (a.around > 0 && a.around < 6) return cps_complain("--around: %" PRId64 " is too few; use 6 to 512", a.around);
  if (a.tube != TUBE_UNSAID && (a.tube > 64 || (a.tube > 0 && a.tube < 3))) {
    return cps_complain("--tube: use 3 to 64 sides, or 0 for lines");
  }
  options.around = (int32_t)a.around;
  options.tube = a.tube == TUBE_UNSAID ? -1 : (int32_t)a.tube;
  CpsResult* result = NULL;
  CpsError error;
  if (cps_result_open(a.file, &result, &error) != CPS_OK) return cps_complain("%s", error.text);
  bool pipe = a.output[0] == '-' && a.output[1] == '\0';
  code = pipe ? write_to_stdout(&a, result, &options) : write_all(&a, result, &options);
  cps_result_destroy(result);
  return code;
}
