// A column of balls beside a column of the continuum: run-out, and the friction of the balls as a medium.
//
// Balls of 0.9 to 1.1 d fall into a narrow box with smooth sides and settle; then a wall is taken away, as in scenes/sand-column.yaml. While they
// flow, the mean stress of small regions follows from the impulses of contacts,
//
//   sigma = -1/(V h) sum_c J_c (x) l_c,     J_c on ball a, l_c from b to a (from the contact point at walls)           (1)
//
// and mu = |Dev sigma| / p in the plane of the motion, which is what the law of the continuum means by it, weighted with p over regions
// that flow. A column of the continuum with this mu, and the height and volume fraction of the settled balls, collapses beside it.
// The run-out of both: 99 % of what has left the foot of the column stays within it.
//
// usage: bench-grains-balls [--out DIRECTORY] [--balls N] [--step MS]     writes grains-balls.md, and balls.txt: x y z radius of each ball
// before the collapse, for bench/grains/yade.py
#define PROGRAM "bench-grains-balls"
#include "scenes.h"

#include "core/clock.h"

enum {
  THICK = 6,
  CELLS_X = 16,
  CELLS_Z = 8,
  ROUGH = 6
};  // diameters of the box along y; regions in which stresses are averaged; widths
static const double WIDTH = 0.1, ASPECT = 1.0, MU = 0.5, DENSITY = 2600.0, SETTLING = 0.35, END = 0.66;

typedef struct Region {
  double stress[3], volume, moving;  // sums of -J l: xx, zz, xz; volume of balls; that of those that move
} Region;

typedef struct Pile {
  CpsWorld* world;
  int count;
  double *radius, depth;  // depth: along y
  CpsBodyId* id;
} Pile;

static void must(CpsStatus status, const CpsError* error) {
  if (status < 0) stop(error->text);
}

static double next(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-53;
}

static void add_wall(CpsWorld* world, CpsVec3 at, CpsQuat turn, double mu, CpsObstacleId* id) {
  CpsError error = {{0}};
  CpsObstacleDef wall = cps_obstacle_def_default();
  wall.shape = cps_plane();
  wall.pose = (CpsPose){at, turn};
  wall.mu = mu;
  must(cps_world_add_obstacle(world, &wall, id, &error), &error);
}

// Balls on a loose lattice above the floor; `gate` is the wall that will be taken away.
// The floor, rough with halves of balls in its surface: on a smooth one single balls would roll on and on.
static void add_floor(const Pile* pile, double d) {
  CpsError error = {{0}};
  CpsObstacleId id;
  add_wall(pile->world, (CpsVec3){0}, (CpsQuat){1.0, 0.0, 0.0, 0.0}, MU, &id);
  const int nx = (int)(ROUGH * WIDTH / d), ny = THICK;
  for (int x = 0; x < nx; ++x) {
    for (int y = 0; y < ny; ++y) {
      CpsObstacleDef half = cps_obstacle_def_default();
      half.shape = cps_sphere(0.5 * d);
      half.pose.position = (CpsVec3){(x + 0.5) * d, (y + 0.5) * d, 0.0};
      half.mu = MU;
      must(cps_world_add_obstacle(pile->world, &half, &id, &error), &error);
    }
  }
}

