// Shows: what there is to see of a result and of a world is the same, and is what is there.
#include <math.h>

#include "capstan/fibre.h"
#include "capstan/frame.h"
#include "core/quat.h"
#include "io/mixed_scene.h"
#include "io/result/older.h"
#include "io/result/runs.h"

static const char mixed[] =
    "title: things of all kinds\n"
    "time: {step: 4 ms, end: 0.2 s}\n"
    "output: {frames: 8 ms, tension: true}\n"
    "materials: {hemp: {density: 1100}, oak: {density: 700}}\n"
    "friction: [{between: [hemp, oak], mu: 0.3}, {between: [any, any], mu: 0.5}]\n" MIXED_OBSTACLES MIXED_BODIES
        MIXED_BRICK MIXED_FIBRES("oak");

static void make_mixed(Run* run) {
  *run = (Run){0};
  assert_ok(cps_scene_parse(mixed, strlen(mixed), "mixed.yaml", NULL, 0, &run->scene, &run->error), run->error);
  assert_ok(cps_scene_build(run->scene, 1, &run->world, &run->error), run->error);
}

static void assert_same_names(const char* const* a, const char* const* b, int32_t count) {
  for (int32_t i = 0; i < count; ++i) assert_string_equal(a[i], b[i]);
}

static void assert_same_numbers(const int32_t* a, const int32_t* b, int32_t count) {
  for (int32_t i = 0; i < count; ++i) assert_int_equal(a[i], b[i]);
}

static void assert_same_shape(const CpsShape* a, const CpsShape* b) {
  assert_int_equal(a->kind, b->kind);
  assert_true(a->radius == b->radius && a->length == b->length && a->closed == b->closed);
  assert_memory_equal(&a->size, &b->size, sizeof a->size);
  assert_int_equal(a->point_count, b->point_count);
  assert_int_equal(a->triangle_count, b->triangle_count);
  if (a->point_count > 0) assert_memory_equal(a->points, b->points, (size_t)a->point_count * sizeof *a->points);
}

static void assert_same_things(const CpsThings* a, const CpsThings* b) {
  assert_string_equal(a->title, b->title);
  assert_int_equal(a->body_count, b->body_count);
  assert_int_equal(a->obstacle_count, b->obstacle_count);
  assert_int_equal(a->fibre_count, b->fibre_count);
  assert_int_equal(a->material_count, b->material_count);
  assert_same_names(a->body_names, b->body_names, a->body_count);
  assert_same_names(a->obstacle_names, b->obstacle_names, a->obstacle_count);
  assert_same_names(a->fibre_names, b->fibre_names, a->fibre_count);
  assert_same_names(a->material_names, b->material_names, a->material_count);
  assert_same_numbers(a->body_materials, b->body_materials, a->body_count);
  assert_same_numbers(a->obstacle_materials, b->obstacle_materials, a->obstacle_count);
  assert_same_numbers(a->fibre_materials, b->fibre_materials, a->fibre_count);
  assert_int_equal(a->part_count, b->part_count);
  for (int32_t i = 0; i < a->part_count; ++i) {
    assert_true(a->parts[i].is_obstacle == b->parts[i].is_obstacle && a->parts[i].owner == b->parts[i].owner);
    assert_memory_equal(&a->parts[i].pose, &b->parts[i].pose, sizeof a->parts[i].pose);
    assert_same_shape(&a->parts[i].shape, &b->parts[i].shape);
  }
  assert_int_equal(a->line_count, b->line_count);
  assert_int_equal(a->point_count, b->point_count);
  for (int32_t i = 0; i < a->line_count; ++i) {
    const CpsResultLine *x = &a->lines[i], *y = &b->lines[i];
    assert_true(x->fibre == y->fibre && x->branch == y->branch && x->first == y->first && x->count == y->count &&
                x->radius == y->radius);
  }
}

