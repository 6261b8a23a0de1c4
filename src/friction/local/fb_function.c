// The modified Fischer-Burmeister function (Daviet et al. 2011, section 4; Fukushima, Luo, Tseng 2001).
//
//   x = (mu r_N, r_T),   y = rho (u~_N, mu u_T),   u~ = u + mu ||u_T|| e                                          (1)
//   law  <=>  x, y in K_1, x.y = 0  <=>  f = x + y - s = 0,   s = (x o x + y o y)^(1/2)                           (2)
//
// with the Jordan product a o b = (a.b, a_N b_T + b_N a_T). With v = x_N x_T + y_N y_T:
//
//   l_{1,2} = ||x||^2 + ||y||^2 -+ 2 ||v||,   s_N = (sqrt l2 + sqrt l1)/2,   s_T = (sqrt l2 - sqrt l1)/2 v/||v|| (3)
//   df/dx = I - L_s^-1 L_x,   df/dy = I - L_s^-1 L_y,   L_a = [a_N a_T^T; a_T a_N I]                              (4)
//   L_s^-1 = 1/D [s_N, -s_T^T; -s_T, (D/s_N) I + s_T s_T^T/s_N],   D = sqrt(l1 l2)
//
// (4) follows from differentiating s o s = x o x + y o y; the paper prints another matrix (docs/theory/one-contact.md).
// On the boundary l1 = 0 < l2 the choice (1 - x_N / sqrt(x_N^2 + y_N^2)) I, likewise for y, makes J^T f the gradient of
// ||f||^2 / 2. The law convex has u in place of u~; mu = 0 is the scalar function on (r_N, rho u_N) with f_T = r_T;
// bilateral: f = rho u; free: f = r.
#include "friction/local/fb_function.h"

#include <math.h>
#include <string.h>

static const double half_root = 0.70710678118654752;  // sqrt(1/2)

typedef struct Root {  // s of (3)
  bool boundary;
  double D;
  double s[CPS_DIM_MAX];
} Root;

static inline Root jordan_root(int d, const double* x, const double* y) {
  Root root = {.boundary = false};
  double v[CPS_DIM_MAX] = {0};
  double square = x[0] * x[0] + y[0] * y[0], norm = 0.0;
  for (int i = 1; i < d; i++) {
    v[i] = x[0] * x[i] + y[0] * y[i];
    square += x[i] * x[i] + y[i] * y[i];
    norm += v[i] * v[i];
  }
  norm = sqrt(norm);
  const double l1 = fmax(0.0, square - 2.0 * norm), l2 = square + 2.0 * norm;
  const double root1 = sqrt(l1), root2 = sqrt(l2);
  root.boundary = l1 <= 1e-14 * l2;
  root.D = root1 * root2;
  root.s[0] = 0.5 * (root2 + root1);
  for (int i = 1; i < d; i++) root.s[i] = norm > 0.0 ? 0.5 * (root2 - root1) * v[i] / norm : 0.0;
  return root;
}

// J = I - L_s^-1 L_x
static inline void derivative(int d, const Root* root, const double* x, double boundary_value, double* J) {
  const double* s = root->s;
  memset(J, 0, (size_t)(d * d) * sizeof *J);
  if (root->boundary) {
    for (int i = 0; i < d; i++) J[i * d + i] = boundary_value;
    return;
  }
  for (int j = 0; j < d; j++) {
    // column j of L_x
    double c[CPS_DIM_MAX] = {0};
    c[0] = x[j];
    if (j == 0) {
      for (int i = 1; i < d; i++) c[i] = x[i];
    } else {
      c[j] = x[0];
    }
    double dot = 0.0;
    for (int i = 1; i < d; i++) dot += s[i] * c[i];
    const double tangential = (dot / s[0] - c[0]) / root->D;
    J[j] = -(s[0] * c[0] - dot) / root->D;
    for (int i = 1; i < d; i++) J[i * d + j] = -(c[i] / s[0] + s[i] * tangential);
    J[j * d + j] += 1.0;
  }
}

static void frictionless(int d, double rho, const double* r, const double* u, double* f, double* df_du, double* df_dr) {
  const double x = r[0], y = rho * u[0], s = hypot(x, y);
  const double part_x = s > 0.0 ? x / s : half_root, part_y = s > 0.0 ? y / s : half_root;
  f[0] = x + y - s;
  if (df_dr != NULL) df_dr[0] = 1.0 - part_x;
  if (df_du != NULL) df_du[0] = rho * (1.0 - part_y);
  for (int i = 1; i < d; i++) {
    f[i] = r[i];
    if (df_dr != NULL) df_dr[i * d + i] = 1.0;
  }
}

static inline void cone(CpsLaw law, int d, double mu, double rho, const double* r, const double* u, double* f,
                        double* df_du, double* df_dr) {
  double x[CPS_DIM_MAX] = {0}, y[CPS_DIM_MAX] = {0}, J[CPS_DIM_MAX * CPS_DIM_MAX];
  double slip = 0.0;
  for (int i = 1; i < d; i++) {
    x[i] = r[i];
    y[i] = rho * mu * u[i];
    slip += u[i] * u[i];
  }
  slip = sqrt(slip);
  const double shift = law == CPS_LAW_COULOMB ? mu : 0.0;
  x[0] = mu * r[0];
  y[0] = rho * (u[0] + shift * slip);
  const Root root = jordan_root(d, x, y);
  for (int i = 0; i < d; i++) f[i] = x[i] + y[i] - root.s[i];
  const double length = hypot(x[0], y[0]);
  const double part_x = length > 0.0 ? x[0] / length : half_root, part_y = length > 0.0 ? y[0] / length : half_root;
  if (df_dr != NULL) {
    derivative(d, &root, x, 1.0 - part_x, J);
    for (int i = 0; i < d; i++) {
      df_dr[i * d] = mu * J[i * d];
      for (int j = 1; j < d; j++) df_dr[i * d + j] = J[i * d + j];
    }
  }
  if (df_du != NULL) {
    derivative(d, &root, y, 1.0 - part_y, J);
    for (int i = 0; i < d; i++) {
      df_du[i * d] = rho * J[i * d];
      for (int j = 1; j < d; j++) {
        const double direction = slip > 0.0 ? u[j] / slip : 0.0;
        df_du[i * d + j] = rho * (mu * J[i * d + j] + shift * direction * J[i * d]);
      }
    }
  }
}

void cps_fb_function(CpsLaw law, int d, double mu, double rho, const double* r, const double* u, double* f,
                     double* df_du, double* df_dr) {
  if (df_du != NULL) memset(df_du, 0, (size_t)(d * d) * sizeof *df_du);
  if (df_dr != NULL) memset(df_dr, 0, (size_t)(d * d) * sizeof *df_dr);
  switch (law) {
    case CPS_LAW_COULOMB:
    case CPS_LAW_CONVEX:
      if (mu > 0.0) {
        // the constant lets the compiler unroll the usual dimension
        if (d == 3) {
          cone(law, 3, mu, rho, r, u, f, df_du, df_dr);
        } else {
          cone(law, d, mu, rho, r, u, f, df_du, df_dr);
        }
      } else {
        frictionless(d, rho, r, u, f, df_du, df_dr);
      }
      break;
    case CPS_LAW_BILATERAL:
      for (int i = 0; i < d; i++) {
        f[i] = rho * u[i];
        if (df_du != NULL) df_du[i * d + i] = rho;
      }
      break;
    case CPS_LAW_FREE:
      for (int i = 0; i < d; i++) {
        f[i] = r[i];
        if (df_dr != NULL) df_dr[i * d + i] = 1.0;
      }
      break;
  }
}
