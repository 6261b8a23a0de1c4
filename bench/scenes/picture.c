// Outlines of shapes: every convex shape is drawn as the hull of its projected points.
#include "scenes/picture.h"

#include "core/quat.h"

#include <math.h>
#include <stdlib.h>

enum { ROUND = 48, MOST_POINTS = 4096, CAPTION = 24, MARGIN = 8 };
#define PI 3.14159265358979323846

static const char STYLE[] =
    "<style>\n"
    ".paper{fill:#fff}.sky{fill:#f6f8fa}.caption{fill:#333;font:13px sans-serif}\n"
    ".body{fill:#9cc3de;stroke:#1f5c85}.obstacle{fill:#d8d8d8;stroke:#8a8a8a}\n"
    ".c0{stroke:#0072b2}.c1{stroke:#d55e00}.c2{stroke:#009e73}.c3{stroke:#cc79a7}.c4{stroke:#56b4e9}\n"
    ".c5{stroke:#e69f00}.c6{stroke:#333}\n"
    "@media (prefers-color-scheme:dark){.paper{fill:#16181d}.sky{fill:#1e2127}.caption{fill:#d0d3d8}\n"
    ".body{fill:#2d5f80;stroke:#8fc7ea}.obstacle{fill:#3b3e45;stroke:#7d8088}.c0{stroke:#4ba6e0}.c6{stroke:#ddd}}\n"
    "</style>\n";

typedef struct Outline {
  int count;
  double x[MOST_POINTS], z[MOST_POINTS];
} Outline;

static double panel_width(const Picture* p) {
  return (p->window.right - p->window.left) * p->scale;
}

static double panel_height(const Picture* p) {
  return (p->window.high - p->window.low) * p->scale;
}

bool picture_begin(Picture* p, const char* path, Window window, int panels, int columns, double width) {
  *p = (Picture){fopen(path, "w"), window, width / (window.right - window.left), columns, 0};
  if (!p->out) return false;
  int rows = (panels + columns - 1) / columns;
  double w = columns * (width + MARGIN) + MARGIN, h = rows * (panel_height(p) + CAPTION + MARGIN) + MARGIN;
  fprintf(p->out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\">\n", w, h, w);
  fprintf(p->out, "%s<rect class=\"paper\" width=\"%.0f\" height=\"%.0f\"/>\n", STYLE, w, h);
  fprintf(p->out, "<clipPath id=\"panel\"><rect width=\"%.2f\" height=\"%.2f\"/></clipPath>\n", width, panel_height(p));
  return true;
}

void picture_panel(Picture* p, const char* caption) {
  int row = p->panels / p->columns, column = p->panels % p->columns;
  double x = MARGIN + column * (panel_width(p) + MARGIN), y = MARGIN + row * (panel_height(p) + CAPTION + MARGIN);
  p->panels++;
  fprintf(p->out, "<text class=\"caption\" x=\"%.2f\" y=\"%.2f\">%s</text>\n", x + 2.0, y + panel_height(p) + 16.0,
          caption);
  fprintf(p->out, "<g transform=\"translate(%.2f %.2f)\" clip-path=\"url(#panel)\">\n", x, y);
  fprintf(p->out, "<rect class=\"sky\" width=\"%.2f\" height=\"%.2f\"/>\n", panel_width(p), panel_height(p));
}

void picture_panel_end(Picture* p) {
  fputs("</g>\n", p->out);
}

static void put_point(const Picture* p, double x, double z) {
  fprintf(p->out, " %.2f,%.2f", (x - p->window.left) * p->scale, (p->window.high - z) * p->scale);
}

static void add(Outline* o, CpsPose pose, CpsVec3 v) {
  if (o->count == MOST_POINTS) return;
  CpsVec3 w = cps_vec3_add(pose.position, cps_quat_rotate(pose.rotation, v));
  o->x[o->count] = w.x;
  o->z[o->count++] = w.z;
}

// A ball of any turn about `centre`: a circle in the plane of the picture.
static void add_ball(Outline* o, CpsPose pose, CpsVec3 centre, double radius) {
  CpsVec3 c = cps_vec3_add(pose.position, cps_quat_rotate(pose.rotation, centre));
  CpsPose flat = {c, cps_quat_identity()};
  for (int k = 0; k < ROUND; ++k) {
    add(o, flat, cps_vec3(radius * cos(2.0 * PI * k / ROUND), 0.0, radius * sin(2.0 * PI * k / ROUND)));
  }
}

static void add_shape(Outline* o, const CpsShape* s, CpsPose pose) {
  switch (s->kind) {
    case CPS_SHAPE_SPHERE:
      add_ball(o, pose, cps_vec3(0.0, 0.0, 0.0), s->radius);
      break;
    case CPS_SHAPE_CAPSULE:
      add_ball(o, pose, cps_vec3(0.0, 0.0, -0.5 * s->length), s->radius);
      add_ball(o, pose, cps_vec3(0.0, 0.0, 0.5 * s->length), s->radius);
      break;
    case CPS_SHAPE_BOX:
      for (int k = 0; k < 8; ++k) {
        add(o, pose,
            cps_vec3((k & 1 ? 0.5 : -0.5) * s->size.x, (k & 2 ? 0.5 : -0.5) * s->size.y,
                     (k & 4 ? 0.5 : -0.5) * s->size.z));
      }
      break;
    case CPS_SHAPE_CYLINDER:
      for (int k = 0; k < ROUND; ++k) {
        double x = s->radius * cos(2.0 * PI * k / ROUND), y = s->radius * sin(2.0 * PI * k / ROUND);
        add(o, pose, cps_vec3(x, y, -0.5 * s->length));
        add(o, pose, cps_vec3(x, y, 0.5 * s->length));
      }
      break;
    case CPS_SHAPE_HULL:
      for (int32_t k = 0; k < s->point_count; ++k) add(o, pose, s->points[k]);
      break;
    default:
      break;
  }
}

