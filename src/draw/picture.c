// Anything nearer to the eye is drawn later. Fibres are cut into short pieces for that, each with a thin rim in the colour
// of the paper, so that one sees which of two crossing fibres lies above.
#include "draw/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/fail.h"
#include "core/quat.h"
#include "draw/outline.h"
#include "draw/plot_png.h"

#define SIZE 640.0    // px, of the longer side of the contents
#define MARGIN 36.0   // px
#define TOP 44.0      // px, for the title
#define BOTTOM 40.0   // px, for the scale
#define THINNEST 0.8  // px
#define RIM 3.0       // px, from which width on a fibre has a rim
enum { PIECE = 3, MANY = 50, MOST_PIECES = 20000, FEW = 7, SHADES = 5 };

static const char style[] =
    "<style>\n"
    ".paper{fill:#fff}.rim{stroke:#fff;stroke-linecap:butt}.title{fill:#222}.tick{fill:#555}.axis{stroke:#888}\n"
    ".wall{fill:#e9e9e6;stroke:#a3a39d}.body{fill:#f3d9c4;stroke:#a8623a}\n"
    ".c0{stroke:#0072b2}.c1{stroke:#d55e00}.c2{stroke:#009e73}.c3{stroke:#cc79a7}.c4{stroke:#56b4e9}\n"
    ".c5{stroke:#e69f00}.c6{stroke:#333}\n"
    ".g0{fill:#d9b977}.g1{fill:#c79a4f}.g2{fill:#a8752f}.g3{fill:#80521d}.g4{fill:#573410}\n"
    ".f0{stroke:#5b3a1e}.f1{stroke:#7a4f29}.f2{stroke:#8f6235}.f3{stroke:#4a2f1a}.f4{stroke:#a4763f}\n"
    "@media "
    "(prefers-color-scheme:dark){.paper{fill:#16181d}.rim{stroke:#16181d}.title{fill:#f0f0f0}.tick{fill:#a9adb5}\n"
    ".wall{fill:#2b2e35;stroke:#6f747d}.body{fill:#4a3527;stroke:#d39368}.c6{stroke:#ddd}\n"
    ".f0{stroke:#b98a5c}.f1{stroke:#cda172}.f2{stroke:#dbb488}.f3{stroke:#a5784c}.f4{stroke:#e6c49d}}\n"
    "</style>\n";

// Something to draw: a part of a shape, or points of a line.
typedef struct Item {
  double depth;
  int32_t part;  // -1: a line
  int32_t line, from, to;
} Item;

typedef struct Drawing {
  const CpsPicture* picture;
  CpsView view;
  CpsResultInfo info;
  const CpsResult* result;
  const CpsResultPart* parts;
  int32_t part_count;
  CpsPose *bodies, *obstacles;
  CpsVec3* points;   // of all lines
  CpsVec3* grains;   // particles,
  double* pressure;  // and the pressure there
  CpsVec3* corners;  // room for those of one part
  CpsPoint2 *flat, *hull;
  Item* items;
  int32_t item_count;
  double low[2], high[2];  // region shown, m
  double scale;            // px/m
} Drawing;

static double place_x(const Drawing* d, double x) {
  return MARGIN + d->scale * (x - d->low[0]);
}
static double place_y(const Drawing* d, double y) {
  return TOP + d->scale * (d->high[1] - y);
}

static CpsPose part_pose(const Drawing* d, int32_t i) {
  const CpsResultPart* part = &d->parts[i];
  return cps_pose_multiply(part->is_obstacle ? d->obstacles[part->owner] : d->bodies[part->owner], part->pose);
}

static bool is_round(CpsShapeKind kind) {
  return kind == CPS_SHAPE_SPHERE || kind == CPS_SHAPE_CAPSULE || kind == CPS_SHAPE_TUBE;
}

static void include(Drawing* d, CpsPoint2 p, double radius) {
  if (!isfinite(p.x) || !isfinite(p.y)) return;  // objects that flew apart
  d->low[0] = fmin(d->low[0], p.x - radius);
  d->low[1] = fmin(d->low[1], p.y - radius);
  d->high[0] = fmax(d->high[0], p.x + radius);
  d->high[1] = fmax(d->high[1], p.y + radius);
}

