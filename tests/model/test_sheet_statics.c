// labels: release
// Equilibria of sheets against closed forms.
#include "scenes/reference.h"
#include "sheet_statics.h"

static const double PI = 3.14159265358979323846, G = 9.81;

// The heavy elastica theta'' = -gamma (1 - s) cos(theta), theta(0) = 0, theta'(1) = 0, by shooting: its points at s = i/n.
static double shoot(double gamma, double curvature, int n, double* x, double* z) {
  enum { FINE = 64 };
  double theta = 0.0, k = curvature, h = 1.0 / (n * FINE);
  x[0] = z[0] = 0.0;
  for (int i = 0; i < n; ++i) {
    double px = x[i], pz = z[i];
    for (int j = 0; j < FINE; ++j) {
      double s = (i * FINE + j + 0.5) * h, middle = theta + 0.5 * h * k;
      k -= h * gamma * (1.0 - s) * cos(middle);
      theta = middle + 0.5 * h * k;
      px += h * cos(middle), pz -= h * sin(middle);
    }
    x[i + 1] = px, z[i + 1] = pz;
  }
  return k;
}

static void elastica(double gamma, int n, double* x, double* z) {
  double low = 0.0, high = gamma;
  for (int i = 0; i < 60; ++i) {
    double middle = 0.5 * (low + high);
    *(shoot(gamma, middle, n, x, z) > 0.0 ? &high : &low) = middle;
  }
}

enum { MOST_CELLS = 64 };

// H/W of a strip that is clamped by two rows of held vertices close together: the clamp lies between them, and so the error of
// its place is small.
static double cantilever(MeshKind kind, CpsBendingLaw law, double gamma, int cells) {
  double h = 1.0 / cells, width = 4.0 * h, x[MOST_CELLS + 1], z[MOST_CELLS + 1];
  Rectangle r = make_rectangle(kind, 1.0 + h, width, cells + 1, 4);
  for (int32_t v = 0; v < r.vertex_count; ++v) {
    int column = v % r.across;
    r.vertices[v].x = column == 0 ? -0.1 * h : column == 1 ? 0.0 : r.vertices[v].x - h;
  }
  CpsSheetDef def = sheet_of_rectangle(&r);
  double B = def.density * G / gamma;
  def.bending_law = law;
  def.poisson = 0.0;
  def.bending[0] = def.bending[1] = B;
  def.stretch[0] = def.stretch[1] = 1200.0 * B / (h * h);  // longer by less than 2e-4
  CpsSheetElastic* s = make_elastic(&def);
  Statics q = make_statics(s);
  elastica(gamma, cells, x, z);
  for (int32_t n = 0; n < s->mesh.node_count; ++n) {
    q.load[3 * n + 2] = -G * s->mass[n];
    if (n % r.across <= 1) {
      hold(&q, n, true, true, true);
      continue;
    }
    double at = fmin(q.x[n].x / h, cells - 1e-9);
    int cell = (int)at;
    q.x[n].x = x[cell] + (at - cell) * (x[cell + 1] - x[cell]);
    q.x[n].z = z[cell] + (at - cell) * (z[cell + 1] - z[cell]);
  }
  bool found = find_equilibrium(&q, true, 1e-6 * def.density * G * width, 60);
  double W = 0.0, H = 0.0;
  for (int j = 0; j < r.along; ++j) {
    W += q.x[j * r.across + cells + 1].x / r.along;
    H -= q.x[j * r.across + cells + 1].z / r.along;
  }
  if (!found) print_error("mesh %d, gamma %g: not found in %d iterations\n", (int)kind, gamma, q.iterations);
  assert_true(found);
  free_statics(&q);
  cps_sheet_elastic_destroy(s);
  free_rectangle(&r);
  return H / W;
}