// To the bit, but for what a result keeps in single precision.
static void assert_same_frame(const CpsThings* things, const CpsFrame* file, const CpsFrame* world) {
  assert_true(file->time == world->time);
  assert_true(file->step == world->step || (isnan(file->step) && isnan(world->step)));
  assert_memory_equal(file->bodies, world->bodies, (size_t)things->body_count * sizeof *file->bodies);
  assert_memory_equal(file->body_velocities, world->body_velocities,
                      (size_t)things->body_count * sizeof *file->body_velocities);
  assert_memory_equal(file->obstacles, world->obstacles, (size_t)things->obstacle_count * sizeof *file->obstacles);
  assert_true(file->tension && world->tension);
  for (int64_t i = 0; i < things->point_count; ++i) {
    const CpsVec3 *p = &file->points[i], *q = &world->points[i], *a = &file->axes[i], *b = &world->axes[i];
    assert_true(p->x == (float)q->x && p->y == (float)q->y && p->z == (float)q->z);
    assert_true(a->x == (float)b->x && a->y == (float)b->y && a->z == (float)b->z);
    assert_true(file->tension[i] == (float)world->tension[i]);
  }
  assert_int_equal(file->contact_count, world->contact_count);
  for (int32_t i = 0; i < file->contact_count; ++i) {
    const CpsFrameContact *c = &file->contacts[i], *d = &world->contacts[i];
    for (int k = 0; k < 2; ++k) {
      const CpsSide *x = &c->side[k], *y = &d->side[k];
      assert_true(cps_thing_is(x->thing, y->thing) && x->part == y->part && x->material == y->material);
      assert_memory_equal(&x->place, &y->place, sizeof x->place);
      assert_memory_equal(&x->point, &y->point, sizeof x->point);
    }
    assert_int_equal(c->status, d->status);
    assert_memory_equal(&c->normal, &d->normal, offsetof(CpsFrameContact, status) - offsetof(CpsFrameContact, normal));
  }
}

static void a_world_shows_what_its_result_shows(void** state) {
  (void)state;
  const char* path = scratch_path("mixed.h5");
  Run run;
  make_mixed(&run);
  CpsShow *of_world = NULL, *of_result = NULL;
  assert_ok(cps_show_world(run.scene, run.world, &of_world, &run.error), run.error);
  start_run(&run, path);
  int touched[3] = {0};
  for (int64_t frame = 0; frame < 8; ++frame) {
    advance_to(&run, frame + 1);
    assert_ok(cps_show_read(of_world, 0, &run.error), run.error);
    CpsResult* result = NULL;
    assert_ok(cps_result_open(path, &result, &run.error), run.error);
    assert_ok(cps_show_result(result, &of_result, &run.error), run.error);
    assert_int_equal(cps_show_frame_count(of_result), frame + 1);
    assert_ok(cps_show_read(of_result, frame, &run.error), run.error);
    assert_same_things(cps_show_things(of_result), cps_show_things(of_world));
    const CpsFrame* seen = cps_show_frame(of_result);
    assert_same_frame(cps_show_things(of_world), seen, cps_show_frame(of_world));
    assert_int_equal(seen->index, frame);
    assert_int_equal(cps_show_frame(of_world)->index, STEPS_PER_FRAME * frame);
    for (int32_t i = 0; i < seen->contact_count; ++i) {
      CpsThing a = seen->contacts[i].side[0].thing, b = seen->contacts[i].side[1].thing;
      touched[0] += a.kind == CPS_THING_BODY;
      touched[1] += a.kind == CPS_THING_FIBRE && b.kind == CPS_THING_FIBRE;
      touched[2] += a.kind == CPS_THING_FIBRE && b.kind == CPS_THING_OBSTACLE && b.index == 1;
    }
    cps_show_destroy(of_result);
    cps_result_destroy(result);
  }
  for (int k = 0; k < 3; ++k) assert_true(touched[k] > 0);
  const CpsThings* things = cps_show_things(of_world);
  assert_int_equal(things->material_count, 3);
  assert_string_equal(things->material_names[things->fibre_materials[1]], "hemp");
  assert_string_equal(things->material_names[things->body_materials[0]], "oak");
  assert_string_equal(things->material_names[things->body_materials[1]], "");
  assert_string_equal(things->fibre_names[1], "ropes[1]");
  cps_show_destroy(of_world);
  cps_result_close(run.writer);
  free_run(&run);
}