// Makes room for a part. One that is far larger than the others (a floor) is only shown as far as it reaches in.
static void include_part(Drawing* d, int32_t i, double most) {
  const CpsShape* shape = &d->parts[i].shape;
  int32_t count = cps_outline_points(shape, part_pose(d, i), d->corners);
  double radius = is_round(shape->kind) ? shape->radius : 0.0;
  Drawing grown = *d;
  for (int32_t k = 0; k < count; ++k) include(&grown, cps_view_project(&d->view, d->corners[k]), radius);
  double width = grown.high[0] - grown.low[0], height = grown.high[1] - grown.low[1];
  if (count > 0 && fmax(width, height) <= most) *d = grown;
}

static void find_bounds(Drawing* d) {
  for (int k = 0; k < 2; ++k) {
    d->low[k] = INFINITY;
    d->high[k] = -INFINITY;
  }
  for (int32_t i = 0; i < d->info.lines; ++i) {
    CpsResultLine line = cps_result_line(d->result, i);
    for (int64_t k = line.first; k < line.first + line.count; ++k) {
      include(d, cps_view_project(&d->view, d->points[k]), line.radius);
    }
  }
  for (int64_t i = 0; i < d->info.particles; ++i) include(d, cps_view_project(&d->view, d->grains[i]), 0.0);
  for (int32_t i = 0; i < d->part_count; ++i) {
    if (!d->parts[i].is_obstacle) include_part(d, i, INFINITY);
  }
  double size = fmax(d->high[0] - d->low[0], d->high[1] - d->low[1]);
  for (int32_t i = 0; i < d->part_count; ++i) {
    if (d->parts[i].is_obstacle) include_part(d, i, size > 0.0 && isfinite(size) ? 1.5 * size : INFINITY);
  }
  if (!(d->high[0] >= d->low[0])) d->low[0] = d->low[1] = -(d->high[0] = d->high[1] = 1.0);
  size = fmax(fmax(d->high[0] - d->low[0], d->high[1] - d->low[1]), 1e-6);
  for (int k = 0; k < 2; ++k) {
    double lack = 0.25 * size - (d->high[k] - d->low[k]);  // no picture is a mere strip
    if (lack <= 0.0) continue;
    d->low[k] -= 0.5 * lack;
    d->high[k] += 0.5 * lack;
  }
  d->scale = SIZE / size;
}

static int farther_first(const void* left, const void* right) {
  const Item *p = left, *q = right;
  if (p->depth != q->depth) return p->depth < q->depth ? -1 : 1;
  if (p->part != q->part) return p->part < q->part ? -1 : 1;
  if (p->line != q->line) return p->line < q->line ? -1 : 1;
  return (p->from > q->from) - (p->from < q->from);
}

static bool all_finite(const CpsVec3* points, int32_t count) {
  double sum = 0.0;
  for (int32_t i = 0; i < count; ++i) sum += fabs(points[i].x) + fabs(points[i].y) + fabs(points[i].z);
  return isfinite(sum);
}

// Cuts the lines and sorts everything. Half-spaces come first.
static bool make_items(Drawing* d) {
  int64_t segments = d->info.fibre_points - d->info.lines;
  int32_t piece = d->info.lines <= MANY ? PIECE : 2 * PIECE;  // small objects need fewer segments
  while (segments / piece > MOST_PIECES) piece *= 2;
  d->items =
      malloc(((size_t)d->part_count + (size_t)(segments / piece) + (size_t)d->info.lines + 1) * sizeof *d->items);
  if (!d->items) return false;
  for (int32_t i = 0; i < d->part_count; ++i) {
    bool plane = d->parts[i].shape.kind == CPS_SHAPE_PLANE;
    double depth = plane ? -INFINITY : cps_view_depth(&d->view, part_pose(d, i).position);
    d->items[d->item_count++] = (Item){.depth = depth, .part = i};
  }
  for (int32_t i = 0; i < d->info.lines; ++i) {
    int32_t count = cps_result_line(d->result, i).count;
    const CpsVec3* x = d->points + cps_result_line(d->result, i).first;
    for (int32_t from = 0; from + 1 < count; from += piece) {
      int32_t to = from + piece < count - 1 ? from + piece : count - 1;
      double depth = 0.5 * (cps_view_depth(&d->view, x[from]) + cps_view_depth(&d->view, x[to]));
      int32_t before = from > 0 ? from - 1 : 0, after = to + 1 < count ? to + 1 : to;
      if (!all_finite(x + before, after - before + 1)) continue;
      d->items[d->item_count++] = (Item){depth, -1, i, from, to};
    }
  }
  qsort(d->items, (size_t)d->item_count, sizeof *d->items, farther_first);
  return true;
}