// Relative to the table. The element has an error of second order, and the place of the clamp one of first order in a tenth of a
// cell; a random mesh makes `patch` too soft by an amount that refinement does not take away.
static void cantilever_hangs_like_the_elastica(void** state) {
  (void)state;
  static Reference table;
  read_reference("cantilever_H_over_W_vs_Gamma.csv", &table);
  const struct {
    MeshKind kind;
    CpsBendingLaw law;
    double within;
  } cases[] = {
      {MESH_DIAGONAL, CPS_BENDING_PATCH, 0.01}, {MESH_CROSSED, CPS_BENDING_PATCH, 0.01},
      {MESH_DIAGONAL, CPS_BENDING_WIDE, 0.01},  {MESH_JITTERED, CPS_BENDING_WIDE, 0.01},
      {MESH_JITTERED, CPS_BENDING_PATCH, 0.03},
  };
  for (int c = 0; c < 5; ++c) {
    for (int i = 0; i < table.count; ++i) {
      const double* row = table.row[i];
      double decade = log10(row[0]);
      if (fabs(decade - round(decade)) > 1e-6 || row[0] < 0.05 || row[0] > 200.0) continue;
      double ratio = cantilever(cases[c].kind, cases[c].law, row[0], 40) / row[3];
      print_message("law %d, mesh %d, gamma %g: %.4f\n", (int)cases[c].law, (int)cases[c].kind, row[0], ratio);
      assert_near(ratio, 1.0, cases[c].within);
    }
  }
}

// Hinges hang by their mesh: what was asked for as a plate is far too stiff with parallel diagonals.
static void cantilever_of_hinges_does_not(void** state) {
  (void)state;
  double ratio = cantilever(MESH_DIAGONAL, CPS_BENDING_HINGE, 0.1, 40) / 0.0124995537;
  assert_true(fabs(ratio - 1.0) > 0.05);
}

// A square plate, simply supported, under uniform load: q a^4 / D times 0.00406235 in its middle (Timoshenko; the same for any
// Poisson's ratio). The linear problem: bending only, motion across only.
static double plate_ratio(MeshKind kind, CpsBendingLaw law, int cells) {
  Rectangle r = make_rectangle(kind, 1.0, 1.0, cells, cells);
  CpsSheetDef def = sheet_of_rectangle(&r);
  def.bending_law = law;
  CpsSheetElastic* s = make_elastic(&def);
  Statics q = make_statics(s);
  for (int32_t n = 0; n < s->mesh.node_count; ++n) {
    int i = n % r.across, j = n / r.across;
    hold(&q, n, true, true, i == 0 || j == 0 || i == cells || j == cells);
    q.step[3 * n + 2] = q.held[3 * n + 2] ? 0.0 : s->mass[n] / def.density;
  }
  cps_sheet_hessian(s, NULL, q.x, CPS_HESSIAN_EXACT, 0.0, 1.0, q.value);
  fill_full(&q);
  assert_true(cps_ldl_factor(q.ldl, q.full));
  cps_ldl_solve(q.ldl, q.step);
  double ratio = q.step[3 * (cells / 2 * r.across + cells / 2) + 2] * def.bending[0] / 0.00406235;
  free_statics(&q);
  cps_sheet_elastic_destroy(s);
  free_rectangle(&r);
  return ratio;
}

static void plate_bends_under_pressure(void** state) {
  (void)state;
  const struct {
    MeshKind kind;
    CpsBendingLaw law;
    double within;
  } cases[] = {
      {MESH_DIAGONAL, CPS_BENDING_PATCH, 0.01}, {MESH_CROSSED, CPS_BENDING_PATCH, 0.01},
      {MESH_JITTERED, CPS_BENDING_PATCH, 0.03}, {MESH_DIAGONAL, CPS_BENDING_WIDE, 0.01},
      {MESH_CROSSED, CPS_BENDING_WIDE, 0.01},   {MESH_JITTERED, CPS_BENDING_WIDE, 0.01},
  };
  for (int c = 0; c < 6; ++c) {
    double ratio = plate_ratio(cases[c].kind, cases[c].law, 32);
    print_message("law %d, mesh %d: %.4f\n", (int)cases[c].law, (int)cases[c].kind, ratio);
    assert_near(ratio, 1.0, cases[c].within);
  }
  double hinge = plate_ratio(MESH_DIAGONAL, CPS_BENDING_HINGE, 32);
  print_message("hinges, mesh 0: %.4f\n", hinge);
  assert_true(fabs(hinge - 1.0) > 0.3);
}

