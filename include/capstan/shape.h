/// @file shape.h Shapes of bodies and obstacles, described by value. Arrays belong to the caller and are copied when a
/// body or an obstacle is created.
///
///     CpsShape ball = cps_sphere(0.1), brick = cps_box((CpsVec3){0.2, 0.1, 0.05});
#ifndef CAPSTAN_SHAPE_H
#define CAPSTAN_SHAPE_H

#include "capstan/base.h"
#include "capstan/vec.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The kinds of shapes. The axis of a round shape is its local z axis; all but the last four are centred at the origin.
typedef enum CpsShapeKind {
  CPS_SHAPE_NONE = 0,      ///< no shape, as in a zeroed struct; rejected
  CPS_SHAPE_SPHERE = 1,    ///< radius
  CPS_SHAPE_BOX = 2,       ///< size: full edge lengths
  CPS_SHAPE_CAPSULE = 3,   ///< radius; length between the centres of the two caps
  CPS_SHAPE_CYLINDER = 4,  ///< radius; length between the two discs
  CPS_SHAPE_HULL = 5,      ///< convex hull of the points
  CPS_SHAPE_COMPOUND = 6,  ///< union of parts; the mass of overlaps counts twice
  CPS_SHAPE_PLANE = 7,     ///< the half-space z <= 0; obstacles only
  CPS_SHAPE_MESH = 8,      ///< triangles with contact on the side of their counter-clockwise normal; obstacles only
  CPS_SHAPE_TUBE = 9,      ///< all points within `radius` of a line through the points (a rail), smooth where segments
                           ///< meet at less than 30 degrees; obstacles only
  CPS_SHAPE_POINTS = 10    ///< a point cloud with normals, as from a scanner: a smooth surface near the points
                           ///< (docs/theory/smooth-surfaces.md)
} CpsShapeKind;

/// Weight of the samples of a smooth surface as a function of distance.
typedef enum CpsKernel {
  CPS_KERNEL_CUBIC = 0,          ///< "cubic": smooth everywhere, rounds corners off
  CPS_KERNEL_INTERPOLATING = 1,  ///< "interpolating": passes close to the samples
  CPS_KERNEL_COUNT = 2           ///< number of kernels
} CpsKernel;

typedef struct CpsShapePart CpsShapePart;

/// A shape. Create it with one of the functions below; fields that a kind does not use are ignored.
typedef struct CpsShape {
  CpsShapeKind kind;          ///< which fields are read
  double radius;              ///< m, > 0; points: distance beyond which a point has no weight; 0: from their spacing
  double length;              ///< m, > 0 (capsule: >= 0)
  CpsVec3 size;               ///< m, > 0 each
  int32_t point_count;        ///< hull: >= 4; mesh: >= 3; tube: >= 2; points: 6 to 4 000 000
  const CpsVec3* points;      ///< hull, mesh vertices, centre line of the tube, points, in the shape's own frame
  const CpsVec3* normals;     ///< points: one per point, outward, of any length except 0
  CpsKernel kernel;           ///< points
  int32_t triangle_count;     ///< mesh: >= 1
  const int32_t* triangles;   ///< mesh: three vertices each, counter-clockwise seen from outside
  bool closed;                ///< tube: the last point joins the first
  int32_t part_count;         ///< compound: >= 1
  const CpsShapePart* parts;  ///< compound
} CpsShape;

/// A part of a compound: a convex shape (not a compound) with a pose in the compound's frame.
struct CpsShapePart {
  CpsShape shape;  ///< sphere, box, capsule, cylinder or hull
  CpsPose pose;    ///< pose; a rotation of all zeros means none
  double density;  ///< kg/m^3; 0: that of the compound
};

/// How friction is transferred from a smooth surface to the nodes below it.
typedef enum CpsTransport {
  CPS_TRANSPORT_RIGID = 0,  ///< by the rigid motion of the samples: conserves linear and angular momentum
  CPS_TRANSPORT_PAPER = 1   ///< by rotated samples, as in Larionov, Fan and Pai (2021): loses some momentum
} CpsTransport;

/// A smooth contact surface over triangles (docs/theory/smooth-surfaces.md). Always start from cps_smooth_default().
typedef struct CpsSmooth {
  bool on;                 ///< whether the surface is smooth; false: its facets collide. Default false
  CpsKernel kernel;        ///< Default CPS_KERNEL_CUBIC
  double reach;            ///< distance beyond which a sample has no weight, m, > 0; NaN: from the mesh. Default NaN
  CpsTransport transport;  ///< Default CPS_TRANSPORT_RIGID
} CpsSmooth;
/// The defaults named above.
CPS_API CpsSmooth cps_smooth_default(void);
/// Name of a kernel as scene files spell it; NULL outside the range.
CPS_API const char* cps_kernel_name(CpsKernel kernel);
/// Finds a kernel by its name.
/// @return false if the name is unknown
CPS_API bool cps_kernel_find(const char* name, CpsKernel* kernel);