static void put_path(FILE* out, const Drawing* d, const CpsVec3* points, int32_t count) {
  fputs(" d=\"", out);
  for (int32_t k = 0; k < count; ++k) {
    CpsPoint2 p = cps_view_project(&d->view, points[k]);
    fprintf(out, "%c%.1f %.1f", k == 0 ? 'M' : 'L', place_x(d, p.x), place_y(d, p.y));
  }
}

static CpsPoint2 page(const Drawing* d, CpsVec3 point) {
  CpsPoint2 p = cps_view_project(&d->view, point);
  return (CpsPoint2){place_x(d, p.x), place_y(d, p.y)};
}

// A smooth curve through the points `from` to `to` of a line of `count` (Catmull and Rom 1974), as cubic pieces.
static void put_curve(FILE* out, const Drawing* d, const CpsVec3* points, int32_t count, int32_t from, int32_t to) {
  CpsPoint2 a = page(d, points[from]);
  fprintf(out, " d=\"M%.1f %.1fc", a.x, a.y);
  for (int32_t k = from; k < to; ++k) {
    CpsPoint2 before = page(d, points[k > 0 ? k - 1 : 0]), after = page(d, points[k + 2 < count ? k + 2 : count - 1]);
    CpsPoint2 b = page(d, points[k + 1]), step = {b.x - a.x, b.y - a.y};
    fprintf(out, "%s%.1f %.1f %.1f %.1f %.1f %.1f", k > from ? " " : "", (b.x - before.x) / 6.0, (b.y - before.y) / 6.0,
            step.x - (after.x - a.x) / 6.0, step.y - (after.y - a.y) / 6.0, step.x, step.y);
    a = b;
  }
}

static void draw_piece(FILE* out, const Drawing* d, const Item* item) {
  CpsResultLine line = cps_result_line(d->result, item->line);
  const CpsVec3* points = d->points + line.first;
  double width = fmax(2.0 * d->scale * line.radius, THINNEST);
  if (width >= RIM) {
    fprintf(out, "<path class=\"rim\" stroke-width=\"%.1f\"", width + 2.0);
    put_curve(out, d, points, line.count, item->from, item->to);
    fputs("\"/>\n", out);
  }
  bool few = d->info.fibres <= FEW;
  fprintf(out, "<path class=\"%c%d\" stroke-width=\"%.1f\"", few ? 'c' : 'f', (int)(line.fibre % (few ? FEW : SHADES)),
          width);
  put_curve(out, d, points, line.count, item->from, item->to);
  fputs("\"/>\n", out);
}

// A half-space seen from the side is everything below a line; seen at a slant it is not drawn.
static void draw_plane(FILE* out, const Drawing* d, CpsPose pose, const char* class) {
  CpsVec3 normal = cps_quat_rotate(pose.rotation, cps_vec3(0.0, 0.0, 1.0));
  CpsPoint2 n = cps_view_project(&d->view, normal), at = cps_view_project(&d->view, pose.position);
  double norm = hypot(n.x, n.y), far = 4.0 * SIZE / d->scale;
  if (norm < 0.98) return;
  CpsPoint2 along = {-n.y / norm, n.x / norm},
            middle = {0.5 * (d->low[0] + d->high[0]), 0.5 * (d->low[1] + d->high[1])};
  double shift = (middle.x - at.x) * along.x + (middle.y - at.y) * along.y;
  fprintf(out, "<path class=\"%s\" d=\"", class);
  for (int k = 0; k < 4; ++k) {
    double a = shift + (k == 0 || k == 3 ? far : -far), b = k < 2 ? 0.0 : -far;
    double x = at.x + a * along.x + b * n.x / norm, y = at.y + a * along.y + b * n.y / norm;
    fprintf(out, "%c%.1f %.1f", k == 0 ? 'M' : 'L', place_x(d, x), place_y(d, y));
  }
  fputs("Z\"/>\n", out);
}

