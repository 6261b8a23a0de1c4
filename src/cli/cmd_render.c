// capstan render: pictures and films of a result.
#include "cli/command.h"
#include "cli/frames.h"

#ifdef CAPSTAN_VIEW
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "capstan/render.h"
#include "cli/bar.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/processors.h"
#include "cli/progress.h"
#include "cli/render_last.h"
#include "cli/render_target.h"
#include "cli/vector.h"

typedef struct RenderArguments {
  const char *file, *output, *frames, *fit, *size, *colour, *range, *view, *eye, *look_at, *cut, *cut_at;
  double fps, fov, arrow_scale, fibre_width, spread, aperture;
  int64_t samples, threads, hairs, grains;
  bool contacts, ground, cutaway, legend, dark, side_light, as_json, quiet;
} RenderArguments;

typedef struct Job {
  const RenderArguments* arguments;
  CpsRenderOptions options;
  CpsTarget target;
  int64_t first, last;  // frames
  double fps;
  CpsBar bar;
  double drawn;  // frames
  double build_seconds, trace_seconds;
} Job;

static CpsParse parse(int argc, char** argv, RenderArguments* a) {
  const CpsOption options[] = {
      {"output", 'o', CPS_OPTION_TEXT, &a->output, "F",
       "output file: picture.png, pictures-%04d.png, film.mp4 or film.webm", 0},
      {"frames", 'f', CPS_OPTION_TEXT, &a->frames, "A:B",
       "frames A to B, or one frame A [last; all for a sequence or film]", 0},
      {"size", 's', CPS_OPTION_TEXT, &a->size, "WxH", "width and height in pixels [1280x720]", 0},
      {"samples", 'n', CPS_OPTION_COUNT, &a->samples, "N", "samples per pixel; more samples reduce noise [16]", 65536},
      {"colour", 'c', CPS_OPTION_TEXT, &a->colour, "C",
       "material, speed, tension, curvature, status, stretch, pressure or stress [material]", 0},
      {"range", 0, CPS_OPTION_TEXT, &a->range, "A:B", "range of the colour scale [from the frames]", 0},
      {"contacts", 0, CPS_OPTION_FLAG, &a->contacts, NULL,
       "draw impulses as arrows: blue for sticking, orange for sliding", 0},
      {"arrow-scale", 0, CPS_OPTION_POSITIVE, &a->arrow_scale, "S",
       "arrow length for 1 N s, in metres [from the frames]", 0},
      {"view", 0, CPS_OPTION_TEXT, &a->view, "V", "direction to view from: x, -y, … or A,B,C [-0.5,-1,0.45]", 0},
      {"fit", 0, CPS_OPTION_TEXT, &a->fit, "A:B", "frames to fit the camera, colours and arrows to [all]", 0},
      {"eye", 0, CPS_OPTION_TEXT, &a->eye, "X,Y,Z", "camera position; needs --target", 0},
      {"target", 0, CPS_OPTION_TEXT, &a->look_at, "X,Y,Z", "point that the camera looks at; needs --eye", 0},
      {"fov", 0, CPS_OPTION_POSITIVE, &a->fov, "DEG", "vertical field of view, in degrees [30]", 0},
      {"fps", 0, CPS_OPTION_POSITIVE, &a->fps, "N", "frames per second of a film [real time]", 0},
      {"fibre-width", 0, CPS_OPTION_POSITIVE, &a->fibre_width, "PX",
       "minimum width of fibres in pixels [their true width]", 0},
      {"hairs", 0, CPS_OPTION_COUNT, &a->hairs, "N", "draw each fibre as a wisp of N hairs [1]", 1000},
      {"grains", 0, CPS_OPTION_COUNT, &a->grains, "N", "draw N grains for each particle of grains [8]", 1000},
      {"spread", 0, CPS_OPTION_POSITIVE, &a->spread, "S", "half-width of a wisp, in fibre radii [1]", 0},
      {"aperture", 0, CPS_OPTION_POSITIVE, &a->aperture, "M",
       "lens diameter in metres: blurs objects nearer or farther than the target [0]", 0},
      {"cut", 0, CPS_OPTION_TEXT, &a->cut, "N",
       "cut sheets and solids by a plane with the normal N (x, -y, … or A,B,C): everything in front is left out", 0},
      {"cut-at", 0, CPS_OPTION_TEXT, &a->cut_at, "X,Y,Z", "point of this plane [the point the camera looks at]", 0},
      {"no-ground", 0, CPS_OPTION_OFF, &a->ground, NULL, "hide planes", 0},
      {"no-cutaway", 0, CPS_OPTION_OFF, &a->cutaway, NULL, "draw walls even if they hide moving objects", 0},
      {"no-legend", 0, CPS_OPTION_OFF, &a->legend, NULL, "hide the colour scale", 0},
      {"dark", 0, CPS_OPTION_FLAG, &a->dark, NULL, "use a dark background", 0},
      {"side-light", 0, CPS_OPTION_FLAG, &a->side_light, NULL,
       "light from the left, with deep shadows: for hair and cloth", 0},
      {"threads", 'j', CPS_OPTION_COUNT, &a->threads, "N",
       "number of threads; does not affect the output [all processors]", 1024},
      {"json", 0, CPS_OPTION_FLAG, &a->as_json, NULL, "print one JSON object at the end", 0},
      {"quiet", 'q', CPS_OPTION_FLAG, &a->quiet, NULL, "print nothing but errors", 0},
      {0},
  };
  const CpsCommandLine line = {
      .name = "render",
      .usage = "OUT.h5 -o PICTURE.png | FRAMES-%04d.png | FILM.mp4 [OPTIONS]",
      .summary =
          "Ray traces frames of a result: fibres, bodies, obstacles, soft shadows. The camera is set by --eye and\n"
          "--target, or else by the scene; without either it shows everything that moves. Films need ffmpeg; without\n"
          "it, each frame is written as a picture and the exit code is 1.",
      .options = options,
      .examples =
          "  capstan render hair.h5 -o hair.png\n"
          "  capstan render hair.h5 -o hair.png --frames 30 --view 1,-1,0.3 --samples 64\n"
          "  capstan render wall.h5 -o wall.mp4 --colour speed --contacts\n"
          "  capstan render knot.h5 -o knot-%04d.png --frames 0:20 --size 640x360\n",
  };
  int word_count = 0;
  CpsParse parsed = cps_parse(&line, argc, argv, &word_count);
  if (parsed != CPS_PARSE_GO) return parsed;
  if (word_count != 1 || !a->output) {
    if (word_count == 0) cps_complain("render needs a result; see 'capstan render --help'");
    if (word_count > 1) cps_complain("render takes one result; unexpected argument '%s'", argv[1]);
    if (word_count == 1) cps_complain("render needs -o: PICTURE.png, FRAMES-%%04d.png or FILM.mp4");
    return CPS_PARSE_BAD;
  }
  a->file = argv[0];
  return CPS_PARSE_GO;
}

