// usage: bench-field-figures FOLDER
// Figures 2, 3 and 15 of Larionov, Fan and Pai (2021) for our fields, as SVG, and the numbers that belong to them:
//   field-path.svg    the place and the normal of a vertex that slides over seven facets, and over their smooth surface
//   field-psi.svg     Psi around cylinders of 7, 14 and 28 facets, cubic and interpolating kernel
//   field-valley.svg  a point that is drawn to (0, -1) and must stay above a valley, by linearised constraints
#include "geometry/field_shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS = 48, SHADES = 12, ROUNDS = 100 };

// -- SVG ---------------------------------------------------------------------------------------------------------------------

static FILE* begin(const char* folder, const char* name, int width, int height) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s.svg", folder, name);
  FILE* out = fopen(path, "w");
  if (!out) exit(1);
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
          "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
          width, height, width, height, width, height);
  return out;
}

static void end(FILE* out) {
  fputs("</svg>\n", out);
  fclose(out);
}

// A panel that shows [-1.5, 1.5]^2, or another window, in a square.
typedef struct Panel {
  double left, top, size;     // pixels
  double low_x, low_z, span;  // world
} Panel;

static double px(const Panel* p, double x) {
  return p->left + p->size * (x - p->low_x) / p->span;
}
static double pz(const Panel* p, double z) {
  return p->top + p->size * (1.0 - (z - p->low_z) / p->span);
}

static void line(FILE* out, const Panel* p, double x0, double z0, double x1, double z1, const char* colour,
                 double width) {
  fprintf(out, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"%s\" stroke-width=\"%g\"/>\n", px(p, x0),
          pz(p, z0), px(p, x1), pz(p, z1), colour, width);
}

static void write_text(FILE* out, double x, double y, const char* text) {
  fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", x, y, text);
}

static void polygon(FILE* out, const Panel* p, int sides, const char* colour) {
  for (int i = 0; i < sides; ++i) {
    const double a = 2.0 * FIELD_PI * i / sides, b = 2.0 * FIELD_PI * (i + 1) / sides;
    line(out, p, cos(a), sin(a), cos(b), sin(b), colour, 1.5);
  }
}

// -- figure 3: Psi -------------------------------------------------------------------------------------------------------------

// Psi as one of 2 SHADES + 1 colours; more: there is no field.
static int shade_of(double value) {
  return isnan(value) ? SHADES + 1 : (int)lround(SHADES * fmax(-1.0, fmin(1.0, 2.0 * value)));
}

static void draw_psi(FILE* out, const Panel* p, const Surface* s, const char* title) {
  const double step = p->span / PIXELS, size = p->size / PIXELS;
  static double value[PIXELS + 1][PIXELS + 1];
  for (int j = 0; j <= PIXELS; ++j) {
    for (int i = 0; i <= PIXELS; ++i) {
      CpsFieldAt at;
      const CpsVec3 x = {p->low_x + step * i, 0.0, p->low_z + step * j};
      value[j][i] = cps_field_at(&s->field, x, &at) ? at.value : NAN;
    }
  }
  for (int j = 0; j < PIXELS; ++j) {
    for (int i = 0, next; i < PIXELS; i = next) {
      const int shade = shade_of(value[j][i]);
      for (next = i + 1; next < PIXELS && shade_of(value[j][next]) == shade; ++next) continue;
      if (shade > SHADES) continue;
      const int weak = 255 - 255 * abs(shade) / SHADES;
      fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#%02x%02x%02x\"/>\n",
              p->left + i * size, p->top + p->size - (j + 1) * size, (next - i) * size + 0.3, size + 0.3,
              shade > 0 ? 255 : weak, weak, shade > 0 ? weak : 255);
    }
  }
  polygon(out, p, s->sides, "#444");
  for (int i = 0; i < 360; ++i) {
    CpsVec3 n;
    const double a = FIELD_PI * i / 180.0, b = FIELD_PI * (i + 1) / 180.0, r = level_at(s, a, &n),
                 q = level_at(s, b, &n);
    if (!isnan(r) && !isnan(q)) line(out, p, r * cos(a), r * sin(a), q * cos(b), q * sin(b), "#000", 1.2);
  }
  write_text(out, p->left, p->top - 6, title);
}

static void figure_psi(const char* folder) {
  static const struct {
    int sides;
    CpsKernel kernel;
    const char* title;
  } CASES[4] = {{7, CPS_KERNEL_INTERPOLATING, "7 facets, interpolating"},
                {7, CPS_KERNEL_CUBIC, "7 facets, cubic"},
                {14, CPS_KERNEL_CUBIC, "14 facets, cubic"},
                {28, CPS_KERNEL_CUBIC, "28 facets, cubic"}};
  FILE* out = begin(folder, "field-psi", 900, 250);
  printf(
      "| facets | kernel | reach | Psi = 0 outside the circle | inside | facets inside |\n|---|---|---|---|---|---|\n");
  for (int k = 0; k < 4; ++k) {
    Surface s = make_cylinder(CASES[k].sides, CASES[k].kernel);
    const Panel p = {15 + 222.0 * k, 30, 205, -1.6, -1.6, 3.2};
    draw_psi(out, &p, &s, CASES[k].title);
    double low = INFINITY, high = 0.0;
    for (int i = 0; i < 720; ++i) {
      CpsVec3 n;
      const double r = level_at(&s, FIELD_PI * i / 360.0, &n);
      if (isnan(r)) continue;
      low = fmin(low, r);
      high = fmax(high, r);
    }
    printf("| %d | %s | %.3f | %.4f | %.4f | %.4f |\n", s.sides, cps_kernel_name(CASES[k].kernel), s.field.reach,
           fmax(0.0, high - 1.0), fmax(0.0, 1.0 - low), 1.0 - cos(FIELD_PI / s.sides));
    dispose(&s);
  }
  end(out);
}