static Pile pour(int wanted, double step, CpsObstacleId* gate) {
  CpsError error = {{0}};
  const double fill = 0.6;  // of the settled column, about
  const double d = sqrt(fill * THICK * 6.0 / acos(-1.0) * WIDTH * ASPECT * WIDTH / wanted), apart = 1.12 * d;
  const int nx = (int)(WIDTH / apart), ny = (int)(THICK * d / apart), nz = (wanted + nx * ny - 1) / (nx * ny);
  Pile pile = {NULL, wanted, malloc((size_t)wanted * sizeof(double)), THICK * d,
               malloc((size_t)wanted * sizeof(CpsBodyId))};
  if (!pile.radius || !pile.id || nx < 1 || ny < 1) stop("too few balls, or out of memory");
  CpsWorldDef def = cps_world_def_default();
  def.step = step;
  def.solver.tolerance = 1e-3;
  must(cps_world_create(&def, &pile.world, &error), &error);
  const double q = sqrt(0.5);
  CpsObstacleId other;
  add_floor(&pile, d);
  add_wall(pile.world, (CpsVec3){0}, (CpsQuat){q, 0.0, q, 0.0}, 0.0, &other);
  add_wall(pile.world, (CpsVec3){0}, (CpsQuat){q, -q, 0.0, 0.0}, 0.0, &other);
  add_wall(pile.world, (CpsVec3){0.0, pile.depth, 0.0}, (CpsQuat){q, q, 0.0, 0.0}, 0.0, &other);
  add_wall(pile.world, (CpsVec3){WIDTH, 0.0, 0.0}, (CpsQuat){q, 0.0, -q, 0.0}, 0.0, gate);
  uint64_t random = 1;
  int i = 0;
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx && i < wanted; ++x, ++i) {
        CpsBodyDef ball = cps_body_def_default();
        pile.radius[i] = 0.5 * d * (0.9 + 0.2 * next(&random));
        ball.shape = cps_sphere(pile.radius[i]);
        ball.density = DENSITY;
        ball.mu = MU;
        const double free = 0.01 * d;  // lattices without disorder settle into layers
        ball.position =
            (CpsVec3){WIDTH * (x + 0.5) / nx + free * next(&random), pile.depth * (y + 0.5) / ny + free * next(&random),
                      d + apart * (z + 0.5) + free * next(&random)};
        ball.velocity = (CpsVec3){0.3 * (next(&random) - 0.5), 0.3 * (next(&random) - 0.5), -0.3 * next(&random)};
        must(cps_world_add_body(pile.world, &ball, &pile.id[i], &error), &error);
      }
    }
  }
  return pile;
}

static CpsBodyState state_of(const Pile* pile, int i) {
  CpsBodyState state;
  if (cps_world_body_state(pile->world, pile->id[i], &state) != CPS_OK) stop("a ball is missing");
  return state;
}

static Region* region_at(Region* regions, CpsVec3 at) {
  const double wide = 3.0 * WIDTH / CELLS_X, high = ASPECT * WIDTH / CELLS_Z;
  const int x = (int)floor(at.x / wide), z = (int)floor(at.z / high);
  return x >= 0 && x < CELLS_X && z >= 0 && z < CELLS_Z ? &regions[z * CELLS_X + x] : NULL;
}

// Adds (1) of a step.
static void add_stress(const Pile* pile, Region* regions) {
  const int32_t contacts = cps_world_contact_count(pile->world);
  for (int32_t k = 0; k < contacts; ++k) {
    const CpsContact c = cps_world_contact(pile->world, k);
    if (c.side[0].thing.kind != CPS_THING_BODY || c.side[1].thing.kind != CPS_THING_BODY) continue;
    const CpsVec3 n = c.normal, t = c.tangent1, s = c.tangent2;
    const double Jx = c.impulse[0] * n.x + c.impulse[1] * t.x + c.impulse[2] * s.x;
    const double Jz = c.impulse[0] * n.z + c.impulse[1] * t.z + c.impulse[2] * s.z;
    const double l = pile->radius[c.side[0].thing.index] + pile->radius[c.side[1].thing.index];
    Region* r = region_at(regions, c.side[0].point);
    if (!r) continue;
    r->stress[0] += Jx * l * n.x;
    r->stress[1] += Jz * l * n.z;
    r->stress[2] += 0.5 * (Jx * l * n.z + Jz * l * n.x);
  }
  for (int i = 0; i < pile->count; ++i) {
    const CpsBodyState ball = state_of(pile, i);
    Region* r = region_at(regions, ball.centre);
    if (!r) continue;
    const double volume = 4.0 / 3.0 * acos(-1.0) * pow(pile->radius[i], 3.0);
    r->volume += volume;
    if (hypot(ball.velocity.x, ball.velocity.z) > 0.1) r->moving += volume;
  }
}