static void draw_part(FILE* out, const Drawing* d, int32_t i) {
  const CpsResultPart* part = &d->parts[i];
  const CpsShape* shape = &part->shape;
  const char* class = part->is_obstacle ? "wall" : "body";
  CpsPose pose = part_pose(d, i);
  int32_t count = cps_outline_points(shape, pose, d->corners);
  if (shape->kind == CPS_SHAPE_PLANE) draw_plane(out, d, pose, class);
  if (count == 0) return;
  if (shape->kind == CPS_SHAPE_SPHERE) {
    CpsPoint2 p = cps_view_project(&d->view, pose.position);
    fprintf(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", class, place_x(d, p.x), place_y(d, p.y),
            d->scale * shape->radius);
    return;
  }
  if (is_round(shape->kind)) {
    // a rod of the colour of its surface on a wider one of that of its edge
    static const char* const strokes[2][2] = {{"#a3a39d", "#e9e9e6"}, {"#a8623a", "#f3d9c4"}};
    for (int k = 0; k < 2; ++k) {
      fprintf(out, "<path stroke=\"%s\" stroke-width=\"%.1f\"", strokes[part->is_obstacle ? 0 : 1][k],
              fmax(2.0 * d->scale * shape->radius - 2.0 * k, THINNEST));
      put_path(out, d, d->corners, count);
      fputs(shape->closed ? "Z\"/>\n" : "\"/>\n", out);
    }
    return;
  }
  for (int32_t k = 0; k < count; ++k) d->flat[k] = cps_view_project(&d->view, d->corners[k]);
  int32_t corners = cps_outline_hull(d->flat, count, d->hull);
  fprintf(out, "<path class=\"%s\" d=\"", class);
  for (int32_t k = 0; k < corners; ++k) {
    fprintf(out, "%c%.1f %.1f", k == 0 ? 'M' : 'L', place_x(d, d->hull[k].x), place_y(d, d->hull[k].y));
  }
  fputs("Z\"/>\n", out);
}

// Particles of grains as dots, darker where the pressure is higher.
static void draw_grains(FILE* out, const Drawing* d) {
  const double area = (d->high[0] - d->low[0]) * (d->high[1] - d->low[1]) * d->scale * d->scale;
  const double radius = fmin(fmax(0.35 * sqrt(area / (double)(d->info.particles + 1)), 0.7), 5.0);
  double most = 0.0;
  for (int64_t i = 0; i < d->info.particles; ++i) most = fmax(most, d->pressure[i]);
  for (int64_t i = 0; i < d->info.particles; ++i) {
    if (!all_finite(&d->grains[i], 1)) continue;
    const CpsPoint2 p = page(d, d->grains[i]);
    const double part = most > 0.0 ? d->pressure[i] / most : 0.0;
    fprintf(out, "<circle class=\"g%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", (int)fmin(SHADES - 1.0, SHADES * part),
            p.x, p.y, radius);
  }
}

// A bar of a round length near a fifth of the picture.
static void draw_scale(FILE* out, const Drawing* d, double bottom) {
  double wanted = 0.25 * SIZE / d->scale, power = pow(10.0, floor(log10(wanted))), part = wanted / power;
  double length = power * (part >= 5.0 ? 5.0 : part >= 2.0 ? 2.0 : 1.0), end = MARGIN + d->scale * length;
  bool small = length < 0.9995e-2, middle = length < 0.9995;
  fprintf(out, "<line class=\"axis\" stroke-width=\"2\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", MARGIN,
          bottom, end, bottom);
  fprintf(out, "<text class=\"tick\" font-size=\"12\" x=\"%.1f\" y=\"%.1f\">%g %s</text>\n", end + 8.0, bottom + 4.0,
          length * (small    ? 1e3
                    : middle ? 1e2
                             : 1.0),
          small    ? "mm"
          : middle ? "cm"
                   : "m");
}

static void put_title(FILE* out, const char* text) {
  for (; *text; ++text) {
    if (*text == '&' || *text == '<') {
      fputs(*text == '&' ? "&amp;" : "&lt;", out);
    } else if ((unsigned char)*text >= 0x20) {
      fputc(*text, out);
    }
  }
}