static bool choose_size(const char* text, CpsRenderOptions* options) {
  char* end;
  long width = strtol(text, &end, 10), height = 0;
  bool good = end != text && (*end == 'x' || *end == 'X');
  if (good) {
    const char* rest = end + 1;
    height = strtol(rest, &end, 10);
    good = end != rest && *end == '\0' && width >= 1 && height >= 1 && width <= 16384 && height <= 16384;
  }
  if (!good) return cps_complain("--size: '%s' is not WxH with two numbers from 1 to 16384", text), false;
  options->width = (int32_t)width;
  options->height = (int32_t)height;
  return true;
}

static bool choose_colour(const char* text, CpsRenderOptions* options) {
  const char* names[CPS_COLOUR_COUNT + 1] = {NULL};
  for (int i = 0; i < CPS_COLOUR_COUNT; ++i) {
    names[i] = cps_colour_name((CpsColour)i);
    if (strcmp(text, names[i]) != 0) continue;
    options->colour = (CpsColour)i;
    return true;
  }
  const char* near = cps_suggest(text, names);
  if (near) {
    cps_complain("--colour: unknown '%s'; did you mean '%s'?", text, near);
  } else {
    cps_complain(
        "--colour: unknown '%s'; choose material, speed, tension, curvature, status, stretch, pressure or stress",
        text);
  }
  return false;
}