// Lines of a world have the tension of its fibres; a result only where the scene asked for it.
static void tension_is_shown_where_it_was_kept(void** state) {
  (void)state;
  const char* path = scratch_path("slack.h5");
  Run run;
  make_run(&run);
  CpsShow* show = NULL;
  assert_ok(cps_show_world(run.scene, run.world, &show, &run.error), run.error);
  start_run(&run, path);
  advance_to(&run, 3);
  assert_ok(cps_show_read(show, 0, &run.error), run.error);
  const CpsResultLine* line = &cps_show_things(show)->lines[0];
  double expected[64];
  assert_int_equal(cps_world_fibre_tension(run.world, cps_world_fibre(run.world, 0), line->count, expected), CPS_OK);
  assert_memory_equal(cps_show_frame(show)->tension, expected, (size_t)line->count * sizeof *expected);
  assert_true(expected[0] > 0.0);  // it hangs
  cps_show_destroy(show);
  cps_result_close(run.writer);
  CpsResult* result = NULL;
  assert_ok(cps_result_open(path, &result, &run.error), run.error);
  assert_ok(cps_show_result(result, &show, &run.error), run.error);
  assert_ok(cps_show_read(show, 2, &run.error), run.error);
  assert_null(cps_show_frame(show)->tension);
  cps_show_destroy(show);
  cps_result_destroy(result);
  free_run(&run);
}

// A rope that falls freely: all of it goes down at g t, in the world and, in single precision, in a result that was to hold
// velocities; one that was not has none.
static void velocities_are_shown_where_they_were_kept(void** state) {
  (void)state;
  for (int kept = 0; kept < 2; ++kept) {
    char text[256];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -10]\ntime: {step: 10 ms, end: 1}\noutput: {frames: 50 ms, velocity: %s}\n"
             "fibres: {rope: {model: der, elements: 8, length: 0.5, radius: 5 mm}}\n",
             kept ? "true" : "false");
    const char* path = scratch_path("falls.h5");
    Run run = {0};
    assert_ok(cps_scene_parse(text, strlen(text), "rope.yaml", NULL, 0, &run.scene, &run.error), run.error);
    assert_ok(cps_scene_build(run.scene, 1, &run.world, &run.error), run.error);
    start_run(&run, path);
    advance_to(&run, 5);
    CpsShow* shows[2] = {NULL, NULL};
    CpsResult* result = NULL;
    assert_ok(cps_show_world(run.scene, run.world, &shows[0], &run.error), run.error);
    cps_result_close(run.writer);
    assert_ok(cps_result_open(path, &result, &run.error), run.error);
    assert_ok(cps_show_result(result, &shows[1], &run.error), run.error);
    for (int k = 0; k < 2; ++k) {
      assert_ok(cps_show_read(shows[k], 4, &run.error), run.error);
      const CpsFrame* frame = cps_show_frame(shows[k]);
      assert_true((frame->point_velocities != NULL) == (k == 0 || kept));
      for (int64_t i = 0; frame->point_velocities && i < cps_show_things(shows[k])->point_count; ++i) {
        assert_near(frame->point_velocities[i].x, 0.0, 1e-9);
        assert_near(frame->point_velocities[i].z, -10.0 * frame->time,
                    2e-7 * 2.0);  // single precision of at most 2 m/s
      }
      cps_show_destroy(shows[k]);
    }
    cps_result_destroy(result);
    free_run(&run);
  }
}