/// A ball.
CPS_API CpsShape cps_sphere(double radius);
/// A cuboid with edge lengths `size`.
CPS_API CpsShape cps_box(CpsVec3 size);
/// A cylinder along z with round caps; `length` is the distance between the centres of the caps.
CPS_API CpsShape cps_capsule(double radius, double length);
/// A cylinder along z.
CPS_API CpsShape cps_cylinder(double radius, double length);
/// The convex hull of points.
CPS_API CpsShape cps_hull(const CpsVec3* points, int32_t count);
/// Several convex shapes that move as one.
CPS_API CpsShape cps_compound(const CpsShapePart* parts, int32_t count);
/// The half-space below the plane z = 0 of its local frame.
CPS_API CpsShape cps_plane(void);
/// A surface of triangles.
CPS_API CpsShape cps_mesh(const CpsVec3* points, int32_t point_count, const int32_t* triangles, int32_t triangle_count);
/// A tube of round cross-section along a line through the points.
CPS_API CpsShape cps_tube(const CpsVec3* points, int32_t count, double radius, bool closed);
/// A point cloud. `reach`: distance beyond which a point has no weight, m; 0: from their spacing.
CPS_API CpsShape cps_points(const CpsVec3* points, const CpsVec3* normals, int32_t count, double reach);

/// Checks a shape of any kind.
/// @return CPS_OK; CPS_BAD_DATA with an error message ("box.size: …"); or CPS_NO_MEMORY
CPS_API CpsStatus cps_shape_check(const CpsShape* shape, CpsError* error);

/// Mass, centre and inertia of a solid of uniform density.
typedef struct CpsMassProperties {
  double mass;        ///< kg
  double volume;      ///< m^3
  CpsVec3 centre;     ///< centre of mass in the shape's frame
  CpsVec3 inertia;    ///< principal moments about the centre, kg m^2, > 0
  CpsQuat principal;  ///< rotation from the principal axes to the shape's axes
} CpsMassProperties;

/// Computes the mass properties in closed form (hulls: by the divergence theorem; points: likewise, each with a surface
/// area estimated from its neighbours).
/// @return CPS_OK, or CPS_BAD_DATA with an error message for a shape that is invalid or has no mass (plane, mesh, tube,
/// points that enclose no volume)
CPS_API CpsStatus cps_shape_mass(const CpsShape* shape, double density, CpsMassProperties* out, CpsError* error);

/// The surface of a shape as triangles, for drawing. Zeroed: none.
typedef struct CpsTriangles {
  int32_t point_count;     ///< number of points
  CpsVec3* points;         ///< m, in the shape's frame
  CpsVec3* normals;        ///< unit, outward, one per point; points on a sharp edge appear once for each side
  int32_t triangle_count;  ///< number of triangles
  int32_t* triangles;      ///< three points each, counter-clockwise seen from outside
} CpsTriangles;

/// Triangulates a shape (a compound: all its parts). Points lie on the surface, so round shapes come out slightly too
/// small: a circle by a factor of at worst cos(pi / around).
/// @param around  corners of a circle, 6 to 4096
/// @param extent  half the edge of the square that represents a half-space, m, > 0
/// @param out to be freed by the caller with cps_triangles_free()
CPS_API CpsStatus cps_shape_triangles(const CpsShape* shape, int32_t around, double extent, CpsTriangles* out,
                                      CpsError* error);
/// Frees the arrays and zeroes the struct.
CPS_API void cps_triangles_free(CpsTriangles* triangles);

/// Two parts of a compound that overlap.
typedef struct CpsPartOverlap {
  int32_t a;      ///< number of the first part
  int32_t b;      ///< number of the second
  double depth;   ///< depth of the overlap, m; 0: no two parts overlap
  double radius;  ///< radius of the largest ball about its centre that fits into the smaller part, m
} CpsPartOverlap;

/// Finds the two parts of a compound with the largest overlap relative to their radius. The mass of overlaps counts
/// twice.
/// @param[out] overlap  depth 0 if no parts overlap or the shape is not a compound
CPS_API CpsStatus cps_compound_overlap(const CpsShape* shape, CpsPartOverlap* overlap, CpsError* error);

#ifdef __cplusplus
}
#endif
#endif