static void draw(FILE* out, const Drawing* d) {
  double inner[2] = {d->scale * (d->high[0] - d->low[0]), d->scale * (d->high[1] - d->low[1])};
  double width = fmax(inner[0] + 2.0 * MARGIN, 320.0), height = inner[1] + TOP + BOTTOM;
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
          "font-family=\"Helvetica, Arial, sans-serif\">\n%s<rect width=\"100%%\" height=\"100%%\" class=\"paper\"/>\n",
          width, height, width, height, style);
  fprintf(out, "<clipPath id=\"frame\"><rect x=\"0\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/></clipPath>\n",
          TOP - 12.0, width, inner[1] + 24.0);
  fputs("<g clip-path=\"url(#frame)\" fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\">\n", out);
  for (int32_t i = 0; i < d->item_count; ++i) {
    if (d->items[i].part >= 0) {
      draw_part(out, d, d->items[i].part);
    } else {
      draw_piece(out, d, &d->items[i]);
    }
  }
  draw_grains(out, d);
  fprintf(out, "</g>\n<text class=\"title\" x=\"%.1f\" y=\"24\" font-size=\"15\" font-weight=\"600\">", MARGIN);
  put_title(out, d->picture->title);
  fputs("</text>\n", out);
  draw_scale(out, d, height - 14.0);
  fputs("</svg>\n", out);
}

static int32_t most_corners(const Drawing* d) {
  int32_t most = 1;
  for (int32_t i = 0; i < d->part_count; ++i) {
    int32_t count = cps_outline_most(&d->parts[i].shape);
    if (count > most) most = count;
  }
  return most;
}

static CpsStatus gather(Drawing* d, CpsResult* result, CpsError* error) {
  int64_t frame = d->picture->frame;
  CpsStatus status = cps_result_parts(result, &d->parts, &d->part_count, error);
  if (status != CPS_OK) return status;
  size_t most = (size_t)most_corners(d) + 1;
  d->bodies = malloc(((size_t)d->info.bodies + 1) * sizeof *d->bodies);
  d->obstacles = malloc(((size_t)d->info.obstacles + 1) * sizeof *d->obstacles);
  d->points = malloc(((size_t)d->info.fibre_points + 1) * sizeof *d->points);
  d->grains = malloc(((size_t)d->info.particles + 1) * sizeof *d->grains);
  d->pressure = malloc(((size_t)d->info.particles + 1) * sizeof *d->pressure);
  d->corners = malloc(most * sizeof *d->corners);
  d->flat = malloc(most * sizeof *d->flat);
  d->hull = malloc((most + 1) * sizeof *d->hull);
  if (!d->bodies || !d->obstacles || !d->points || !d->grains || !d->pressure || !d->corners || !d->flat || !d->hull) {
    return cps_io_fail(error, CPS_NO_MEMORY, d->picture->title, NULL, "out of memory");
  }
  status = cps_result_frame_poses(result, frame, d->bodies, error);
  if (status == CPS_OK) status = cps_result_frame_obstacles(result, frame, d->obstacles, error);
  if (status == CPS_OK) status = cps_result_frame_fibres(result, frame, d->points, NULL, error);
  if (status == CPS_OK && d->info.particles > 0) {
    status = cps_result_frame_particles(result, frame, d->grains, d->pressure, error);
  }
  if (status != CPS_OK) return status;
  find_bounds(d);
  return make_items(d) ? CPS_OK : cps_io_fail(error, CPS_NO_MEMORY, d->picture->title, NULL, "out of memory");
}

static CpsStatus write(const Drawing* d, const char* path, CpsError* error) {
  char* text = NULL;
  size_t size = 0;
  FILE* out = open_memstream(&text, &size);
  if (out) draw(out, d);
  bool failed = !out || ferror(out);
  if (out && fclose(out) != 0) failed = true;
  CpsStatus status = failed                     ? cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory")
                     : cps_plot_wants_png(path) ? cps_png_write(path, text, size, error)
                                                : cps_file_replace(path, text, size, error);
  free(text);
  return status;
}

CpsStatus cps_picture_write(const CpsPicture* picture, CpsResult* result, const char* path, CpsError* error) {
  Drawing d = {.picture = picture, .view = cps_view_from(picture->view), .info = cps_result_info(result)};
  d.result = result;
  CpsStatus status = gather(&d, result, error);
  if (status == CPS_OK) status = write(&d, path, error);
  free(d.bodies);
  free(d.obstacles);
  free(d.points);
  free(d.grains);
  free(d.pressure);
  free(d.corners);
  free(d.flat);
  free(d.hull);
  free(d.items);
  return status;
}