static bool choose_range(const char* text, CpsRenderOptions* options) {
  char* end;
  options->low = strtod(text, &end);
  bool good = end != text && *end == ':';
  if (good) {
    const char* rest = end + 1;
    options->high = strtod(rest, &end);
    good = end != rest && *end == '\0' && options->high > options->low && isfinite(options->high - options->low);
  }
  if (!good) cps_complain("--range: '%s' is not A:B with A < B", text);
  return good;
}

static bool choose_camera(const RenderArguments* a, CpsRenderOptions* options) {
  if (a->fov > 0.0) options->camera.fov = a->fov;
  if (a->view && !cps_read_direction(a->view, &options->view)) {
    return cps_complain("--view: '%s' is not x, y, z, -x, -y, -z or three numbers A,B,C", a->view), false;
  }
  if (!a->eye != !a->look_at) return cps_complain("--eye and --target must be given together"), false;
  if (!a->eye) return true;
  if (a->view) return cps_complain("--view cannot be combined with --eye and --target"), false;
  options->camera_given = true;
  if (!cps_read_vector(a->eye, &options->camera.eye)) {
    return cps_complain("--eye: '%s' is not three numbers X,Y,Z", a->eye), false;
  }
  if (!cps_read_vector(a->look_at, &options->camera.target)) {
    return cps_complain("--target: '%s' is not three numbers X,Y,Z", a->look_at), false;
  }
  return true;
}

static bool choose_cut(const RenderArguments* a, CpsRenderOptions* options) {
  if (a->cut && !cps_read_direction(a->cut, &options->cut)) {
    return cps_complain("--cut: '%s' is not x, y, z, -x, -y, -z or three numbers A,B,C", a->cut), false;
  }
  if (!a->cut_at) return true;
  if (!a->cut) return cps_complain("--cut-at needs --cut"), false;
  options->cut_at_given = cps_read_vector(a->cut_at, &options->cut_at);
  if (!options->cut_at_given) return cps_complain("--cut-at: '%s' is not three numbers X,Y,Z", a->cut_at), false;
  return true;
}

static bool choose_options(const RenderArguments* a, CpsRenderOptions* options) {
  *options = cps_render_options_default();
  if (a->size && !choose_size(a->size, options)) return false;
  if (a->colour && !choose_colour(a->colour, options)) return false;
  if (a->range && !choose_range(a->range, options)) return false;
  if (!choose_camera(a, options) || !choose_cut(a, options)) return false;
  if (a->samples > 0) options->samples = (int32_t)a->samples;
  options->threads = a->threads > 0 ? (int32_t)a->threads : cps_processors();
  options->contacts = a->contacts;
  options->arrow_scale = a->arrow_scale;
  options->fibre_width = a->fibre_width;
  if (a->hairs > 0) options->hairs = (int32_t)a->hairs;
  if (a->grains > 0) options->grains = (int32_t)a->grains;
  if (a->spread > 0.0) options->spread = a->spread;
  options->aperture = a->aperture;
  options->ground = a->ground;
  options->cutaway = a->cutaway;
  options->legend = a->legend;
  options->dark = a->dark;
  options->side_light = a->side_light;
  return true;
}

// Frames to draw: the given ones, or all of them for films and sequences, or the last. The camera is fitted to the whole
// motion unless options say otherwise, so that pictures of several frames agree.
static bool choose_frames(Job* job, int64_t count) {
  const RenderArguments* a = job->arguments;
  job->last = job->options.last = count - 1;
  job->first = job->target.kind == CPS_TARGET_PICTURE ? count - 1 : 0;
  if (!cps_frames_choose("--frames", a->frames, a->file, count, &job->first, &job->last)) return false;
  if (!cps_frames_choose("--fit", a->fit, a->file, count, &job->options.first, &job->options.last)) return false;
  if (job->target.kind != CPS_TARGET_PICTURE || job->first == job->last) return true;
  cps_complain("%s: %lld frames need a file name with %%04d, or a film", a->output,
               (long long)job->last - (long long)job->first + 1);
  return false;
}

// Real time, within the frame rates that players support.
static double natural_fps(const CpsResult* result, int64_t first, int64_t last) {
  double time = cps_result_frame_time(result, last) - cps_result_frame_time(result, first);
  double fps = time > 0.0 ? round((double)(last - first) / time) : 25.0;
  return fmin(fmax(fps, 1.0), 120.0);
}