// A block that slides: the impulse is m g h and mu of it against the motion, and the force is impulse / step.
static void the_impulse_of_a_sliding_block_is_its_weight(void** state) {
  (void)state;
  static const char BLOCK[] =
      "time: {step: 1 ms, end: 1}\ngravity: [0, 0, -10]\nsolver: {tolerance: 1e-10}\n"
      "obstacles: {floor: {plane: , mu: 0.25}}\n"
      "bodies: {block: {box: {size: [2, 2, 0.1]}, mass: 3, position: [0, 0, 0.05], velocity: [4, 0, 0], mu: 0.25}}\n";
  Run run = {0};
  assert_ok(cps_scene_parse(BLOCK, strlen(BLOCK), "block.yaml", NULL, 0, &run.scene, &run.error), run.error);
  assert_ok(cps_scene_build(run.scene, 1, &run.world, &run.error), run.error);
  CpsShow* show = NULL;
  assert_ok(cps_show_world(run.scene, run.world, &show, &run.error), run.error);
  assert_ok(cps_show_read(show, 7, &run.error), run.error);
  assert_true(cps_show_frame(show)->contact_count == 0 && isnan(cps_show_frame(show)->step));
  for (int i = 0; i < 5; ++i) assert_ok(cps_world_step(run.world, NULL, &run.error), run.error);
  assert_ok(cps_show_read(show, 0, &run.error), run.error);
  const CpsFrame* frame = cps_show_frame(show);
  double force[3] = {0.0, 0.0, 0.0};
  for (int32_t i = 0; i < frame->contact_count; ++i) {
    const CpsFrameContact* c = &frame->contacts[i];
    assert_int_equal(c->status, CPS_CONTACT_SLIDE);
    assert_true(cps_thing_is(c->side[0].thing, (CpsThing){CPS_THING_BODY, 0, 0}));
    assert_true(cps_thing_is(c->side[1].thing, (CpsThing){CPS_THING_OBSTACLE, 0, 0}));
    assert_true(c->residual >= 0.0 && c->residual <= cps_world_settings(run.world).solver.tolerance);
    const CpsVec3* axis[3] = {&c->normal, &c->tangent1, &c->tangent2};
    for (int k = 0; k < 3; ++k) {
      force[0] += c->impulse[k] * axis[k]->x / frame->step;
      force[1] += c->impulse[k] * axis[k]->y / frame->step;
      force[2] += c->impulse[k] * axis[k]->z / frame->step;
    }
  }
  // the tolerance of the solver times the impulses and what drives them, over the step, is some 1e-7 N
  assert_near(force[0], -7.5, 1e-6);
  assert_near(force[1], 0.0, 1e-6);
  assert_near(force[2], 30.0, 1e-6);
  assert_near(frame->body_velocities[0].x, 4.0 - 5 * 2.5e-3, 1e-9);
  cps_show_destroy(show);
  free_run(&run);
}

// Formats 1 and 2 know neither materials nor residuals.
static void an_older_result_has_no_materials_and_no_residuals(void** state) {
  (void)state;
  static const char* const LATER[] = {"/contacts/residual", "/materials", "/bodies/material", "/obstacles/material",
                                      "/fibres/material"};
  const char* path = scratch_path("second.h5");
  make_result(path, 6);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  for (size_t i = 0; i < sizeof LATER / sizeof *LATER; ++i) assert_true(H5Ldelete(file, LATER[i], H5P_DEFAULT) >= 0);
  make_older(file, 2);
  H5Fclose(file);
  CpsResult* result = NULL;
  CpsShow* show = NULL;
  CpsError error;
  assert_ok(cps_result_open(path, &result, &error), error);
  assert_ok(cps_show_result(result, &show, &error), error);
  const CpsThings* things = cps_show_things(show);
  assert_int_equal(things->material_count, 1);
  assert_string_equal(things->material_names[0], "");
  assert_int_equal(things->body_materials[3], 0);
  assert_ok(cps_show_read(show, 5, &error), error);
  const CpsFrame* frame = cps_show_frame(show);
  assert_true(frame->contact_count > 0);
  for (int32_t i = 0; i < frame->contact_count; ++i) assert_true(isnan(frame->contacts[i].residual));
  cps_show_destroy(show);
  cps_result_destroy(result);
}