// A chain of the length L between two points at the distance S = 1 has the parameter a with 2 a sinh(1/2a) = L and the sag
// a (cosh(1/2a) - 1): 0.331797 for L = 1.25. Bending and stretch are so small that they change it by 1e-3 at most.
static void sheet_hangs_like_a_chain(void** state) {
  (void)state;
  const int cells = 40;
  double L = 1.25, low = 0.1, high = 10.0;
  for (int i = 0; i < 100; ++i) {
    double a = 0.5 * (low + high);
    *(2.0 * a * sinh(0.5 / a) > L ? &low : &high) = a;
  }
  double a = low, sag = a * (cosh(0.5 / a) - 1.0);
  assert_near(sag, 0.331797, 1e-6);
  for (int law = 0; law < CPS_MEMBRANE_LAW_COUNT; ++law) {
    Rectangle r = make_rectangle(MESH_DIAGONAL, L, 4.0 * L / cells, cells, 4);
    CpsSheetDef def = sheet_of_rectangle(&r);
    def.membrane = (CpsMembraneLaw)law;
    def.poisson = 0.0;
    def.bending[0] = def.bending[1] = 1e-5 * def.density * G;
    def.stretch[0] = def.stretch[1] = 2e4 * def.density * G;
    CpsSheetElastic* s = make_elastic(&def);
    Statics q = make_statics(s);
    for (int32_t n = 0; n < s->mesh.node_count; ++n) {
      double arc = q.x[n].x - 0.5 * L, u = a * asinh(arc / a);
      q.load[3 * n + 2] = -G * s->mass[n];
      q.x[n].x = 0.5 + u;
      q.x[n].z = a * cosh(u / a) - a * cosh(0.5 / a);
      bool end = n % r.across == 0 || n % r.across == r.across - 1;
      if (end) hold(&q, n, true, true, true);
    }
    assert_true(find_equilibrium(&q, false, 1e-7 * def.density * G, 100));
    assert_near(-q.x[2 * r.across + cells / 2].z, sag, 2e-3 * sag);
    free_statics(&q);
    cps_sheet_elastic_destroy(s);
    free_rectangle(&r);
  }
}

// A disc of radius 1 of rings of triangles, ring k with 6 k vertices; its vertices in `at`.
static Rectangle make_disc(int rings) {
  Rectangle r = {.vertex_count = 1 + 3 * rings * (rings + 1), .triangle_count = 6 * rings * rings};
  r.vertices = calloc((size_t)(uint32_t)r.vertex_count, sizeof *r.vertices);
  r.triangles = calloc(3 * (size_t)(uint32_t)r.triangle_count, sizeof *r.triangles);
  int32_t *t = r.triangles, inner = 0;
  for (int k = 1; k <= rings; ++k) {
    int32_t outer = 1 + 3 * k * (k - 1), m = k == 1 ? 1 : 6 * (k - 1);
    for (int i = 0; i < 6 * k; ++i) {
      double angle = 2.0 * PI * i / (6 * k);
      r.vertices[outer + i] = cps_vec3(cos(angle) * k / rings, sin(angle) * k / rings, 0.0);
      // the inner vertices between which ray i passes
      int32_t in = i - i / k, before = inner + (in + m - 0) % m, next = outer + (i + 1) % (6 * k);
      *t++ = before, *t++ = outer + i, *t++ = next;
      if (i % k != k - 1) *t++ = before, *t++ = next, *t++ = inner + (in + 1) % m;
    }
    inner = outer;
  }
  return r;
}

