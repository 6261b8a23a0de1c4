// Results to export: one whose numbers are known in closed form, one with contacts of all kinds.
#ifndef CAPSTAN_TESTS_IO_EXPORT_SCENES_H
#define CAPSTAN_TESTS_IO_EXPORT_SCENES_H

#include "io/mixed_scene.h"
#include "io/result/runs.h"

// Nothing acts: a ball flies straight, a box spins about an axis of its own, a wall slides, a helix keeps its shape.
static const char known_scene[] =
    "title: 'known \"numbers\" & <more> é'\n"
    "gravity: [0, 0, 0]\n"
    "time: {step: 10 ms, end: 0.4 s}\n"
    "output: {frames: 20 ms}\n"
    "materials: {steel: {density: 7800}, hemp: {}, default_body: {}}\n"
    "obstacles:\n"
    "  ground: {plane: , position: [0, 0, -50]}\n"
    "  wall: {box: {size: [1, 2, 3]}, position: [1e6, 0, 0], material: steel, motion: {velocity: [0, 0.5, 0]}}\n"
    "bodies:\n"
    "  flyer: {sphere: {radius: 0.25}, position: [1, 2, 3], velocity: [1, -2, 0.5], material: steel}\n"
    "  spinner_with_a_long_name: {box: {size: [0.4, 0.2, 0.1]}, position: [-3, 0, 0], angular_velocity: [0, 0, 3]}\n"
    "  grain: {sphere: {radius: 1e-6}, position: [1e-3, 0, 0]}\n"
    "fibres:\n"
    "  helix: {model: super-helix, elements: 1, length: 1, radius: 3 mm, root: clamped, position: [0, 5, 0],\n"
    "          material: hemp, natural: [2, 3, 0]}\n";

// Touching things: bodies, compounds, fibres, a belt.
static const char touching_scene[] =
    "title: touching\n"
    "time: {step: 4 ms, end: 0.2 s}\n"
    "output: {frames: 8 ms, tension: true, velocity: true}\n"
    "materials: {hemp: {density: 1100}, oak: {density: 700}}\n" MIXED_OBSTACLES MIXED_BODIES
    "  drum: {cylinder: {radius: 0.1, length: 0.3}, position: [-1, 0, 0.26]}\n" MIXED_BRICK MIXED_FIBRES("tree");

// A result of so many frames, two steps apart.
static inline void write_scene_result(const char* text, const char* path, int64_t frames) {
  Run run = {0};
  assert_ok(cps_scene_parse(text, strlen(text), "scene.yaml", NULL, 0, &run.scene, &run.error), run.error);
  assert_ok(cps_scene_build(run.scene, 1, &run.world, &run.error), run.error);
  start_run(&run, path);
  advance_to(&run, frames);
  assert_ok(cps_result_finish(run.writer, &run.error), run.error);
  free_run(&run);
}

#endif
