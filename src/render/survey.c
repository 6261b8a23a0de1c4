// A look through the frames before the first is drawn: everything that moves is to be in the picture, the colour scale is
// to reach from the least to (nearly) the largest number, and the arrows are to be neither dots nor poles.
#include <stdlib.h>

#include "core/error.h"
#include "core/quat.h"
#include "render/internal.h"

#define MOST_FRAMES 48
#define MOST_VALUES 20000  // per frame
#define FULL_SCALE 0.99    // share of the values that the scale covers
#define ROUNDING 1e-5      // negative values smaller than this, relative to the largest, count as zero
#define USUAL_ARROW 0.95   // share of the impulses that are drawn in full …
#define ARROW_LENGTH 0.15  // … and no longer than this share of the size of the scene
#define MARGIN 0.06
#define MANY_POINTS 2e7  // of meshes in all frames: above this, the corners of their boxes replace them
#define LARGE 2.0        // an obstacle this many times larger than the moving objects may reach beyond the picture

typedef struct Pool {
  double* items;
  int64_t count, room;
} Pool;

typedef struct Survey {
  CpsRender* render;
  CpsFit fit;
  CpsVec3 low, high;     // a box
  bool* shown;           // of each part
  CpsVec3 (*corner)[8];  // corners of the box of each mesh, in its own axes
  bool coarse;           // use these instead of the meshes
  Pool values, impulses;
} Survey;

static bool pool_add(Pool* pool, double value) {
  if (!isfinite(value)) return true;
  if (pool->count == pool->room) {
    int64_t room = 2 * pool->room + 1024;
    double* items = realloc(pool->items, (size_t)room * sizeof *items);
    if (!items) return false;
    pool->items = items;
    pool->room = room;
  }
  pool->items[pool->count++] = value;
  return true;
}

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// The quantile of a sorted pool; 0 if it is empty.
static double pool_share(const Pool* pool, double share) {
  return pool->count > 0 ? pool->items[(int64_t)(share * (double)(pool->count - 1))] : 0.0;
}

static void widen(Survey* survey, CpsVec3 p, double r) {
  if (!isfinite(p.x + p.y + p.z + r)) return;
  survey->low = cps_vec3(fmin(survey->low.x, p.x - r), fmin(survey->low.y, p.y - r), fmin(survey->low.z, p.z - r));
  survey->high = cps_vec3(fmax(survey->high.x, p.x + r), fmax(survey->high.y, p.y + r), fmax(survey->high.z, p.z + r));
}

static void corners_of(const CpsTriangles* mesh, CpsVec3 corner[8]) {
  CpsVec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
  for (int32_t k = 0; k < mesh->point_count; ++k) {
    CpsVec3 p = mesh->points[k];
    low = cps_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
    high = cps_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
  }
  for (int k = 0; k < 8; ++k)
    corner[k] = cps_vec3(k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z);
}

typedef void (*BallFn)(Survey* survey, CpsVec3 centre, double radius);

static void fit_ball(Survey* survey, CpsVec3 centre, double radius) {
  cps_fit_add(&survey->fit, centre, radius);
}

// Calls a function with balls whose convex hull contains the part.
static void visit_part(Survey* survey, const CpsFrame* frame, int32_t i, BallFn visit) {
  const CpsThings* things = survey->render->things;
  const CpsShape* shape = &things->parts[i].shape;
  CpsPose pose = cps_render_part_pose(things, frame, i);
  int32_t mesh = survey->render->scene.parts[i].mesh;
  if (shape->kind == CPS_SHAPE_SPHERE) visit(survey, pose.position, shape->radius);
  if (shape->kind == CPS_SHAPE_CAPSULE) {
    for (int side = -1; side <= 1; side += 2) {
      visit(survey, cps_pose_apply(pose, cps_vec3(0.0, 0.0, 0.5 * side * shape->length)), shape->radius);
    }
  }
  if (mesh < 0) return;
  const CpsTriangles* triangles = &survey->render->scene.meshes[mesh];
  int32_t count = survey->coarse ? 8 : triangles->point_count;
  const CpsVec3* points = survey->coarse ? survey->corner[mesh] : triangles->points;
  for (int32_t k = 0; k < count; ++k) visit(survey, cps_pose_apply(pose, points[k]), 0.0);
}