// A disc stretched by a uniform tension T, and then held at its rim.
static Statics make_drum(Rectangle* disc, int rings, double T, double stretch, CpsSheetElastic** elastic) {
  *disc = make_disc(rings);
  CpsSheetDef def = sheet_of_rectangle(disc);
  def.stretch[0] = def.stretch[1] = stretch;
  def.poisson = 0.0;
  def.bending[0] = def.bending[1] = 1e-9;
  *elastic = make_elastic(&def);
  Statics q = make_statics(*elastic);
  // StVK with C12 = 0: T = stretch E / J lambda^2 = stretch (lambda^2 - 1)/2, found by iteration
  double lambda = sqrt(1.0 + 2.0 * T / stretch);
  for (int32_t n = 0; n < (*elastic)->mesh.node_count; ++n) {
    q.x[n] = cps_vec3_scale(lambda, q.x[n]);
    if (n >= 1 + 3 * rings * (rings - 1)) hold(&q, n, true, true, true);
  }
  return q;
}

// w(r) = F ln(a/r) / 2 pi T away from the load. The load acts on a vertex; at the rings that are examined a polygon of triangles
// does not show any longer.
static void membrane_under_a_point_load(void** state) {
  (void)state;
  enum { RINGS = 24 };
  double T = 100.0, F = 0.01;
  Rectangle disc;
  CpsSheetElastic* s;
  Statics q = make_drum(&disc, RINGS, T, 1e4, &s);
  CpsSheetLook look;
  cps_sheet_look(s, q.x, 0, &look);
  assert_near(look.tension[0], T, 1e-9 * T);
  assert_near(look.tension[1], T, 1e-9 * T);
  q.load[2] = -F;
  assert_true(find_equilibrium(&q, false, 1e-9 * F, 20));
  for (int k = 4; k < RINGS; k += 4) {
    int32_t first = 1 + 3 * k * (k - 1);
    double w = 0.0, exact = F * log((double)RINGS / k) / (2.0 * PI * T);
    for (int i = 0; i < 6 * k; ++i) w -= q.x[first + i].z / (6 * k);
    assert_near(w, exact, 0.01 * exact);
  }
  free_statics(&q);
  cps_sheet_elastic_destroy(s);
  free_rectangle(&disc);
}

// f = 2.404826 sqrt(T / rho) / 2 pi a, rho of the stretched sheet, by inverse iteration on K v = omega^2 M v. Motions in the plane are
// stiffer by far.
static void drum_sounds_at_its_frequency(void** state) {
  (void)state;
  enum { RINGS = 20 };
  double T = 100.0, stretch = 1e5, lambda = sqrt(1.0 + 2.0 * T / stretch);
  Rectangle disc;
  CpsSheetElastic* s;
  Statics q = make_drum(&disc, RINGS, T, stretch, &s);
  cps_sheet_hessian(s, NULL, q.x, CPS_HESSIAN_EXACT, 1.0, 1.0, q.value);
  fill_full(&q);
  assert_true(cps_ldl_factor(q.ldl, q.full));
  double omega = 0.0, *v = calloc((size_t)q.n, sizeof *v);
  for (int64_t i = 0; i < q.n; ++i) v[i] = q.held[i] ? 0.0 : 1.0;
  for (int turn = 0; turn < 40; ++turn) {
    double size = 0.0, next = 0.0;
    for (int64_t i = 0; i < q.n; ++i) q.step[i] = q.held[i] ? 0.0 : s->mass[i / 3] * v[i], size += q.step[i] * v[i];
    cps_ldl_solve(q.ldl, q.step);
    for (int64_t i = 0; i < q.n; ++i) next += s->mass[i / 3] * v[i] * q.step[i];
    omega = sqrt(size / next);
    for (int64_t i = 0; i < q.n; ++i) v[i] = q.step[i] / sqrt(size);
  }
  double exact = 2.404826 * sqrt(T / (0.2 / (lambda * lambda))) / lambda;
  assert_near(omega, exact, 0.01 * exact);
  free(v);
  free_statics(&q);
  cps_sheet_elastic_destroy(s);
  free_rectangle(&disc);
}

