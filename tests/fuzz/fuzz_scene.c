// Scene files of any kind. One half of the inputs are taken as YAML text as they are. The other half choose pieces of
// scenes (keys, values, generators, units, expressions, anchors) that are put together, so that the fuzzer soon gets past
// the syntax. Reading must end in a scene or in a negative status with a message of one line; a small scene must then
// become a world or be refused, and make a few steps.
#include "bytes.h"

#include <capstan/scene.h>
#include <string.h>

enum { TEXT_SIZE = 4096, FEW_BODIES = 30 };

static const char* const PIECES[] = {
    "title: x\n",
    "parameters: {a: 1, b: = a * 2, c: 5 mm, d: = d}\n",
    "gravity: [0, 0, -1]\n",
    "gravity: $a\n",
    "materials: {m: {density: 2 g/cm3, mu: 0.1}, n: {}}\n",
    "friction:\n  - {between: [m, n], mu: 0.3}\n  - {between: [any, m], restitution: 1}\n",
    "bodies:\n",
    "  s: {sphere: {radius: $c}, material: m}\n",
    "  b: &b {box: {size: [1, $a, = b + 1]}, position: [0, 0, 3], velocity: [1, 2, 3]}\n",
    "  c: {<<: *b, mass: 3 kg}\n",
    "  d: {capsule: {radius: 0.1, length: 0}, rotation: {euler: [1, 2, 3]}, frame: f}\n",
    "  e: {cylinder: {radius: 0.1, length: 1}, rotation: [1, 0, 0, 1], mu_across: 0.1}\n",
    "  h: {hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], scale: 2}}\n",
    "  k: {compound: [{sphere: {radius: 1}}, {box: {size: [1, 1, 1]}, position: [1, 0, 0]}]}\n",
    "  g: {sphere: {radius: 1}, grid: {count: [2, 2, 2], spacing: 2, jitter: 0.1}}\n",
    "  p: {pack: {count: 9, box: [2, 2, 2], radius: [0.1, 0.2]}}\n",
    "  q: {pile: {count: 9, column: [1, 1]}}\n",
    "  w: {wall: {columns: 2, rows: 3, brick: [2, 1, 1]}}\n",
    "  x: {arch: {stones: 5, radius: 1, thickness: 0.3, depth: 1, angle: 150 deg, springers: 0.1}}\n",
    "  y: {sphere: {radius: 1}, copies: [[0, 0, 9], [0, 0, 12]]}\n",
    "obstacles:\n",
    "  f: {plane: {normal: [0, 0, 1]}}\n",
    "  t: {tube: {radius: 0.1, curve: {x: cos(t), y: sin(t), z: a * t, to: 6, points: 20}}}\n",
    "  o: {box: {size: [5, 5, 1]}, motion: {sine: {amplitude: [0, 0, 1], frequency: 2 Hz}}}\n",
    "  r: {container: {size: [2, 2, 2]}, motion: {keyframes: [{time: 0}, {time: 1, position: [1, 0, 0]}]}}\n",
    "fibres:\n",
    "  fa: {length: 10 cm, direction: [0, 0, -1], root: clamped, natural: [0, 0, 5]}\n",
    "  fb: {model: der, elements: 4, points: [[0, 0, 1], [0.1, 0, 1], [0.2, 0.1, 1]], natural: as-placed}\n",
    "  fc: {model: corde, elements: 3, bundle: {count: 3, spacing: 2 mm, jitter: 0.1 mm, tilt: 1 deg}, young: 1 MPa}\n",
    "  fd: {model: mass-spring, elements: 3, curve: {x: t, y: 0, z: a}, tip: {kind: pinned, motion: {velocity: [0, 0, "
    "1]}}}\n",
    "  fe: {model: super-helix-recursive, branches: [{at: 0, length: 0.1, radius: 1 mm}], root: {on: f}, material: "
    "m}\n",
    "  hd: {sphere: {radius: 0.1}}\n",
    "  fh: {hair: {on: hd, count: 3, style: curly, curl_radius: $c, length: 0.2, nape: 2}, elements: 2}\n",
    "  fi: {hair: {on: hd, count: 4, style: ponytail, fall: 1e-9, spacing: $c}, root: {on: hd}}\n",
    "  fj: {hair: {on: hd, count: 5, lift: 1, hairline: 1 deg, nape: 1 deg, length: 1e9, variation: 0.9}}\n",
    "  fk: {hair: {file: nowhere.hair, up: y}, elements: 3}\n",
    "  ff: {model: super-clothoid, elements: 2, curvature: [[0, 1, 0], [0, 2, 0]], copies: [[0, 0, 1], [0, 1, 1]]}\n",
    "  fg: {model: der-projected, elements: 3, grid: {count: [2, 1, 1], spacing: 0.1}, radius: 1 mm, velocity: [0, 0, "
    "-1]}\n",
    "pulls:\n  - {fibre: fa, force: [1 mN, 0, 0], sine: {frequency: 1}}\n  - {fibre: \"fc[1]\", at: 1 cm, stiffness: 1 "
    "N/m}\n",
    "loads:\n  - {on: s, force: [1, 0, 0], sine: {frequency: 1}}\n  - {on: all, torque: [0, 0, 1 N m]}\n",
    "time: {step: 1 ms, end: 1 s, theta: 0.5, adaptive: true}\n",
    "solver: {method: gs, tolerance: 1e-6, iterations: 20}\n",
    "contact: {mu: 0.3, projection: true}\n",
    "output: {frames: every step}\n",
    "include: nowhere.yaml\n",
    "<<: {threads: 2}\n",
};
enum { PIECE_COUNT = sizeof PIECES / sizeof PIECES[0] };

