// Mass, centre and principal axes of solids of uniform density rho.
//
//   m = rho V,   c = (1/V) int x dV,   J = rho int (|x-c|^2 1 - (x-c)(x-c)^T) dV                                   (1)
//
// Closed forms for round shapes and boxes. A hull is cut into tetrahedra (o, p, q, r) with a fan of each face, o the
// mean of the vertices; with D = det(p, q, r) relative to o and s = p + q + r
//
//   V += D/6,   int x += D s/24,   int x x^T += D (s s^T + p p^T + q q^T + r r^T)/120                              (2)
//
// A compound adds the parts' tensors at its own centre, J += J_k + m_k (|d|^2 1 - d d^T) (Steiner). The principal axes
// come from Jacobi rotations; a diagonal tensor keeps its axes exactly, without any rotation.
#include "capstan/shape.h"

#include "core/error.h"
#include "geometry/points.h"
#include "geometry/polytope.h"

#include <float.h>

typedef struct Solid {
  double volume;
  CpsVec3 centre;
  CpsMat3 tensor;  // of inertia about the centre for density 1, in the shape's axes
} Solid;

static const double pi = 3.14159265358979323846;

static CpsMat3 diagonal(double x, double y, double z) {
  return (CpsMat3){{x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z}};
}

// tr(C) 1 - C: inertia from the second moments C = int x x^T.
static CpsMat3 from_moments(CpsMat3 C) {
  const double trace = C.m[0] + C.m[4] + C.m[8];
  return cps_mat3_axpy(diagonal(trace, trace, trace), -1.0, C);
}

static Solid cylinder_solid(double radius, double length) {
  const double volume = pi * radius * radius * length;
  const double across = volume * (radius * radius / 4.0 + length * length / 12.0);
  return (Solid){volume, {0.0, 0.0, 0.0}, diagonal(across, across, volume * radius * radius / 2.0)};
}

static Solid capsule_solid(double radius, double length) {
  // cylinder and ball; each half ball is moved by length/2, its centre of mass lies 3/8 r further out
  Solid solid = cylinder_solid(radius, length);
  const double ball = 4.0 / 3.0 * pi * radius * radius * radius, h = 0.5 * length;
  const double along = 0.4 * ball * radius * radius;
  const double across = along + ball * (h * h + 0.75 * h * radius);
  solid.tensor = cps_mat3_axpy(solid.tensor, 1.0, diagonal(across, across, along));
  solid.volume += ball;
  return solid;
}

static Solid hull_solid(const CpsPolytope* p) {
  CpsVec3 origin = {0.0, 0.0, 0.0};
  for (int32_t k = 0; k < p->vertex_count; ++k) origin = cps_vec3_axpy(origin, 1.0 / p->vertex_count, p->vertex[k]);
  double volume = 0.0;
  CpsVec3 first = {0.0, 0.0, 0.0};
  CpsMat3 second = {{0.0}};
  for (int32_t f = 0; f < p->face_count; ++f) {
    const int32_t* corner = p->face_vertex + p->face_start[f];
    const int32_t count = p->face_start[f + 1] - p->face_start[f];
    const CpsVec3 a = cps_vec3_sub(p->vertex[corner[0]], origin);
    for (int32_t k = 1; k + 1 < count; ++k) {
      const CpsVec3 b = cps_vec3_sub(p->vertex[corner[k]], origin), c = cps_vec3_sub(p->vertex[corner[k + 1]], origin);
      const CpsVec3 s = cps_vec3_add(a, cps_vec3_add(b, c));
      const double det = cps_vec3_dot(a, cps_vec3_cross(b, c));
      volume += det / 6.0;
      first = cps_vec3_axpy(first, det / 24.0, s);
      second = cps_mat3_axpy(second, det / 120.0, cps_mat3_outer(s, s));
      second = cps_mat3_axpy(second, det / 120.0, cps_mat3_outer(a, a));
      second = cps_mat3_axpy(second, det / 120.0, cps_mat3_outer(b, b));
      second = cps_mat3_axpy(second, det / 120.0, cps_mat3_outer(c, c));
    }
  }
  const CpsVec3 c = cps_vec3_scale(1.0 / volume, first);
  second = cps_mat3_axpy(second, -volume, cps_mat3_outer(c, c));
  return (Solid){volume, cps_vec3_add(origin, c), from_moments(second)};
}