static void visit_soft(Survey* survey, const CpsFrame* frame, BallFn visit) {
  const CpsThings* things = survey->render->things;
  for (int32_t i = 0; i < things->line_count; ++i) {
    CpsResultLine line = things->lines[i];
    for (int32_t k = 0; k < line.count; ++k) visit(survey, frame->points[line.first + k], line.radius);
  }
  for (int64_t k = 0; k < survey->render->things->vertex_count; ++k) visit(survey, frame->vertices[k], 0.0);
  for (int64_t k = 0; k < things->particle_count; ++k) visit(survey, frame->particles[k], 0.0);
}

static double box_size(CpsVec3 low, CpsVec3 high) {
  return high.x >= low.x ? cps_vec3_norm(cps_vec3_sub(high, low)) : 0.0;
}

static void forget_box(Survey* survey) {
  survey->low = cps_vec3(INFINITY, INFINITY, INFINITY);
  survey->high = cps_vec3(-INFINITY, -INFINITY, -INFINITY);
}

// Extends the box around moving objects.
static void look_at_motion(Survey* survey, const CpsFrame* frame) {
  const CpsThings* things = survey->render->things;
  visit_soft(survey, frame, widen);
  for (int32_t i = 0; i < things->part_count; ++i) {
    if (!things->parts[i].is_obstacle) visit_part(survey, frame, i, widen);
  }
}

// Shows bodies, and obstacles that are not much larger than the paths of moving objects.
static void choose_parts(Survey* survey, const CpsFrame* frame) {
  const CpsThings* things = survey->render->things;
  double size = box_size(survey->low, survey->high);
  for (int32_t i = 0; i < things->part_count; ++i) {
    survey->shown[i] = !things->parts[i].is_obstacle;
    if (survey->shown[i]) continue;
    forget_box(survey);
    visit_part(survey, frame, i, widen);
    survey->shown[i] = size == 0.0 || box_size(survey->low, survey->high) <= LARGE * size;
  }
}

static bool gather_numbers(Survey* survey, const CpsFrame* frame) {
  CpsRender* render = survey->render;
  CpsColour colour = render->options.colour;
  bool scalar = colour != CPS_COLOUR_MATERIAL && colour != CPS_COLOUR_STATUS;
  int64_t points = scalar ? render->things->point_count + render->things->vertex_count : 0,
          stride = points / MOST_VALUES + 1;
  for (int64_t k = 0; k < points; k += stride) {
    if (!pool_add(&survey->values, render->values[k])) return false;
  }
  const int64_t particles = scalar ? render->things->particle_count : 0, skip = particles / MOST_VALUES + 1;
  for (int64_t k = 0; k < particles; k += skip) {
    if (!pool_add(&survey->values, cps_render_particle_value(render, k))) return false;
  }
  for (int32_t i = 0; scalar && i < render->things->body_count; ++i) {
    if (!pool_add(&survey->values, cps_render_body_value(render, i))) return false;
  }
  for (int32_t i = 0; render->options.contacts && i < frame->contact_count; ++i) {
    const double* r = frame->contacts[i].impulse;
    double size = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    if (size > 0.0 && !pool_add(&survey->impulses, size)) return false;
  }
  return true;
}

// Number of mesh points of all parts.
static double count_points(const CpsRender* render) {
  double count = 0.0;
  for (int32_t i = 0; i < render->things->part_count; ++i) {
    int32_t mesh = render->scene.parts[i].mesh;
    if (mesh >= 0) count += render->scene.meshes[mesh].point_count;
  }
  return count;
}

typedef bool (*LookFn)(Survey* survey, const CpsFrame* frame);