// What a byte of the text may be changed into.
static const char CHANGES[] = "0123456789.-+e[]{},:=$*&<\"' \n#mkgsdrabcxyz()^/";

static size_t put_together(Bytes* bytes, char text[TEXT_SIZE]) {
  size_t used = 0;
  int pieces = 1 + next_below(bytes, 24);
  for (int i = 0; i < pieces; ++i) {
    const char* piece = PIECES[next_below(bytes, PIECE_COUNT)];
    size_t length = strlen(piece);
    if (used + length >= TEXT_SIZE) break;
    memcpy(text + used, piece, length);
    used += length;
  }
  int changes = next_below(bytes, 4);
  for (int i = 0; i < changes && used > 0; ++i) {
    size_t place = ((size_t)next_byte(bytes) * 256 + (size_t)next_byte(bytes)) % used;
    text[place] = CHANGES[next_below(bytes, (int)sizeof CHANGES - 1)];
  }
  return used;
}

static void use(const CpsScene* scene) {
  CpsSceneInfo info = cps_scene_info(scene);
  CHECK(info.title && info.text && info.bodies >= 0 && info.end >= 0.0);
  for (int32_t i = 0; i < info.bodies && i < FEW_BODIES; ++i) {
    CHECK(cps_scene_body_name(scene, i)[0] && cps_scene_body_shape(scene, i).kind != CPS_SHAPE_NONE);
  }
  for (int32_t i = 0; i < info.fibres && i < FEW_BODIES; ++i) {
    CHECK(cps_scene_fibre_name(scene, i)[0] && cps_scene_fibre_model(scene, i) < CPS_ROD_MODEL_COUNT);
  }
  if (info.bodies > FEW_BODIES || info.fibres > FEW_BODIES) return;
  CpsWorld* world = NULL;
  CpsError error = {""};
  CpsStatus status = cps_scene_build(scene, 1, &world, &error);
  CHECK(status == CPS_OK ? world != NULL : status < 0 && !world && error.text[0]);
  if (!world) return;
  CHECK(cps_world_body_count(world) == info.bodies && cps_world_obstacle_count(world) == info.obstacles);
  CHECK(cps_world_fibre_count(world) == info.fibres);
  for (int i = 0; i < 2; ++i) (void)cps_world_step(world, NULL, NULL);
  cps_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  char text[TEXT_SIZE], set[64];
  bool raw = next_byte(&bytes) % 2 == 0;
  size_t length = raw ? bytes.left : put_together(&bytes, text);
  size_t set_length = raw ? 0 : bytes.left < sizeof set - 1 ? bytes.left : sizeof set - 1;
  if (set_length > 0) memcpy(set, bytes.data, set_length);
  set[set_length] = '\0';
  const char* sets[] = {set};
  CpsScene* scene = NULL;
  CpsError error = {""};
  CpsStatus status = cps_scene_parse(raw ? (const char*)bytes.data : text, length, "fuzz/x.yaml", sets,
                                     set_length > 0 && strchr(set, '=') ? 1 : 0, &scene, &error);
  if (status == CPS_OK) {
    CHECK(scene && !error.text[0]);
    use(scene);
  } else {
    CHECK(status < 0 && status != CPS_BAD_ARGUMENT && !scene);
    CHECK(error.text[0] && !strchr(error.text, '\n') && memchr(error.text, '\0', sizeof error.text));
  }
  cps_scene_destroy(scene);
  return 0;
}