static CpsStatus cloud_solid(const CpsShape* shape, Solid* out, CpsError* error) {
  CpsPointCloud* cloud = NULL;
  CpsStatus status = cps_points_create(shape, &cloud, error);
  if (status != CPS_OK) return status;
  CpsPointsMoments m;
  const bool closed = cps_points_moments(cloud, &m);
  cps_points_destroy(cloud);
  if (!closed) return cps_fail(error, CPS_BAD_DATA, "points: they enclose no volume, and have no mass");
  const CpsVec3 c = cps_vec3_scale(1.0 / m.volume, m.first);
  *out = (Solid){m.volume, c, from_moments(cps_mat3_axpy(m.second, -m.volume, cps_mat3_outer(c, c)))};
  return CPS_OK;
}

// The shape is already checked.
static CpsStatus simple_solid(const CpsShape* shape, Solid* out, CpsError* error) {
  const double r = shape->radius;
  CpsPolytope* polytope = NULL;
  switch (shape->kind) {
    case CPS_SHAPE_SPHERE: {
      const double volume = 4.0 / 3.0 * pi * r * r * r, moment = 0.4 * volume * r * r;
      *out = (Solid){volume, {0.0, 0.0, 0.0}, diagonal(moment, moment, moment)};
      return CPS_OK;
    }
    case CPS_SHAPE_BOX: {
      const double x = shape->size.x, y = shape->size.y, z = shape->size.z, volume = x * y * z;
      const double w = volume / 12.0;
      *out = (Solid){volume, {0.0, 0.0, 0.0}, diagonal(w * (y * y + z * z), w * (x * x + z * z), w * (x * x + y * y))};
      return CPS_OK;
    }
    case CPS_SHAPE_CAPSULE:
      *out = capsule_solid(r, shape->length);
      return CPS_OK;
    case CPS_SHAPE_CYLINDER:
      *out = cylinder_solid(r, shape->length);
      return CPS_OK;
    case CPS_SHAPE_HULL: {
      CpsStatus status = cps_polytope_hull(shape->points, shape->point_count, &polytope, error);
      if (status != CPS_OK) return status;
      *out = hull_solid(polytope);
      cps_polytope_destroy(polytope);
      return CPS_OK;
    }
    case CPS_SHAPE_POINTS:
      return cloud_solid(shape, out, error);
    default:
      return cps_fail(error, CPS_BAD_DATA, "a plane, a mesh or a tube has no mass");
  }
}

// A part of different density is weighted accordingly: `volume` of the result is the mass over the density.
static CpsStatus compound_solid(const CpsShape* shape, double density, double* volume, Solid* out, CpsError* error) {
  Solid sum = {0};
  CpsMat3 second = {{0.0}};  // inertia about the first part's centre
  CpsVec3 origin = {0.0, 0.0, 0.0}, first = {0.0, 0.0, 0.0};
  for (int32_t k = 0; k < shape->part_count; ++k) {
    Solid part = {0};
    CpsStatus status = simple_solid(&shape->parts[k].shape, &part, error);
    if (status != CPS_OK) return status;
    const double weight = shape->parts[k].density > 0.0 ? shape->parts[k].density / density : 1.0;
    *volume += part.volume;
    part.volume *= weight;
    for (int j = 0; j < 9; ++j) part.tensor.m[j] *= weight;
    const CpsMat3 R = cps_quat_matrix(cps_quat_unit(shape->parts[k].pose.rotation));
    const CpsVec3 centre = cps_vec3_add(shape->parts[k].pose.position, cps_mat3_apply(R, part.centre));
    if (k == 0) origin = centre;
    const CpsVec3 d = cps_vec3_sub(centre, origin);
    sum.volume += part.volume;
    first = cps_vec3_axpy(first, part.volume, d);
    second = cps_mat3_axpy(second, 1.0, cps_mat3_multiply(cps_mat3_multiply(R, part.tensor), cps_mat3_transposed(R)));
    second = cps_mat3_axpy(second, part.volume, from_moments(cps_mat3_outer(d, d)));
  }
  const CpsVec3 c = cps_vec3_scale(1.0 / sum.volume, first);
  sum.centre = cps_vec3_add(origin, c);
  sum.tensor = cps_mat3_axpy(second, -sum.volume, from_moments(cps_mat3_outer(c, c)));
  *out = sum;
  return CPS_OK;
}

