// A column of sand by an explicit elastic scheme of our own, beside Capstan: time, run-out and creep.
//
// The material point method with quadratic splines and affine transfers; each particle has an elastic strain with Hencky's energy, which
// is returned to the cone of Drucker and Prager in each step (Klar et al. 2016, in plane strain). With e the logarithms of the principal
// stretches, tau = 2 G e + L tr(e) 1 and p = -(G + L) tr(e),
//
//   tr(e) > 0: e = 0, and the expansion is remembered, to be closed again;    2 G |dev e| <= sqrt(2) mu (G + L) (-tr(e))       (1)
//
// the same cone |Dev| <= mu p as in docs/theory/grains.md. Steps are bound by the speed of sound, that is by Young's modulus.
//
// usage: bench-grains-elastic     writes grains-elastic.md: half a minute
#define PROGRAM "bench-grains-elastic"
#include "scenes.h"

#include <time.h>

static const double WIDTH = 0.1, ASPECT = 1.5, MU = 0.5, DENSITY = 0.6 * 2600.0, GRAVITY = 9.81;
static const double POISSON = 0.3, COURANT = 0.4;
static const double SPREAD = 0.66, REST = 2.0;  // s: when run-out and creep are read
enum { PER = 2, STENCIL = 3 };

typedef struct Grain {
  double x[2], v[2], C[4], F[4];  // F: elastic deformation, row by row
  double closed;                  // volume that it has to close up, logarithm
} Grain;

typedef struct Elastic {
  double cell, h, G, L, volume;
  int columns, rows, count;
  Grain* grain;
  double* node;  // mass, momentum of each
} Elastic;

static double seconds(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

// Principal stretches s and the rotations of F = U diag(s) V^T by angles u and v.
static void principal(const double F[4], double s[2], double* u, double* v) {
  const double e = (F[0] + F[3]) / 2, f = (F[0] - F[3]) / 2, g = (F[2] + F[1]) / 2, h = (F[2] - F[1]) / 2;
  const double q = hypot(e, h), r = hypot(f, g), sum = atan2(g, f), difference = atan2(h, e);
  s[0] = q + r, s[1] = q - r;
  *u = (sum + difference) / 2, *v = (sum - difference) / 2;
}

// A diag(s) B^T for rotations by angles a and b.
static void compose(double a, const double s[2], double b, double out[4]) {
  const double ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b);
  out[0] = ca * s[0] * cb + sa * s[1] * sb, out[1] = ca * s[0] * sb - sa * s[1] * cb;
  out[2] = sa * s[0] * cb - ca * s[1] * sb, out[3] = sa * s[0] * sb + ca * s[1] * cb;
}

// (1) for a trial F; its Kirchhoff stress.
static void settle(const Elastic* m, Grain* p, double tau[4]) {
  double s[2], u, v;
  principal(p->F, s, &u, &v);
  double e[2] = {log(fmax(s[0], 1e-6)) + p->closed / 2, log(fmax(s[1], 1e-6)) + p->closed / 2};
  const double trace = e[0] + e[1], half = (e[0] - e[1]) / 2;
  if (trace >= 0.0) {
    p->closed = trace;
    e[0] = e[1] = 0.0;
  } else {
    p->closed = 0.0;
    const double most = MU * (m->G + m->L) * -trace / (2.0 * m->G), dev = fmin(most, fmax(-most, half));
    e[0] = trace / 2 + dev, e[1] = trace / 2 - dev;
  }
  const double stretch[2] = {exp(e[0]), exp(e[1])};
  const double stress[2] = {2 * m->G * e[0] + m->L * (e[0] + e[1]), 2 * m->G * e[1] + m->L * (e[0] + e[1])};
  compose(u, stretch, v, p->F);
  compose(u, stress, u, tau);
}

// First node and weights along an axis of a quadratic spline.
static int splines(double x, double w[STENCIL], double dw[STENCIL]) {
  const int first = (int)floor(x - 0.5);
  const double f = x - first;
  w[0] = 0.5 * (1.5 - f) * (1.5 - f), w[1] = 0.75 - (f - 1.0) * (f - 1.0), w[2] = 0.5 * (f - 0.5) * (f - 0.5);
  dw[0] = f - 1.5, dw[1] = -2.0 * (f - 1.0), dw[2] = f - 0.5;
  return first;
}

static double* node_at(const Elastic* m, int i, int k) {
  if (i < 0 || k < 0 || i >= m->columns || k >= m->rows) stop("a grain left the grid");
  return m->node + 3 * ((size_t)i * (size_t)m->rows + (size_t)k);
}