// Mean of |Dev| over mean of p of the regions in which nearly all balls move. Impulses over a time: only their ratio counts.
static void add_friction(const Region* regions, double* deviator, double* pressure) {
  for (int k = 0; k < CELLS_X * CELLS_Z; ++k) {
    const Region* r = &regions[k];
    if (!(r->volume > 0.0) || r->moving < 0.95 * r->volume) continue;
    *deviator += hypot(0.5 * (r->stress[0] - r->stress[1]), r->stress[2]);
    *pressure += 0.5 * (r->stress[0] + r->stress[1]);
  }
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

enum { PARTS = 2 };
static const double PART[PARTS] = {0.9, 0.99};

// Within which these parts of the places beyond the foot are, less the foot and relative to it. Sorts x.
static void runout(double* x, int64_t count, double foot, double found[PARTS]) {
  qsort(x, (size_t)count, sizeof *x, compare);
  int64_t inside = 0;
  while (inside < count && x[inside] <= foot) ++inside;
  if (inside == count) stop("nothing left the column");
  for (int k = 0; k < PARTS; ++k) found[k] = x[inside + (int64_t)(PART[k] * (double)(count - inside))] / foot - 1.0;
}

static void runout_of_balls(const Pile* pile, double found[PARTS]) {
  double* x = malloc((size_t)pile->count * sizeof *x);
  if (!x) stop("out of memory");
  for (int i = 0; i < pile->count; ++i) x[i] = state_of(pile, i).centre.x;
  runout(x, pile->count, WIDTH, found);
  free(x);
}

// Height that holds all balls at the volume fraction of the middle, and that fraction.
static double settled_height(const Pile* pile, const char* out, double* fraction) {
  char path[1024];
  (void)snprintf(path, sizeof path, "%s/balls.txt", out);
  FILE* file = fopen(path, "w");
  if (!file) stop("balls.txt cannot be written");
  double all = 0.0, low = 0.0, mean = 0.0;
  for (int i = 0; i < pile->count; ++i) {
    const CpsVec3 at = state_of(pile, i).centre;
    const double volume = 4.0 / 3.0 * acos(-1.0) * pow(pile->radius[i], 3.0);
    fprintf(file, "%.9g %.9g %.9g %.9g\n", at.x, at.y, at.z, pile->radius[i]);
    all += volume;
    mean += volume * at.z;
    if (at.z > 0.1 * WIDTH && at.z < 0.6 * WIDTH) low += volume;
  }
  fclose(file);
  *fraction = low / (0.5 * WIDTH * WIDTH * pile->depth);
  return 2.0 * mean / all;
}

static double continuum(double mu, double height, double fraction, int cells, double found[PARTS], int64_t* unsolved) {
  Setting s = {0};
  const double cell = WIDTH / cells;
  set(&s, "parameters.aspect=%.6g", height / WIDTH);
  set(&s, "parameters.friction=%.6g", mu);
  set(&s, "obstacles.floor.mu=1");  // rough: the grains slip within themselves
  set(&s, "grains.sand.fraction=%.6g", fraction);
  set(&s, "grains.sand.fraction_max=%.6g", fraction);
  set(&s, "parameters.cell=%.9g", cell);
  set(&s, "grid.particles=3");
  set(&s, "solver.tolerance=1e-3");
  set(&s, "time.step=%.6g", 0.16 * cell);
  const double before = cps_clock_cpu();
  CpsWorld* world = open("sand-column.yaml", &s);
  while (cps_world_time(world) < END) *unsolved += step(world);
  const double seconds = cps_clock_cpu() - before;
  const CpsThing grains = cps_thing_grains(world);
  const int64_t count = cps_world_array_count(world, grains, CPS_QUANTITY_POSITION);
  double* x = malloc(3 * (size_t)count * sizeof *x);
  if (!x || cps_world_array(world, grains, CPS_QUANTITY_POSITION, x, 3 * sizeof *x) != CPS_OK) stop("out of memory");
  for (int64_t p = 0; p < count; ++p) x[p] = x[3 * p];
  runout(x, count, WIDTH, found);
  free(x);
  cps_world_destroy(world);
  return seconds;
}

int main(int count, char** arguments) {
  const char* out = ".";
  int balls = 10000;
  double step_ms = 1.0;
  for (int i = 1; i + 1 < count; i += 2) {
    if (strcmp(arguments[i], "--out") == 0) out = arguments[i + 1];
    if (strcmp(arguments[i], "--balls") == 0) balls = (int)strtol(arguments[i + 1], NULL, 10);
    if (strcmp(arguments[i], "--step") == 0) step_ms = strtod(arguments[i + 1], NULL);
  }
  if (balls < 100 || !(step_ms > 0.0)) stop("usage: bench-grains-balls [--out DIRECTORY] [--balls N] [--step MS]");
  char path[1024];
  (void)snprintf(path, sizeof path, "%s/grains-balls.md", out);
  FILE* table = fopen(path, "w");
  if (!table) stop("the table cannot be written");
  CpsError error = {{0}};
  CpsObstacleId gate;
  Pile pile = pour(balls, 1e-3 * step_ms, &gate);
  int64_t unsolved = 0;
  while (cps_world_time(pile.world) < SETTLING) unsolved += step(pile.world);
  double fraction;
  const double height = settled_height(&pile, out, &fraction), begin = cps_world_time(pile.world);
  fprintf(
      table,
      "%d balls, %.3g mm in diameter on average; height %.1f mm, volume fraction %.3f, friction of a contact %g\n\n",
      balls, 1e3 * pile.depth / THICK, 1e3 * height, fraction, MU);
  fflush(table);
  must(cps_world_remove_obstacle(pile.world, gate, &error), &error);
  double deviator = 0.0, pressure = 0.0, window = 0.0;
  Region regions[CELLS_X * CELLS_Z] = {0};
  const double before = cps_clock_cpu();
  while (cps_world_time(pile.world) < begin + END) {
    unsolved += step(pile.world);
    const double t = cps_world_time(pile.world) - begin;
    if (t < 0.05 || t > 0.3) continue;
    add_stress(&pile, regions);
    window += cps_world_last_step(pile.world);
    if (window < 0.01) continue;
    add_friction(regions, &deviator, &pressure);
    memset(regions, 0, sizeof regions);
    window = 0.0;
  }
  const double seconds = cps_clock_cpu() - before, mu = deviator / pressure;
  double of_balls[PARTS];
  runout_of_balls(&pile, of_balls);
  fprintf(table, "Friction of the balls as a medium, |Dev| / p where they flow: %.3f\n\n", mu);
  fprintf(table,
          "| | run-out of 90 %%, widths | relative to balls | of 99 %%, widths | relative to balls | processor time, s "
          "| unsolved steps "
          "|\n|---|---:|---:|---:|---:|---:|---:|\n");
  fprintf(table, "| %d balls | %.3f | 1 | %.3f | 1 | %.1f | %d |\n", balls, of_balls[0], of_balls[1], seconds,
          (int)unsolved);
  fflush(table);
  static const int CELLS[] = {8, 12, 16};
  for (size_t k = 0; k < sizeof CELLS / sizeof *CELLS; ++k) {
    int64_t missed = 0;
    double found[PARTS];
    const double took = continuum(mu, height, fraction, CELLS[k], found, &missed);
    fprintf(table, "| continuum, %d cells a width | %.3f | %.3f | %.3f | %.3f | %.1f | %d |\n", CELLS[k], found[0],
            found[0] / of_balls[0], found[1], found[1] / of_balls[1], took, (int)missed);
    fflush(table);
  }
  fclose(table);
  cps_world_destroy(pile.world);
  free(pile.radius);
  free(pile.id);
  return 0;
}