// Formats 1 to 6 have a number for each kind of thing; a show says all of it in the one way.
static void an_older_result_names_the_same_things(void** state) {
  (void)state;
  const char* path = scratch_path("sixth.h5");
  Run run;
  make_mixed(&run);
  start_run(&run, path);
  advance_to(&run, 8);
  assert_ok(cps_result_finish(run.writer, &run.error), run.error);
  CpsResult* result = NULL;
  CpsShow *now = NULL, *older = NULL;
  assert_ok(cps_show_world(run.scene, run.world, &now, &run.error), run.error);
  assert_ok(cps_show_read(now, 0, &run.error), run.error);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  make_older(file, 6);
  H5Fclose(file);
  assert_ok(cps_result_open(path, &result, &run.error), run.error);
  assert_ok(cps_show_result(result, &older, &run.error), run.error);
  assert_ok(cps_show_read(older, 7, &run.error), run.error);
  const CpsFrame *a = cps_show_frame(now), *b = cps_show_frame(older);
  assert_true(a->contact_count > 0 && a->contact_count == b->contact_count);
  for (int32_t i = 0; i < 2 * a->contact_count; ++i) {
    const CpsSide *x = &a->contacts[i / 2].side[i % 2], *y = &b->contacts[i / 2].side[i % 2];
    bool fibre = x->thing.kind == CPS_THING_FIBRE;
    assert_true(cps_thing_is(x->thing, y->thing));
    assert_true(y->part == 0 && y->material == 0 && y->place.x == (fibre ? x->place.x : 0.0));
    assert_memory_equal(&x->point, &y->point, sizeof x->point);
  }
  CpsDeepest deepest = cps_result_info(result).totals.deepest;
  assert_true(deepest.depth > 0.0);
  for (int k = 0; k < 2; ++k) assert_true(cps_thing_is(deepest.thing[k], run.totals.deepest.thing[k]));
  cps_show_destroy(now);
  cps_show_destroy(older);
  cps_result_destroy(result);
  free_run(&run);
}