static void to_nodes(Elastic* m) {
  memset(m->node, 0, 3 * (size_t)m->columns * (size_t)m->rows * sizeof *m->node);
  const double mass = DENSITY * m->volume;
  for (int n = 0; n < m->count; ++n) {
    Grain* p = &m->grain[n];
    double w[2][STENCIL], dw[2][STENCIL], tau[4];
    const int i0 = splines(p->x[0] / m->cell, w[0], dw[0]), k0 = splines(p->x[1] / m->cell, w[1], dw[1]);
    settle(m, p, tau);
    for (int i = 0; i < STENCIL; ++i) {
      for (int k = 0; k < STENCIL; ++k) {
        double* to = node_at(m, i0 + i, k0 + k);
        const double N = w[0][i] * w[1][k], dx = (i0 + i) * m->cell - p->x[0], dz = (k0 + k) * m->cell - p->x[1];
        const double gx = dw[0][i] * w[1][k] / m->cell, gz = w[0][i] * dw[1][k] / m->cell;
        to[0] += N * mass;
        to[1] += N * mass * (p->v[0] + p->C[0] * dx + p->C[1] * dz) - m->h * m->volume * (tau[0] * gx + tau[1] * gz);
        to[2] += N * mass * (p->v[1] + p->C[2] * dx + p->C[3] * dz) - m->h * m->volume * (tau[2] * gx + tau[3] * gz);
      }
    }
  }
}

// Velocities of the nodes: gravity, a floor with Coulomb friction at z = 2 cells, a smooth wall at x = 2 cells.
static void push_nodes(Elastic* m) {
  for (int i = 0; i < m->columns; ++i) {
    for (int k = 0; k < m->rows; ++k) {
      double* n = node_at(m, i, k);
      if (!(n[0] > 0.0)) continue;
      double vx = n[1] / n[0], vz = n[2] / n[0] - m->h * GRAVITY;
      if (k <= 2 && vz < 0.0) {
        const double most = -MU * vz;
        vx = fabs(vx) <= most ? 0.0 : vx - copysign(most, vx);
        vz = 0.0;
      }
      if (i <= 2) vx = fmax(vx, 0.0);
      n[1] = vx, n[2] = vz;
    }
  }
}

static void to_grains(Elastic* m) {
  const double D = 4.0 / (m->cell * m->cell);
  for (int n = 0; n < m->count; ++n) {
    Grain* p = &m->grain[n];
    double w[2][STENCIL], dw[2][STENCIL], v[2] = {0}, C[4] = {0};
    const int i0 = splines(p->x[0] / m->cell, w[0], dw[0]), k0 = splines(p->x[1] / m->cell, w[1], dw[1]);
    for (int i = 0; i < STENCIL; ++i) {
      for (int k = 0; k < STENCIL; ++k) {
        const double* at = node_at(m, i0 + i, k0 + k);
        const double N = w[0][i] * w[1][k], d[2] = {(i0 + i) * m->cell - p->x[0], (k0 + k) * m->cell - p->x[1]};
        for (int a = 0; a < 2; ++a) {
          v[a] += N * at[1 + a];
          for (int b = 0; b < 2; ++b) C[2 * a + b] += D * N * at[1 + a] * d[b];
        }
      }
    }
    const double F[4] = {p->F[0], p->F[1], p->F[2], p->F[3]};
    for (int a = 0; a < 2; ++a) {
      p->v[a] = v[a], p->x[a] += m->h * v[a];
      for (int b = 0; b < 2; ++b) {
        p->C[2 * a + b] = C[2 * a + b];
        p->F[2 * a + b] = F[2 * a + b] + m->h * (C[2 * a] * F[b] + C[2 * a + 1] * F[2 + b]);
      }
    }
  }
}