// -- figure 2: the path of a vertex --------------------------------------------------------------------------------------------

static void figure_path(const char* folder) {
  Surface s = make_cylinder(7, CPS_KERNEL_CUBIC);
  FILE* out = begin(folder, "field-path", 720, 330);
  const Panel p = {20, 30, 270, -1.3, -1.3, 2.6}, q = {370, 30, 270, 0.0, 0.0, 180.0};
  polygon(out, &p, 7, "#c33");
  line(out, &q, 0, 0, 180, 0, "#000", 1);
  line(out, &q, 0, 0, 0, 180, "#000", 1);
  double jump = 0.0, last = NAN, before = NAN, turn = 0.0;
  for (int i = 0; i <= 360; ++i) {
    const double degrees = 0.5 * i, a = FIELD_PI * degrees / 180.0,
                 facet = (floor(a * 7 / (2.0 * FIELD_PI)) + 0.5) * 360.0 / 7;
    CpsVec3 n;
    const double r = level_at(&s, a, &n), angle = atan2(n.z, n.x) * 180.0 / FIELD_PI;
    const double b = a + FIELD_PI / 360.0, further = level_at(&s, b, &n);
    line(out, &p, r * cos(a), r * sin(a), further * cos(b), further * sin(b), "#06c", 2);
    if (i > 0) {
      line(out, &q, degrees - 0.5, before, degrees, facet, "#c33", 1.5);
      line(out, &q, degrees - 0.5, last, degrees, angle, "#06c", 1.5);
      jump = fmax(jump, fabs(facet - before));
      turn = fmax(turn, fabs(angle - last));
    }
    before = facet;
    last = angle;
  }
  write_text(out, 20, 20, "path: seven facets (red), smooth surface (blue)");
  write_text(out, 370, 20, "direction of the normal, degrees, as a function of the angle");
  write_text(out, 630, 318, "180");
  write_text(out, 345, 40, "180");
  printf(
      "\nOver half a degree the normal rotates by at most %.1f degrees on facets, %.2f on the smooth "
      "surface\n",
      jump, turn);
  end(out);
  dispose(&s);
}

// -- figure 15: a valley -------------------------------------------------------------------------------------------------------

static double iterate(const Surface* s, FILE* out, const Panel* p, int* rounds) {
  CpsVec3 x = {0.7, 0.0, 1.2};
  double way = INFINITY;
  for (*rounds = 0; *rounds < ROUNDS && way > 1e-9; ++*rounds) {
    const CpsVec3 y = go_on(s, x);
    way = cps_vec3_norm(cps_vec3_sub(y, x));
    line(out, p, x.x, x.z, y.x, y.z, "#06c", 1);
    fprintf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"2.5\" fill=\"#06c\"/>\n", px(p, y.x), pz(p, y.z));
    x = y;
  }
  return way;
}

static void figure_valley(const char* folder) {
  FILE* out = begin(folder, "field-valley", 640, 330);
  Surface s = make_valley(6.0);
  for (int k = 0; k < 2; ++k) {
    const Panel p = {20 + 310.0 * k, 30, 280, -1.6, -1.2, 3.2};
    for (int i = -16; i < 16; ++i) {
      const double x = 0.1 * i;
      CpsVec3 a = {x, 0.0, 0.5 * fabs(x)}, b = {x + 0.1, 0.0, 0.5 * fabs(x + 0.1)};
      CpsFieldAt at;
      if (k == 1 && (!cps_field_project(&s.field, 0.0, &a, &at) || !cps_field_project(&s.field, 0.0, &b, &at)))
        continue;
      line(out, &p, a.x, a.z, b.x, b.z, "#000", 2);
    }
    int rounds;
    const double way = iterate(k == 1 ? &s : NULL, out, &p, &rounds);
    printf("%s: %d rounds, the last moved by %.1e\n", k == 1 ? "smooth" : "distance to the facets", rounds, way);
    fprintf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"4\" fill=\"none\" stroke=\"#c33\"/>\n", px(&p, 0.0),
            pz(&p, -1.0));
    write_text(out, p.left, 20, k == 1 ? "smooth surface: converges" : "distance to the facets: oscillates");
  }
  end(out);
  dispose(&s);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fputs("usage: bench-field-figures FOLDER\n", stderr);
    return 2;
  }
  figure_psi(argv[1]);
  figure_path(argv[1]);
  figure_valley(argv[1]);
  return 0;
}
