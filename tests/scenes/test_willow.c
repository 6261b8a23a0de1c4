// A weeping willow, one tree of 242 elements: it runs, its branches neither stretch nor come off, and without wind its
// energy only falls. That a step of a tree is right is tested in model/test_super_helix_recursive.c.
#include "capstan/fibre.h"
#include "core/quat.h"
#include "io/scene/internal.h"
#include "scenes/scene_world.h"

enum { ELEMENTS = 242, BRANCHES = 45 };

typedef struct Tree {
  CpsScene* scene;
  CpsWorld* world;
  CpsFibreId id;
  const CpsFibreDef* def;
} Tree;

static Tree open_tree(const char* override) {
  Tree tree = {0};
  CpsError error = {{0}};
  if (cps_scene_load(SOURCE_DIR "/scenes/willow.yaml", &override, override ? 1 : 0, &tree.scene, &error) != CPS_OK ||
      cps_scene_build(tree.scene, 0, &tree.world, &error) != CPS_OK) {
    print_error("%s\n", error.text);
    fail();
  }
  tree.id = cps_world_fibre(tree.world, 0);
  tree.def = &tree.scene->fibre_groups[0].def;
  return tree;
}

static void close_tree(Tree* tree) {
  cps_world_destroy(tree->world);
  cps_scene_destroy(tree->scene);
}

static CpsFibrePoint at(const Tree* tree, double s) {
  CpsFibrePoint point;
  assert_int_equal(cps_world_fibre_at(tree->world, tree->id, s, &point), CPS_OK);
  return point;
}

// The positions at both ends of an element differ by the integral of its unit tangents: it has kept its length.
static void assert_length_kept(const Tree* tree, double from, double length) {
  static const double NODE[] = {0.019855071751231884, 0.10166676129318664, 0.2372337950418355, 0.40828267875217511};
  static const double WEIGHT[] = {0.050614268145188129, 0.11119051722668724, 0.15685332293894363, 0.181341891689181};
  // just inside the element: at its end another branch may begin
  double margin = 1e-9 * length, span = length - 2.0 * margin;
  CpsVec3 sum = at(tree, from + margin).position;
  for (int i = 0; i < 8; ++i) {
    double x = i < 4 ? NODE[i] : 1.0 - NODE[7 - i];
    CpsVec3 t = cps_quat_rotate(at(tree, from + margin + x * span).frame, cps_vec3(1, 0, 0));
    sum = cps_vec3_axpy(sum, span * WEIGHT[i < 4 ? i : 7 - i], t);
  }
  CpsVec3 end = at(tree, from + length - margin).position;
  // rounding along a chain of some twenty elements; twigs turn by less than two radians in an element
  assert_below(cps_vec3_norm(cps_vec3_sub(end, sum)), 1e-12);
}

static void check_branch(const Tree* tree, double start, double length, int32_t elements) {
  for (int32_t i = 0; i < elements; ++i) assert_length_kept(tree, start + length * i / elements, length / elements);
}

// Every branch begins where its parent has its joint.
static void check_tree(const Tree* tree) {
  double start[BRANCHES + 1] = {0.0, tree->def->length};
  check_branch(tree, 0.0, tree->def->length, tree->def->elements);
  for (int32_t b = 0; b < tree->def->branch_count; ++b) {
    const CpsFibreBranch* branch = &tree->def->branches[b];
    bool trunk = branch->parent < 0;
    double length = trunk ? tree->def->length : tree->def->branches[branch->parent].length;
    int32_t elements = trunk ? tree->def->elements : tree->def->branches[branch->parent].elements;
    double joint = start[branch->parent + 1] + length * (branch->at + 1) / elements;
    CpsVec3 gap = cps_vec3_sub(at(tree, start[b + 1]).position, at(tree, joint - 1e-9).position);
    assert_below(cps_vec3_norm(gap), 1.001e-9);
    check_branch(tree, start[b + 1], branch->length, branch->elements);
    if (b + 1 < BRANCHES) start[b + 2] = start[b + 1] + branch->length;
  }
}

static void the_willow_sways_and_keeps_its_lengths(void** state) {
  (void)state;
  Tree tree = open_tree(NULL);
  CpsFibreInfo info;
  assert_int_equal(cps_world_fibre_info(tree.world, tree.id, &info), CPS_OK);
  assert_int_equal(info.elements, ELEMENTS);
  assert_int_equal(info.dofs, 3 * ELEMENTS);
  assert_int_equal(info.branch_count, BRANCHES);
  check_tree(&tree);
  double last = info.length - 1e-9;
  CpsVec3 first = at(&tree, last).position;
  Run run = run_until(tree.world, SHORTER ? 0.2 : 1.0);
  assert_int_equal(run.unsolved, 0);
  check_tree(&tree);
  // a twig falls, and swings farther than the ground does
  assert_true(cps_vec3_norm(cps_vec3_sub(at(&tree, last).position, first)) > 0.1);
  assert_below(cps_vec3_norm(at(&tree, 0.0).position), 0.11);
  close_tree(&tree);
}

static void without_wind_its_energy_only_falls(void** state) {
  (void)state;
  Tree tree = open_tree("gust=0");
  CpsEnergy e = cps_world_energy(tree.world);
  double first = e.kinetic + e.potential + e.elastic, last = first;
  Run run = {0};
  for (int i = 0; i < (SHORTER ? 40 : 400); ++i) {
    run_step(tree.world, &run);
    e = cps_world_energy(tree.world);
    double now = e.kinetic + e.potential + e.elastic;
    assert_below(now, last + 1e-12 * first);
    last = now;
  }
  assert_true(first - last > 0.05);
  close_tree(&tree);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_willow_sways_and_keeps_its_lengths),
      cmocka_unit_test(without_wind_its_energy_only_falls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