static bool report_progress(double share, void* data) {
  Job* job = data;
  cps_bar_step(&job->bar, job->drawn + share, (long long)job->last - (long long)job->first + 1);
  return !cps_interrupt_seen();
}

static CpsStatus draw_all(Job* job, CpsRender* render, uint8_t* rgb, CpsError* error) {
  CpsStatus status = CPS_OK;
  for (int64_t frame = job->first; frame <= job->last && status == CPS_OK; ++frame) {
    status = cps_render_frame(render, frame, rgb, error);
    if (status == CPS_OK) status = cps_target_add(&job->target, frame, rgb, error);
    CpsRenderInfo info = cps_render_info(render);
    job->build_seconds += info.build_seconds;
    job->trace_seconds += info.trace_seconds;
    job->drawn += 1.0;
  }
  return status;
}

static void json_vector(CpsJson* json, const char* key, CpsVec3 v) {
  cps_json_open(json, key, '[');
  cps_json_number(json, NULL, v.x);
  cps_json_number(json, NULL, v.y);
  cps_json_number(json, NULL, v.z);
  cps_json_close(json, ']');
}

static void print_json(const Job* job, const CpsRender* render) {
  CpsRenderInfo info = cps_render_info(render);
  CpsCamera camera = cps_render_camera(render);
  CpsJson json = {.out = stdout};
  cps_json_open(&json, NULL, '{');
  cps_json_text(&json, "result", job->arguments->file);
  cps_json_text(&json, "output", job->target.path);
  cps_json_integer(&json, "first", job->first);
  cps_json_integer(&json, "last", job->last);
  cps_json_integer(&json, "width", job->options.width);
  cps_json_integer(&json, "height", job->options.height);
  cps_json_integer(&json, "samples", job->options.samples);
  cps_json_integer(&json, "threads", job->options.threads);
  cps_json_text(&json, "colour", cps_colour_name(job->options.colour));
  cps_json_number(&json, "low", info.low);
  cps_json_number(&json, "high", info.high);
  json_vector(&json, "eye", camera.eye);
  json_vector(&json, "target", camera.target);
  json_vector(&json, "up", camera.up);
  cps_json_number(&json, "fov", camera.fov);
  cps_json_number(&json, "fps", job->target.kind == CPS_TARGET_FILM || job->target.fell_back ? job->fps : NAN);
  cps_json_bool(&json, "film", job->target.kind == CPS_TARGET_FILM);
  cps_json_integer(&json, "curve_pieces", info.curve_pieces);
  cps_json_integer(&json, "triangles", info.triangle_count);
  cps_json_number(&json, "build_seconds", job->build_seconds);
  cps_json_number(&json, "trace_seconds", job->trace_seconds);
  cps_json_close(&json, '}');
  putchar('\n');
}

// Values at the ends of the colour scale.
static void print_range(const Job* job, const CpsRender* render) {
  static const char* const UNITS[CPS_COLOUR_COUNT] = {
      [CPS_COLOUR_SPEED] = " m/s", [CPS_COLOUR_TENSION] = " N",   [CPS_COLOUR_CURVATURE] = " 1/m",
      [CPS_COLOUR_STRETCH] = "",   [CPS_COLOUR_PRESSURE] = " Pa", [CPS_COLOUR_STRESS] = " Pa"};
  const CpsRenderInfo info = cps_render_info(render);
  const CpsColour colour = job->options.colour;
  if (!UNITS[colour] || !(info.high > info.low)) return;
  printf("%s from %.4g to %.4g%s\n", cps_colour_name(colour), info.low, info.high, UNITS[colour]);
}