static void bad_calls_are_refused(void** state) {
  (void)state;
  const char* path = scratch_path("few.h5");
  make_result(path, 2);
  CpsResult* result = NULL;
  CpsShow* show = NULL;
  CpsError error;
  assert_ok(cps_result_open(path, &result, &error), error);
  assert_int_equal(cps_show_result(NULL, &show, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_show_result(result, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_show_world(NULL, NULL, &show, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_show_read(NULL, 0, &error), CPS_BAD_ARGUMENT);
  assert_ok(cps_show_result(result, &show, &error), error);
  assert_null(cps_show_frame(show)->bodies);
  assert_int_equal(cps_show_read(show, 2, &error), CPS_BAD_ARGUMENT);
  assert_non_null(strstr(error.text, "has no frame 2, the last is 1"));
  assert_ok(cps_show_read(show, 1, &error), error);
  assert_non_null(cps_show_frame(show)->bodies);
  assert_int_equal(cps_show_read(show, -1, &error), CPS_BAD_ARGUMENT);
  assert_null(cps_show_frame(show)->bodies);
  cps_show_destroy(show);
  cps_show_destroy(NULL);
  cps_result_destroy(result);
  assert_null(cps_show_things(NULL));
  assert_int_equal(cps_show_frame_count(NULL), 0);
  Run run;
  make_run(&run);
  assert_ok(cps_show_world(run.scene, run.world, &show, &run.error), run.error);
  assert_int_equal(cps_world_remove_body(run.world, cps_world_body(run.world, 0), &run.error), CPS_OK);
  assert_int_equal(cps_show_read(show, 0, &run.error), CPS_BAD_ARGUMENT);
  assert_non_null(strstr(run.error.text, "the world has 3 bodies"));
  cps_show_destroy(show);
  free_run(&run);
}

static void write_integer(const char* path, const char* name, int number, int32_t value) {
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), dataset = H5Dopen2(file, name, H5P_DEFAULT);
  hid_t space = H5Dget_space(dataset), memory = H5Screate(H5S_SCALAR);
  hsize_t at[3] = {0, 0, (hsize_t)number};
  assert_true(file >= 0 && dataset >= 0);
  assert_true(H5Sselect_elements(space, H5S_SELECT_SET, 1, at) >= 0);
  assert_true(H5Dwrite(dataset, H5T_NATIVE_INT32, memory, space, H5P_DEFAULT, &value) >= 0);
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
}

static void assert_frame_refused(const char* path, const char* words) {
  CpsResult* result = NULL;
  CpsShow* show = NULL;
  CpsError error = {""};
  assert_ok(cps_result_open(path, &result, &error), error);
  CpsStatus status = cps_show_result(result, &show, &error);
  for (int64_t i = 0; status == CPS_OK && i < 6; ++i) status = cps_show_read(show, i, &error);
  assert_int_equal(status, CPS_BAD_FORMAT);
  if (!strstr(error.text, words)) print_error("%s\n", error.text);
  assert_non_null(strstr(error.text, words));
  cps_show_destroy(show);
  cps_result_destroy(result);
  assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

// Numbers of things that are not there would lead a drawer out of its arrays.
static void damaged_numbers_are_refused(void** state) {
  (void)state;
  static const struct {
    const char *name, *words;
    int32_t value;
    int number;  // of the first contact: 0 the kind, 1 the number
    bool older;  // in a file of format 6
  } CASES[] = {{"/contacts/thing", "/contacts/thing: is missing or damaged", 4, 1, false},
               {"/contacts/thing", "/contacts/thing: is missing or damaged", -1, 1, false},
               {"/contacts/thing", "/contacts/thing: is missing or damaged", 3, 0, false},
               {"/contacts/thing", "/contacts/thing: is missing or damaged", 5, 0, false},
               {"/contacts/thing", "/contacts/thing: is missing or damaged", 8, 0, false},
               {"/contacts/thing", "/contacts/thing: is missing or damaged", -1, 0, false},
               {"/contacts/part", "/contacts/part: is missing or damaged", -1, 0, false},
               {"/contacts/material", "/contacts/material: is missing or damaged", 1, 0, false},
               {"/contacts/body", "/contacts/body: is missing or damaged", 4, 0, true},
               {"/contacts/body", "/contacts/body: is missing or damaged", -2, 0, true},
               {"/contacts/obstacle", "/contacts/obstacle: is missing or damaged", 2, 0, true},
               {"/contacts/fibre", "/contacts/fibre: is missing or damaged", 1, 0, true},
               {"/contacts/status", "/contacts/status: is missing or damaged", 3, 0, false},
               {"/contacts/offset", "/contacts/offset: is missing or damaged", -1, 0, false},
               {"/frames/row", "/frames/row: is missing or damaged", -1, 0, false},
               {"/bodies/material", "/bodies/material: is missing or damaged", 1, 0, false},
               {"/fibres/material", "/fibres/material: is missing or damaged", -1, 0, false}};
  const char* path = scratch_path("numbers.h5");
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    make_result(path, 6);
    if (CASES[i].older) {
      hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
      make_older(file, 6);
      H5Fclose(file);
    }
    write_integer(path, CASES[i].name, CASES[i].number, CASES[i].value);
    assert_frame_refused(path, CASES[i].words);
  }
  static const char* const GONE[] = {"/bodies/name", "/obstacles/name", "/fibres/name", "/materials/name",
                                     "/obstacles/material"};
  for (size_t i = 0; i < sizeof GONE / sizeof *GONE; ++i) {
    make_result(path, 2);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, GONE[i], H5P_DEFAULT) >= 0);
    H5Fclose(file);
    assert_frame_refused(path, GONE[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_world_shows_what_its_result_shows),
      cmocka_unit_test(tension_is_shown_where_it_was_kept),
      cmocka_unit_test(velocities_are_shown_where_they_were_kept),
      cmocka_unit_test(the_impulse_of_a_sliding_block_is_its_weight),
      cmocka_unit_test(an_older_result_has_no_materials_and_no_residuals),
      cmocka_unit_test(an_older_result_names_the_same_things),
      cmocka_unit_test(bad_calls_are_refused),
      cmocka_unit_test(damaged_numbers_are_refused),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