// The quaternion of a rotation matrix, from its largest component.
static CpsQuat matrix_quat(CpsMat3 R) {
  const double* m = R.m;
  const double four[4] = {1.0 + m[0] + m[4] + m[8], 1.0 + m[0] - m[4] - m[8], 1.0 - m[0] + m[4] - m[8],
                          1.0 - m[0] - m[4] + m[8]};
  CpsQuat q;
  if (four[0] >= 1.0)  // the squares sum to 4, so one of them is at least 1
    q = (CpsQuat){four[0], m[7] - m[5], m[2] - m[6], m[3] - m[1]};
  else if (four[1] >= 1.0)
    q = (CpsQuat){m[7] - m[5], four[1], m[1] + m[3], m[2] + m[6]};
  else if (four[2] >= 1.0)
    q = (CpsQuat){m[2] - m[6], m[1] + m[3], four[2], m[5] + m[7]};
  else
    q = (CpsQuat){m[3] - m[1], m[2] + m[6], m[5] + m[7], four[3]};
  return cps_quat_unit(q);
}

// J = V diag(moments) V^T by cyclic Jacobi rotations; always the smaller rotation, so V stays near the identity.
CpsQuat cps_principal_axes(CpsMat3 J, CpsVec3* moments) {
  CpsMat3 V = cps_mat3_identity();
  const double negligible = 8.0 * DBL_EPSILON * (J.m[0] + J.m[4] + J.m[8]);
  bool turned = false;
  for (int sweep = 0; sweep < 30; ++sweep) {
    bool done = true;
    for (int pair = 0; pair < 3; ++pair) {
      const int p = pair == 2 ? 1 : 0, q = pair == 0 ? 1 : 2;
      const double off = 0.5 * (J.m[3 * p + q] + J.m[3 * q + p]);
      if (fabs(off) <= negligible) continue;
      done = false;
      turned = true;
      const double theta = 0.5 * (J.m[3 * q + q] - J.m[3 * p + p]) / off;
      const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
      const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
      CpsMat3 G = cps_mat3_identity();
      G.m[3 * p + p] = G.m[3 * q + q] = c;
      G.m[3 * p + q] = s;
      G.m[3 * q + p] = -s;
      J = cps_mat3_multiply(cps_mat3_multiply(cps_mat3_transposed(G), J), G);
      V = cps_mat3_multiply(V, G);
    }
    if (done) break;
  }
  *moments = cps_vec3(J.m[0], J.m[4], J.m[8]);
  return turned ? matrix_quat(V) : cps_quat_identity();
}

CpsStatus cps_shape_mass(const CpsShape* shape, double density, CpsMassProperties* out, CpsError* error) {
  if (!out) return cps_fail(error, CPS_BAD_ARGUMENT, "the mass properties are NULL");
  if (!(density > 0.0) || !(density <= DBL_MAX))
    return cps_fail(error, CPS_BAD_DATA, "density: %g is not positive and finite", density);
  CpsStatus status = cps_shape_check(shape, error);
  if (status != CPS_OK) return status;
  Solid solid = {0};
  double volume = 0.0;
  const bool compound = shape->kind == CPS_SHAPE_COMPOUND;
  status = compound ? compound_solid(shape, density, &volume, &solid, error) : simple_solid(shape, &solid, error);
  if (status != CPS_OK) return status;
  if (!compound) volume = solid.volume;

  CpsMassProperties result = {.mass = density * solid.volume, .volume = volume, .centre = solid.centre};
  CpsVec3 moments;
  result.principal = cps_principal_axes(solid.tensor, &moments);
  result.inertia = cps_vec3_scale(density, moments);
  const double least = fmin(result.inertia.x, fmin(result.inertia.y, result.inertia.z));
  const double most = fmax(result.inertia.x, fmax(result.inertia.y, result.inertia.z));
  if (!(result.mass > 0.0) || !(least > 0.0) || !(most <= DBL_MAX))
    return cps_fail(error, CPS_BAD_DATA, "shape: its mass or inertia is too small or too large for a number");
  *out = result;
  return cps_succeed(error);
}