static bool first_look(Survey* survey, const CpsFrame* frame) {
  look_at_motion(survey, frame);
  return true;
}

static bool second_look(Survey* survey, const CpsFrame* frame) {
  visit_soft(survey, frame, fit_ball);
  for (int32_t i = 0; i < survey->render->things->part_count; ++i) {
    if (survey->shown[i]) visit_part(survey, frame, i, fit_ball);
  }
  return gather_numbers(survey, frame);
}

// Reads frames at even intervals and passes each to a function.
static CpsStatus look_through(Survey* survey, LookFn look, CpsError* error) {
  CpsRender* render = survey->render;
  int64_t first = render->options.first, last = render->options.last;
  int64_t frames = last - first + 1, looks = frames < MOST_FRAMES ? frames : MOST_FRAMES;
  survey->coarse = count_points(render) * (double)looks > MANY_POINTS;
  for (int64_t k = 0; k < looks; ++k) {
    int64_t at = looks > 1 ? first + k * (frames - 1) / (looks - 1) : first;
    CpsStatus status = cps_render_read(render, at, error);
    if (status != CPS_OK) return status;
    if (!look(survey, cps_show_frame(render->show))) return cps_fail(error, CPS_NO_MEMORY, "out of memory");
  }
  return CPS_OK;
}

static void conclude(Survey* survey) {
  CpsRender* render = survey->render;
  const CpsRenderOptions* options = &render->options;
  render->camera = options->camera_given ? options->camera : cps_fit_end(&survey->fit);
  render->low = options->low;
  render->high = options->high;
  if (survey->values.count > 0 && options->low == options->high) {
    qsort(survey->values.items, (size_t)survey->values.count, sizeof(double), compare);
    render->low = fmin(0.0, pool_share(&survey->values, 1.0 - FULL_SCALE));
    render->high = pool_share(&survey->values, FULL_SCALE);
    if (render->low > -ROUNDING * render->high) render->low = 0.0;
    if (!(render->high > render->low)) render->high = render->low + 1.0;
  }
  CpsVec3 view = cps_vec3_sub(render->camera.eye, render->camera.target);
  double size = 2.0 * cps_vec3_norm(view) * tan(render->camera.fov * 3.14159265358979323846 / 360.0);
  render->arrows = (CpsRenderArrows){.shown = options->contacts, .scale = options->arrow_scale, .size = size};
  if (survey->impulses.count > 0 && options->arrow_scale == 0.0) {
    qsort(survey->impulses.items, (size_t)survey->impulses.count, sizeof(double), compare);
    render->arrows.scale = ARROW_LENGTH * size / pool_share(&survey->impulses, USUAL_ARROW);
  }
}

CpsStatus cps_render_survey(CpsRender* render, CpsError* error) {
  const CpsRenderOptions* options = &render->options;
  Survey survey = {.render = render};
  survey.fit = cps_fit_begin(options->view, options->camera.up, options->camera.fov,
                             (double)options->width / options->height, MARGIN);
  survey.shown = calloc((size_t)render->things->part_count + 1, sizeof *survey.shown);
  survey.corner = calloc((size_t)render->scene.mesh_count + 1, sizeof *survey.corner);
  CpsStatus status = CPS_NO_MEMORY;
  if (survey.shown && survey.corner) {
    for (int32_t i = 0; i < render->scene.mesh_count; ++i) corners_of(&render->scene.meshes[i], survey.corner[i]);
    forget_box(&survey);
    status = look_through(&survey, first_look, error);
    if (status == CPS_OK) choose_parts(&survey, cps_show_frame(render->show));
    if (status == CPS_OK) status = look_through(&survey, second_look, error);
  } else {
    cps_fail(error, CPS_NO_MEMORY, "out of memory");
  }
  if (status == CPS_OK) conclude(&survey);
  free(survey.shown);
  free(survey.corner);
  free(survey.values.items);
  free(survey.impulses.items);
  return status;
}