// The convex hull by gift wrapping.
static void put_hull(const Picture* p, const Outline* o, const char* class) {
  if (o->count < 3) return;
  int first = 0, at, steps = 0;
  for (int k = 1; k < o->count; ++k) {
    if (o->x[k] < o->x[first] || (o->x[k] == o->x[first] && o->z[k] < o->z[first])) first = k;
  }
  fprintf(p->out, "<polygon class=\"%s\" points=\"", class);
  at = first;
  do {
    put_point(p, o->x[at], o->z[at]);
    int next = at == 0 ? 1 : 0;
    for (int k = 0; k < o->count; ++k) {
      double ax = o->x[next] - o->x[at], az = o->z[next] - o->z[at], bx = o->x[k] - o->x[at], bz = o->z[k] - o->z[at];
      double cross = ax * bz - az * bx, longer = bx * bx + bz * bz - ax * ax - az * az;
      if (k != at && (cross < -1e-12 || (fabs(cross) <= 1e-12 && longer > 0.0))) next = k;
    }
    at = next;
  } while (at != first && ++steps < o->count);
  fputs("\"/>\n", p->out);
}

static void put_plane(const Picture* p, CpsPose pose) {
  CpsVec3 n = cps_quat_rotate(pose.rotation, cps_vec3(0.0, 0.0, 1.0)), o = pose.position;
  double length = hypot(n.x, n.z), far = 1e3;
  if (length < 0.5) return;  // seen from the front
  double nx = n.x / length, nz = n.z / length;
  fputs("<polygon class=\"obstacle\" points=\"", p->out);
  put_point(p, o.x - far * nz, o.z + far * nx);
  put_point(p, o.x + far * nz, o.z - far * nx);
  put_point(p, o.x + far * (nz - nx), o.z - far * (nx + nz));
  put_point(p, o.x - far * (nz + nx), o.z + far * (nx - nz));
  fputs("\"/>\n", p->out);
}

static void put_tube(const Picture* p, const CpsShape* s, CpsPose pose) {
  fprintf(p->out, "<polyline class=\"c6\" fill=\"none\" stroke-width=\"%.2f\" points=\"", 2.0 * s->radius * p->scale);
  for (int32_t k = 0; k < s->point_count; ++k) {
    CpsVec3 w = cps_vec3_add(pose.position, cps_quat_rotate(pose.rotation, s->points[k]));
    put_point(p, w.x, w.z);
  }
  fputs("\"/>\n", p->out);
}

static void put_shape(const Picture* p, const CpsShape* s, CpsPose pose, const char* class) {
  if (s->kind == CPS_SHAPE_PLANE) put_plane(p, pose);
  if (s->kind == CPS_SHAPE_TUBE) put_tube(p, s, pose);
  for (int32_t k = 0; s->kind == CPS_SHAPE_COMPOUND && k < s->part_count; ++k) {
    CpsPose part = s->parts[k].pose;
    CpsQuat turn = part.rotation;
    if (turn.w == 0.0 && turn.x == 0.0 && turn.y == 0.0 && turn.z == 0.0) turn = cps_quat_identity();
    put_shape(p, &s->parts[k].shape,
              (CpsPose){cps_vec3_add(pose.position, cps_quat_rotate(pose.rotation, part.position)),
                        cps_quat_multiply(pose.rotation, turn)},
              class);
  }
  static Outline outline;
  outline.count = 0;
  add_shape(&outline, s, pose);
  put_hull(p, &outline, class);
}

typedef struct Place {
  int32_t body;
  double depth;
} Place;

static int nearer(const void* a, const void* b) {
  const Place *p = a, *q = b;
  return (p->depth < q->depth) - (p->depth > q->depth);
}

void picture_world(Picture* p, const CpsScene* scene, const CpsWorld* world) {
  for (int32_t i = 0; i < cps_world_obstacle_count(world); ++i) {
    CpsShape shape = cps_scene_obstacle_shape(scene, i);
    CpsPose pose;
    if (cps_world_obstacle_pose(world, cps_world_obstacle(world, i), &pose) == CPS_OK) {
      put_shape(p, &shape, pose, "obstacle");
    }
  }
  int32_t count = cps_world_body_count(world);
  Place* order = calloc((size_t)count, sizeof *order);
  if (!order) return;
  for (int32_t i = 0; i < count; ++i) {
    CpsBodyState state;
    cps_world_body_state(world, cps_world_body(world, i), &state);
    order[i] = (Place){i, state.centre.y};
  }
  qsort(order, (size_t)count, sizeof *order, nearer);
  for (int32_t k = 0; k < count; ++k) {
    CpsShape shape = cps_scene_body_shape(scene, order[k].body);
    CpsBodyState state;
    cps_world_body_state(world, cps_world_body(world, order[k].body), &state);
    put_shape(p, &shape, state.pose, "body");
  }
  free(order);
}

void picture_path(Picture* p, const double* xz, int count, int colour) {
  fprintf(p->out, "<polyline class=\"c%d\" fill=\"none\" stroke-width=\"2\" points=\"", colour);
  for (int k = 0; k < count; ++k) put_point(p, xz[2 * k], xz[2 * k + 1]);
  fputs("\"/>\n", p->out);
}

bool picture_end(Picture* p) {
  fputs("</svg>\n", p->out);
  bool good = !ferror(p->out);
  return fclose(p->out) == 0 && good;
}