// A strip pulled along the warp with its sides free: the stretch across and the force, by Newton's method, against the closed
// forms: of a solid in plane stress for neo-hookean (E 1e6, nu 0.3, unit thickness), of (1 - nu^2) for the others.
static void strip_narrows_as_it_is_pulled(void** state) {
  (void)state;
  const struct {
    CpsMembraneLaw law;
    double lambda, across, stress;
  } cases[] = {
      {CPS_MEMBRANE_NEO_HOOKEAN, 0.7, 1.10793473, -405230.42},
      {CPS_MEMBRANE_NEO_HOOKEAN, 1.2, 0.94563262, 174929.15},
      {CPS_MEMBRANE_NEO_HOOKEAN, 1.5, 0.88017459, 378280.18},
      {CPS_MEMBRANE_NEO_HOOKEAN, 2.0, 0.79807754, 646744.66},
      // E2 = -nu E1, P = lambda E E1
      {CPS_MEMBRANE_STVK, 1.2, 0.931665, 0.264e6},
      {CPS_MEMBRANE_BARAFF_WITKIN, 1.2, 1.0, 0.2e6},
  };
  for (int c = 0; c < 6; ++c) {
    Rectangle r = make_rectangle(MESH_JITTERED, 1.0, 1.0, 5, 5);
    CpsSheetDef def = sheet_of_rectangle(&r);
    def.membrane = cases[c].law;
    def.stretch[0] = def.stretch[1] = 1e6;
    CpsSheetElastic* s = make_elastic(&def);
    Statics q = make_statics(s);
    for (int32_t n = 0; n < s->mesh.node_count; ++n) {
      bool end = n % r.across == 0 || n % r.across == r.across - 1;
      q.x[n].x *= cases[c].lambda;
      hold(&q, n, end, n < r.across, true);  // symmetric about its lower side
    }
    assert_true(find_equilibrium(&q, false, 1e-4, 50));
    assert_near(q.x[r.vertex_count - 1].y, cases[c].across, 1e-6);
    double force = 0.0;
    for (int j = 0; j < r.along; ++j) force += q.gradient[j * r.across + r.across - 1].x;
    assert_near(force, cases[c].stress, 1e-6 * 1e6);
    free_statics(&q);
    cps_sheet_elastic_destroy(s);
    free_rectangle(&r);
  }
}

// Pushed together to a third within a plane, neo-Hookean triangles keep their sides; those of stvk are through.
static void neo_hookean_is_never_turned_inside_out(void** state) {
  (void)state;
  Rectangle r = make_rectangle(MESH_JITTERED, 1.0, 1.0, 5, 5);
  CpsSheetDef def = sheet_of_rectangle(&r);
  def.membrane = CPS_MEMBRANE_NEO_HOOKEAN;
  CpsSheetElastic* s = make_elastic(&def);
  Statics q = make_statics(s);
  for (int32_t n = 0; n < s->mesh.node_count; ++n) {
    bool end = n % r.across == 0 || n % r.across == r.across - 1;
    q.load[3 * n] = n % r.across >= r.across / 2 ? -2e4 : 2e4;
    hold(&q, n, false, end, true);
  }
  find_equilibrium(&q, false, 1e-3, 60);
  for (int32_t t = 0; t < s->mesh.triangle_count; ++t) {
    CpsVec3 x[3];
    for (int i = 0; i < 3; ++i) x[i] = q.x[s->mesh.triangle[3 * t + i]];
    assert_true(cps_vec3_cross(cps_vec3_sub(x[1], x[0]), cps_vec3_sub(x[2], x[0])).z > 0.0);
  }
  free_statics(&q);
  cps_sheet_elastic_destroy(s);
  free_rectangle(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cantilever_hangs_like_the_elastica), cmocka_unit_test(cantilever_of_hinges_does_not),
      cmocka_unit_test(plate_bends_under_pressure),         cmocka_unit_test(sheet_hangs_like_a_chain),
      cmocka_unit_test(membrane_under_a_point_load),        cmocka_unit_test(drum_sounds_at_its_frequency),
      cmocka_unit_test(strip_narrows_as_it_is_pulled),      cmocka_unit_test(neo_hookean_is_never_turned_inside_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