static int report(const Job* job, const CpsRender* render) {
  long long count = (long long)job->last - (long long)job->first + 1;
  char path[CPS_TARGET_PATH], last[CPS_TARGET_PATH];
  cps_target_path(&job->target, job->first, path);
  cps_target_path(&job->target, job->last, last);
  if (job->arguments->as_json) {
    print_json(job, render);
  } else if (!job->arguments->quiet && job->target.kind == CPS_TARGET_FILM) {
    printf("wrote %s (%lld frame%s, %g per second)\n", path, count, count == 1 ? "" : "s", job->fps);
  } else if (!job->arguments->quiet && count > 1) {
    printf("wrote %s to %s (%lld pictures)\n", path, last, count);
  } else if (!job->arguments->quiet) {
    printf("wrote %s\n", path);
  }
  if (!job->arguments->as_json && !job->arguments->quiet) print_range(job, render);
  if (!job->target.fell_back) return CPS_EXIT_OK;
  cps_complain(
      "ffmpeg is not installed, so no film was made; once it is, run: ffmpeg -r %g -start_number %lld -i %s %s",
      job->fps, (long long)job->first, job->target.path, job->arguments->output);
  return CPS_EXIT_NOT_SOLVED;
}

// Draws with a show that is open.
static int draw(Job* job, CpsShow* show) {
  CpsError error = {""};
  CpsRender* render = NULL;
  const CpsRenderOptions* options = &job->options;
  CpsStatus status = cps_render_create(show, options, &render, &error);
  if (status != CPS_OK) return cps_complain("%s: %s", job->arguments->file, error.text);
  uint8_t* rgb = malloc(3 * (size_t)options->width * (size_t)options->height);
  int code = CPS_EXIT_OTHER;
  if (!rgb) {
    cps_complain("out of memory");
  } else if (cps_target_begin(&job->target, options->width, options->height, job->first, job->fps, &error) != CPS_OK) {
    code = cps_complain("%s", error.text);
  } else {
    cps_bar_begin(&job->bar, "frame", job->arguments->quiet || job->arguments->as_json);
    status = draw_all(job, render, rgb, &error);
    CpsStatus ended = cps_target_end(&job->target, status == CPS_OK, status == CPS_OK ? &error : NULL);
    if (status == CPS_OK) status = ended;
    cps_bar_end(&job->bar);
    if (status == CPS_OK) {
      code = report(job, render);
    } else if (status == CPS_INTERRUPTED) {
      cps_complain("interrupted");
      code = CPS_EXIT_NOT_SOLVED;
    } else {
      code = cps_complain("%s", error.text);
    }
  }
  free(rgb);
  cps_render_destroy(render);
  return code;
}

static int render_result(const RenderArguments* arguments) {
  Job job = {.arguments = arguments};
  CpsError error = {""};
  CpsResult* result = NULL;
  CpsShow* show = NULL;
  if (!choose_options(arguments, &job.options)) return CPS_EXIT_BAD_INPUT;
  if (cps_target_choose(&job.target, arguments->output, &error) != CPS_OK) return cps_complain("%s", error.text);
  cps_interrupt_catch();
  if (cps_result_open(arguments->file, &result, &error) != CPS_OK) return cps_complain("%s", error.text);
  int code = CPS_EXIT_BAD_INPUT;
  CpsResultInfo info = cps_result_info(result);
  int64_t frames = info.frames;
  cps_render_take_camera(&info, arguments->eye || arguments->view, arguments->fov > 0.0, &job.options);
  if (frames == 0) {
    cps_complain("%s: contains no frames yet", arguments->file);
  } else if (choose_frames(&job, frames)) {
    job.options.progress = report_progress;
    job.options.progress_data = &job;
    job.fps = arguments->fps > 0.0 ? arguments->fps : natural_fps(result, job.first, job.last);
    code = cps_show_result(result, &show, &error) == CPS_OK ? draw(&job, show) : cps_complain("%s", error.text);
  }
  cps_show_destroy(show);
  cps_result_destroy(result);
  return code;
}

int cps_cmd_render(int argc, char** argv) {
  RenderArguments arguments = {.ground = true, .cutaway = true, .legend = true};
  CpsParse parsed = parse(argc, argv, &arguments);
  if (parsed != CPS_PARSE_GO) return parsed == CPS_PARSE_HELP ? CPS_EXIT_OK : CPS_EXIT_BAD_INPUT;
  return render_result(&arguments);
}

#else
int cps_cmd_render(int argc, char** argv) {
  (void)argc;
  (void)argv;
  return cps_complain("render: this build cannot render pictures; rebuild with -DCAPSTAN_VIEW=ON");
}
#endif