static Elastic make(double cell, double young) {
  Elastic m = {.cell = cell, .G = young / (2 * (1 + POISSON)), .volume = cell * cell / (PER * PER)};
  m.L = young * POISSON / ((1 + POISSON) * (1 - 2 * POISSON));
  m.h = COURANT * cell / sqrt((m.L + 2 * m.G) / DENSITY);
  m.columns = (int)(6.0 * WIDTH / cell) + 6, m.rows = (int)(ASPECT * WIDTH / cell) + 8;
  const int nx = (int)lround(PER * WIDTH / cell), nz = (int)lround(PER * ASPECT * WIDTH / cell);
  m.grain = calloc((size_t)nx * (size_t)nz, sizeof *m.grain);
  m.node = calloc(3 * (size_t)m.columns * (size_t)m.rows, sizeof *m.node);
  if (!m.grain || !m.node) stop("out of memory");
  for (m.count = 0; m.count < nx * nz; ++m.count) {
    Grain* p = &m.grain[m.count];
    const int column = m.count / nz, row = m.count % nz;
    p->x[0] = (2.0 + (column + 0.5) / PER) * cell, p->x[1] = (2.0 + (row + 0.5) / PER) * cell;
    p->F[0] = p->F[3] = 1.0;
  }
  return m;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// In widths beyond the foot: within which this part stays of what has left the column.
static double runout(double* x, int64_t count, double part) {
  qsort(x, (size_t)count, sizeof *x, compare);
  int64_t inside = 0;
  while (inside < count && x[inside] <= WIDTH) ++inside;
  if (inside == count) stop("no grain left the column");
  return x[inside + (int64_t)(part * (double)(count - inside))] / WIDTH - 1.0;
}

typedef struct Outcome {
  double ninety, front, seconds, creep;
  int64_t steps;
} Outcome;

static Outcome run_elastic(double cell, double young) {
  Elastic m = make(cell, young);
  Outcome o = {0};
  const double begin = seconds();
  double* x = calloc((size_t)m.count + 1, sizeof *x);
  if (!x) stop("out of memory");
  for (double t = 0.0; t < REST; t += m.h) {
    if (o.seconds == 0.0 && t >= SPREAD) {
      o.seconds = seconds() - begin;
      for (int k = 0; k < m.count; ++k) x[k] = m.grain[k].x[0] - 2.0 * cell;
      o.ninety = runout(x, m.count, 0.9), o.front = runout(x, m.count, 0.99);
    }
    to_nodes(&m);
    push_nodes(&m);
    to_grains(&m);
    o.steps += t < SPREAD;
  }
  for (int k = 0; k < m.count; ++k) o.creep = fmax(o.creep, hypot(m.grain[k].v[0], m.grain[k].v[1]));
  free(x), free(m.grain), free(m.node);
  return o;
}

static Outcome run_capstan(double cell) {
  Setting s = {0};
  set(&s, "parameters.aspect=%g", ASPECT);
  set(&s, "parameters.cell=%g", cell);
  set(&s, "solver.tolerance=1e-3");
  set(&s, "time.step=%g", 0.2 * cell);
  const double begin = seconds();
  CpsWorld* world = open("sand-column.yaml", &s);
  Outcome o = {0};
  for (; cps_world_time(world) < SPREAD; ++o.steps) (void)step(world);
  o.seconds = seconds() - begin;
  const CpsThing grains = cps_thing_grains(world);
  const int64_t count = cps_world_array_count(world, grains, CPS_QUANTITY_POSITION);
  double* x = malloc(3 * (size_t)count * sizeof *x);
  if (!x || cps_world_array(world, grains, CPS_QUANTITY_POSITION, x, 3 * sizeof *x) != CPS_OK) stop("out of memory");
  for (int64_t p = 0; p < count; ++p) x[p] = x[3 * p];
  o.ninety = runout(x, count, 0.9), o.front = runout(x, count, 0.99);
  free(x);
  o.creep = cps_world_grains_info(world).fastest;
  cps_world_destroy(world);
  return o;
}

static void print(FILE* file, const char* what, double cell, Outcome o, double rest) {
  fprintf(file, "| %s | %.1f | %.3f | %.3f | %d | %.2f | %.1e (%g s) |\n", what, 1e3 * cell, o.ninety, o.front,
          (int)o.steps, o.seconds, o.creep, rest);
  fflush(file);
}

int main(int count, char** arguments) {
  (void)arguments;
  if (count > 1) stop("usage: bench-grains-elastic");
  FILE* file = fopen("grains-elastic.md", "w");
  if (!file) stop("the table cannot be written");
  fprintf(file,
          "| | cell, mm | 90 %%, widths | 99 %%, widths | steps | processor time, s | fastest grain, m/s |\n"
          "|---|---:|---:|---:|---:|---:|---:|\n");
  const double cells[] = {WIDTH / 8, WIDTH / 12, WIDTH / 16};
  for (int i = 0; i < 3; ++i) print(file, "Capstan, 1e-3", cells[i], run_capstan(cells[i]), SPREAD);
  for (int i = 0; i < 3; ++i) print(file, "elastic, 0.1 MPa", cells[i], run_elastic(cells[i], 1e5), REST);
  for (int i = 0; i < 3; ++i) print(file, "elastic, 1 MPa", cells[i], run_elastic(cells[i], 1e6), REST);
  print(file, "elastic, 100 MPa", cells[0], run_elastic(cells[0], 1e8), REST);
  fclose(file);
  return 0;
}
