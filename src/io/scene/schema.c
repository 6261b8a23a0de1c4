// The table of keys: the loader refuses what is not in it (check.c), docs/reference/scene.md is printed from it.
//
// `type` is a small language that the check reads: alternatives stand between bars, [3] makes a list of three and [] a
// list of any length, a range may follow, words in quotes stand for themselves. `list` is a list of maps, whose keys have
// paths with []. A fallback of "" means that the key must be there.
#include "io/scene/schema.h"

#include <string.h>

#define ROTATION_ROWS(at)                                                                           \
  {at "rotation", "map | number[4]", "none", "a quaternion w, x, y, z, or one of the forms below"}, \
      {at "rotation.axis", "number[3]", "none", "rotation axis, any non-zero length"},              \
      {at "rotation.angle", "angle", "none", "rotation angle"}, {                                   \
    at "rotation.euler", "angle[3]", "none",                                                        \
        "angles about the fixed axes x, then y, then z; instead of axis and angle"                  \
  }

// shapes that bodies, obstacles and parts can have
#define CONVEX_ROWS(at)                                                                                            \
  {at "sphere", "map", "none", "a ball"}, {at "sphere.radius", "length > 0", "", "radius"},                        \
      {at "box", "map", "none", "a cuboid"}, {at "box.size", "length[3] > 0", "", "edge lengths"},                 \
      {at "capsule", "map", "none", "a cylinder along z with round caps"},                                         \
      {at "capsule.radius", "length > 0", "", "radius"},                                                           \
      {at "capsule.length", "length >= 0", "", "distance between the centres of the caps"},                        \
      {at "cylinder", "map", "none", "a cylinder along z"}, {at "cylinder.radius", "length > 0", "", "radius"},    \
      {at "cylinder.length", "length > 0", "", "height"}, {at "hull", "map", "none", "the convex hull of points"}, \
      {at "hull.file", "file", "none", "mesh file (OBJ, PLY, VTK, VTU) that supplies the points"},                 \
      {at "hull.points", "length[][3]", "none", "the points, instead of a file"}, {                                \
    at "hull.scale", "number > 0", "1", "scale factor"                                                             \
  }

#define SHAPE_ROWS(at)                                                                                    \
  CONVEX_ROWS(at), {at "compound", "list", "none", "several convex shapes that move as one"},             \
      CONVEX_ROWS(at "compound[]."),                                                                      \
      {at "compound[].position", "length[3]", "[0, 0, 0]", "position of the part in the compound"},       \
      {at "compound[].density", "density > 0", "none", "density of the part; default: that of the body"}, \
      ROTATION_ROWS(at "compound[].")

// what a scanner makes
#define CLOUD_ROWS(at)                                                                                       \
  {at "points", "map", "none", "a point cloud with normals: a smooth surface near the points"},              \
      {at "points.file", "file", "",                                                                         \
       "points with normals (PLY, OBJ), or a mesh without normals: the centroids of its surface triangles"}, \
      {at "points.scale", "number > 0", "1", "scale factor"},                                                \
      {at "points.reach", "length > 0", "none",                                                              \
       "distance at which a point has no weight left; default: from the spacing"},                           \
  {                                                                                                          \
    at "points.kernel", "\"cubic\" | \"interpolating\"", "cubic", "weights of the points"                    \
  }

#define SURFACE_ROWS(at)                                                                                 \
  {at "material", "name", "none", "one of the materials"},                                               \
      {at "mu", "number >= 0", "none", "friction with everything; overrides the materials"}, {           \
    at "restitution", "number in [0, 1]", "none", "restitution with everything; overrides the materials" \
  }

// a line by formulas
#define CURVE_ROWS(at)                                                                                        \
  {at "curve", "map", "none", "a formula instead of points"},                                                 \
      {at "curve.x", "expression", "", "expression in t and the parameters, in metres"},                      \
      {at "curve.y", "expression", "", "the same for y"}, {at "curve.z", "expression", "", "the same for z"}, \
      {at "curve.from", "number", "0", "start of t"}, {at "curve.to", "number", "1", "end of t"}, {           \
    at "curve.points", "count >= 2", "100", "number of sample points"                                         \
  }

#define MOTION_ROWS(at, about)                                                                                         \
  {at "motion", "map", "none", about}, {at "motion.velocity", "velocity[3]", "[0, 0, 0]", "constant velocity"},        \
      {at "motion.angular_velocity", "angular velocity[3]", "[0, 0, 0]",                                               \
       "constant angular velocity about the origin of the object"},                                                    \
      {at "motion.sine", "map", "none", "oscillation about the initial pose"},                                         \
      {at "motion.sine.amplitude", "length[3]", "[0, 0, 0]", "amplitude of the position"},                             \
      {at "motion.sine.rotation", "angle[3]", "[0, 0, 0]", "amplitude of the rotation vector"},                        \
      {at "motion.sine.frequency", "frequency > 0", "", "oscillations per second"},                                    \
      {at "motion.sine.phase", "angle", "0", "at t = 0"},                                                              \
      {at "motion.keyframes", "list | map", "none", "poses at given times, interpolated linearly"},                    \
      {at "motion.keyframes.file", "file", "", "table of t, x, y, z, optionally followed by a quaternion w, x, y, z"}, \
      {at "motion.keyframes[].time", "time", "", "strictly increasing"},                                               \
      {at "motion.keyframes[].position", "length[3]", "[0, 0, 0]", "position in the world"},                           \
      ROTATION_ROWS(at "motion.keyframes[].")

// a factor that depends on time
#define TABLE_ROWS(at)                                                                                  \
  {at "sine", "map", "none", "multiplies by sin(2 pi frequency t + phase)"},                            \
      {at "sine.frequency", "frequency > 0", "", "oscillations per second"},                            \
      {at "sine.phase", "angle", "0", "phase at t = 0"},                                                \
      {at "table", "map | file", "none", "multiplies by a table of values, or by the table in a file"}, \
      {at "table.times", "time[]", "none", "strictly increasing"},                                      \
      {at "table.values", "number[]", "none", "values at these times"},                                 \
      {at "table.file", "file", "none", "table of time and value, instead of times and values"},        \
      {at "table.steps", "bool", "false", "hold each value until the next, without interpolation"}, {   \
    at "table.period", "time > 0", "none", "repeat with this period"                                    \
  }

#define END_ROWS(at, about)                                            \
  {at, "\"free\" | \"pinned\" | \"clamped\" | map", "free", about},    \
      {at ".kind", "\"free\" | \"pinned\" | \"clamped\"", "clamped",   \
       "pinned fixes the position; clamped also fixes the direction"}, \
      {at ".on", "name", "none", "obstacle that it moves with"},       \
      MOTION_ROWS(at ".", "prescribed motion, unless it moves with an obstacle: one of the three forms below")

// one side of a tie
#define ANCHOR_ROWS(at, fallback, about)                                                                              \
  {at, "map", fallback, about}, {at ".body", "name", "none", "a body, or one of an entry as `tower[3]`; or"},         \
      {at ".obstacle", "name", "none", "an obstacle; or"},                                                            \
      {at ".fibre", "name", "none", "a fibre, or one of an entry as `hair[3]`; or"},                                  \
      {at ".sheet", "name", "none", "a sheet; or"},                                                                   \
      {at ".solid", "name", "none", "a solid; without any of these five: the world"},                                 \
      {at ".vertex", "count >= 0", "none", "vertex of a sheet or solid; or use `at`, or"},                            \
      {at ".vertices", "count[]", "none",                                                                             \
       "sheet, solid: vertices of one triangle or one tetrahedron between which the point is, with their"},           \
      {at ".weights", "number[]", "none", "barycentric weights, which add up to 1; default: equal"},                  \
      {at ".point", "length[3]", "none",                                                                              \
       "of a body or an obstacle: in the axes of its shape; default: its origin, or for b of a point, hinge or weld " \
       "where a is; of a fibre: from the centreline, in the axes of its section, tangent first"},                     \
      {at ".at", "length[3] | length >= 0 | \"root\" | \"tip\"", "none",                                              \
       "of the world: the point; of a fibre: arc length from the root, by default the tip; of a sheet or a solid: "   \
       "its point nearest to this point of the world"},                                                               \
  {                                                                                                                   \
    at ".fraction", "number in [0, 1]", "none",                                                                       \
        "of a fibre, fibre, instead of `at`: arc length relative to the length"                                       \
  }

static const CpsSceneKey KEYS[] = {
    {"include", "file | file[]", "none",
     "files to read first; maps are merged, and values in this file take precedence"},
    {"state", "file", "none", "saved world state to continue from; written when a scene is saved"},
    {"title", "text", "none", "title; default: the file name"},
    {"parameters", "map", "none", "named numbers, for expressions and `--set name=value`"},
    {"parameters.*", "value", "", "a number with an optional unit, or an expression"},
    {"gravity", "acceleration[3] | acceleration", "[0, 0, -9.81]",
     "a vector, or one number that points down, towards -z"},

    {"materials", "map", "none", "materials by name"},
    {"materials.*", "map", "", "a material"},
    {"materials.*.density", "density > 0", "1000", "default density of objects of this material (1300 for fibres)"},
    {"materials.*.young", "pressure > 0", "none", "default Young's modulus of fibres of this material"},
    {"materials.*.poisson", "number in [-1, 0.5]", "none", "default Poisson's ratio of fibres of this material"},
    {"materials.*.mu", "number >= 0", "none",
     "friction with any other material; if both materials set it, the geometric mean"},
    {"materials.*.restitution", "number in [0, 1]", "none",
     "restitution with any other material; if both set it, the larger"},

    {"friction", "list", "none",
     "friction of pairs of materials; the most specific entry applies, among equals the last"},
    {"friction[].between", "name[2]", "", "two materials; `any` matches all"},
    {"friction[].mu", "number >= 0", "none", "coefficient of friction"},
    {"friction[].restitution", "number in [0, 1]", "none", "coefficient of restitution"},

    {"bodies", "map", "none", "rigid bodies by name; each has one shape or one of wall, arch, pile"},
    {"bodies.*", "map", "", "a body, or several from a generator"},
    SHAPE_ROWS("bodies.*."),
    CLOUD_ROWS("bodies.*."),
    {"bodies.*.position", "length[3]", "[0, 0, 0]", "position of the origin of the shape or the generator"},
    ROTATION_ROWS("bodies.*."),
    {"bodies.*.frame", "name", "none", "obstacle in whose axes, at t = 0, position, rotation and velocities are given"},
    {"bodies.*.velocity", "velocity[3]", "[0, 0, 0]", "velocity of the centre of mass"},
    {"bodies.*.angular_velocity", "angular velocity[3]", "[0, 0, 0]", "about the centre of mass"},
    {"bodies.*.mass", "mass > 0", "none", "mass of each body; default: from the density"},
    {"bodies.*.density", "density > 0", "none", "density; default: the material's, else 1000 kg/m3"},
    {"bodies.*.centre_of_mass", "length[3]", "none", "in the axes of the shape; default: from the shape"},
    {"bodies.*.inertia", "inertia[3] > 0 | inertia[6]", "none",
     "moments about the centre of mass, in the axes of the shape: xx, yy, zz, optionally xy, xz, yz; default: from the "
     "shape"},
    SURFACE_ROWS("bodies.*."),
    {"bodies.*.mu_across", "number > 0", "none",
     "anisotropic friction: `mu` acts along the grain, this value across it"},
    {"bodies.*.grain", "number[3]", "[1, 0, 0]", "direction of the grain in the axes of the shape"},
    {"bodies.*.fixed_rotation", "bool", "false", "prevents rotation"},
    {"bodies.*.copies", "list | length[][3]", "none", "several bodies of one shape at given positions"},
    {"bodies.*.copies[].position", "length[3]", "[0, 0, 0]", "position of the copy, in the axes of the entry"},
    ROTATION_ROWS("bodies.*.copies[]."),
    {"bodies.*.grid", "map", "none", "bodies of one shape in rows, columns and layers"},
    {"bodies.*.grid.count", "count[3] >= 1", "", "number along x, y and z"},
    {"bodies.*.grid.spacing", "length[3] > 0 | length > 0", "",
     "distance between centres; the lowest layer is centred at the position"},
    {"bodies.*.grid.jitter", "length >= 0", "0", "largest random shift of each centre along each axis"},
    {"bodies.*.grid.seed", "count >= 0", "1", "random seed"},
    {"bodies.*.pack", "map", "none", "bodies at random positions without overlap"},
    {"bodies.*.pack.count", "count >= 1", "", "number of objects"},
    {"bodies.*.pack.box", "length[3] > 0", "", "box that they fill; the position is the middle of its floor"},
    {"bodies.*.pack.radius", "length[2] > 0 | length > 0", "none",
     "spheres of this radius, or of random radii in this range; replaces the shape"},
    {"bodies.*.pack.gap", "length >= 0", "0", "minimum distance between neighbours"},
    {"bodies.*.pack.seed", "count >= 0", "1", "random seed"},
    {"bodies.*.pile", "map", "none", "mixed shapes at random orientations in a column, ready to fall"},
    {"bodies.*.pile.count", "count >= 1", "", "number of objects"},
    {"bodies.*.pile.size", "length > 0", "0.1",
     "approximate size in the standard mix of spheres, boxes, capsules and cylinders"},
    {"bodies.*.pile.shapes", "list", "none", "other shapes, with equal probability"},
    CONVEX_ROWS("bodies.*.pile.shapes[]."),
    {"bodies.*.pile.column", "length[2] > 0", "none", "column width along x and y; default: as wide as high"},
    {"bodies.*.pile.gap", "length >= 0", "0", "minimum distance between neighbours"},
    {"bodies.*.pile.seed", "count >= 0", "1", "random seed"},
    {"bodies.*.wall", "map", "none", "bricks in running bond, along x and upwards from the position"},
    {"bodies.*.wall.columns", "count >= 1", "", "bricks per row"},
    {"bodies.*.wall.rows", "count >= 1", "", "number of rows"},
    {"bodies.*.wall.brick", "length[3] > 0", "", "size of a brick: along the wall, across it, upwards"},
    {"bodies.*.wall.gap", "length >= 0", "0", "gap between the bricks of a row"},
    {"bodies.*.wall.halves", "bool", "true",
     "half bricks at the ends of every other row; otherwise that row has one brick less"},
    {"bodies.*.arch", "map", "none",
     "wedge stones face to face in a ring about the y axis; the centre is the position"},
    {"bodies.*.arch.stones", "count >= 1", "", "number of objects"},
    {"bodies.*.arch.radius", "length > 0", "", "inner radius"},
    {"bodies.*.arch.thickness", "length > 0", "", "outer radius less inner radius"},
    {"bodies.*.arch.depth", "length > 0", "", "along y"},
    {"bodies.*.arch.angle", "angle > 0", "180 deg", "angle of the whole ring, less than 360 deg"},
    {"bodies.*.arch.springers", "length >= 0", "0", "height of the two fixed stones under the feet; 0 for none"},
    {"bodies.*.gravity", "bool", "true", "whether gravity acts"},
    {"bodies.*.group", "count >= 0", "0", "bodies of the same non-zero group do not touch each other"},

    {"obstacles", "map", "none", "objects that contact does not move, by name; each has one shape"},
    {"obstacles.*", "map", "", "an obstacle"},
    {"obstacles.*.plane", "map", "none", "the half-space below a plane through the position"},
    {"obstacles.*.plane.normal", "number[3]", "[0, 0, 1]", "outward normal of the half-space"},
    SHAPE_ROWS("obstacles.*."),
    CLOUD_ROWS("obstacles.*."),
    {"obstacles.*.mesh", "map", "none", "a triangle mesh, touched from outside"},
    {"obstacles.*.mesh.file", "file", "",
     "mesh file (OBJ, PLY, VTK, VTU, MSH) with triangles counter-clockwise from outside, or with tetrahedra"},
    {"obstacles.*.mesh.scale", "number > 0", "1", "scale factor"},
    {"obstacles.*.mesh.flip", "bool", "false", "turn all triangles round: for a mesh that is inside out"},
    {"obstacles.*.tube", "map", "none", "a bent rod of round section: a rail"},
    {"obstacles.*.tube.radius", "length > 0", "", "radius of the section"},
    {"obstacles.*.tube.points", "length[][3]", "none", "points of the centreline"},
    {"obstacles.*.tube.file", "file", "none", "table of x, y, z instead of points"},
    CURVE_ROWS("obstacles.*.tube."),
    {"obstacles.*.tube.closed", "bool", "false", "joins the last point to the first"},
    {"obstacles.*.container", "map", "none",
     "five thick walls, open at the top; the position is the middle of the floor"},
    {"obstacles.*.container.size", "length[3] > 0", "", "inner size"},
    {"obstacles.*.container.open", "bool", "true", "`false` adds a lid"},
    {"obstacles.*.position", "length[3]", "[0, 0, 0]", "at t = 0"},
    ROTATION_ROWS("obstacles.*."),
    SURFACE_ROWS("obstacles.*."),
    {"obstacles.*.contact", "bool", "true", "whether it takes part in contact; `false` makes it visible only"},
    {"obstacles.*.surface_velocity", "velocity[3]", "[0, 0, 0]",
     "surface velocity of a conveyor belt, in the axes of the shape"},

    MOTION_ROWS("obstacles.*.", "prescribed motion: one of the three forms below"),

    {"fibres", "map", "none", "thin elastic rods, by name"},
    {"fibres.*", "map", "", "a fibre, or several from a generator"},
    {"fibres.*.model", "rod model", "super-helix", "mechanical model"},
    {"fibres.*.elements", "count >= 1", "5",
     "number of elements of a super-model, or of segments of other models (at least 2)"},
    {"fibres.*.length", "length > 0", "0.3", "length, unless a centreline is given"},
    {"fibres.*.position", "length[3]", "[0, 0, 0]",
     "position of the root, or of the axes of the centreline or generator"},
    ROTATION_ROWS("fibres.*."),
    {"fibres.*.direction", "number[3]", "[1, 0, 0]", "direction from the root, unless a centreline is given"},
    {"fibres.*.frame", "name", "none", "obstacle in whose axes, at t = 0, position, rotation and velocities are given"},
    {"fibres.*.points", "length[][3] | file", "none", "centreline from root to tip, or a file with x, y, z"},
    CURVE_ROWS("fibres.*."),
    {"fibres.*.fit", "\"tangents\"", "none",
     "a chain of helices with the tangents of the line at its joints, of elements of unequal length (super-helices "
     "only); by default the curvatures of the line are used"},
    {"fibres.*.curvature", "curvature[3] | curvature[][3]", "none",
     "twist and bending about the second and third axis, constant or at equal distances; default: the natural ones"},
    {"fibres.*.natural", "curvature[3] | curvature[][3] | \"as-placed\" | \"equilibrium\" | map", "[0, 0, 0]",
     "natural curvatures; `as-placed`: the shape at the start; `equilibrium`: the shape for which the one at "
     "the "
     "start is at rest under weight, pulls and contacts. Default for clamped strands of a file: `equilibrium`"},
    {"fibres.*.natural.file", "file", "", "file of natural shapes written by `capstan invert -o`"},
    {"fibres.*.trim", "length > 0", "none",
     "cut fibres to this length once their natural shapes are known: they spring up at the start (super-models without "
     "branches)"},
    {"fibres.*.radius", "length[2] > 0 | length > 0", "0.5 mm",
     "half-axis of the section along its second axis; two: at the root and at the tip, linear in between"},
    {"fibres.*.radius_across", "length > 0", "none", "half-axis along the third axis; default: equal to `radius`"},
    {"fibres.*.roll", "angle[2] | angle", "0",
     "rotation of the section about the centreline, which stays where it is; two: at the root and at the tip, linear "
     "in "
     "between; 0: the axes of the line, which twist least from the y axis of the entry, or of `direction` and "
     "curvatures"},
    {"fibres.*.density", "density > 0", "none", "density; default: the material's, else 1300 kg/m3"},
    {"fibres.*.young", "pressure > 0", "none", "Young's modulus; default: the material's, else 1 GPa"},
    {"fibres.*.poisson", "number in [-1, 0.5]", "none", "Poisson's ratio; default: the material's, else 0.5"},
    {"fibres.*.line_density", "line density > 0", "none", "mass per length; default: from density and section"},
    {"fibres.*.bending", "rigidity[2] > 0 | rigidity > 0", "none",
     "E I about the second and third axis; default: from modulus and section"},
    {"fibres.*.twisting", "rigidity > 0", "none", "G J; default: from moduli and section"},
    {"fibres.*.stretching", "force > 0", "none", "E S of extensible models; default: from modulus and section"},
    {"fibres.*.damping", "time >= 0", "1 ms", "internal damping, as a multiple of the stiffness"},
    {"fibres.*.drag", "viscosity >= 0", "0", "air drag: force per length and velocity"},
    {"fibres.*.gravity", "bool", "true", "whether gravity acts"},
    END_ROWS("fibres.*.root", "how the root is held"),
    END_ROWS("fibres.*.tip", "how the tip is held"),
    SURFACE_ROWS("fibres.*."),
    {"fibres.*.contact_radius", "length >= 0 | \"fit\" | map", "none",
     "radius for contact; 0 turns contact off; default: the larger section radius; `fit`: for each fibre the largest, "
     "up to ten "
     "times the "
     "radius, with which it overlaps others by at most a tenth, so that scanned strands are not driven apart; never "
     "less than the section"},
    {"fibres.*.contact_radius.fit", "length > 0", "", "`fit`, with this upper limit"},
    {"fibres.*.contact_start", "length >= 0", "0", "arc length from the root within which the fibre touches nothing"},
    {"fibres.*.pieces", "count >= 0", "0",
     "number of capsules for contact detection; 0: twice the elements, at least 24"},
    {"fibres.*.self_contact", "bool", "true", "whether it can touch itself"},
    {"fibres.*.self_distance", "length >= 0", "none",
     "arc length within which points of the fibre do not touch each other; default: ten radii and two pieces"},
    {"fibres.*.group", "count >= 0", "0", "fibres and bodies of the same non-zero group do not touch each other"},
    {"fibres.*.velocity", "velocity[3]", "[0, 0, 0]", "initial velocity of all points, if the fibre is not held"},
    {"fibres.*.angular_velocity", "angular velocity[3]", "[0, 0, 0]",
     "initial angular velocity about the root, if the fibre is not held"},
    {"fibres.*.branches", "list", "none", "branches of a tree (`super-helix-recursive` only)"},
    {"fibres.*.branches[].parent", "count >= 0", "none", "index of an earlier branch, from 0; default: the trunk"},
    {"fibres.*.branches[].at", "count >= 0", "", "element of the parent, from 0, at whose end the branch grows"},
    ROTATION_ROWS("fibres.*.branches[]."),
    {"fibres.*.branches[].elements", "count >= 1", "5", "number of elements"},
    {"fibres.*.branches[].length", "length > 0", "", "length"},
    {"fibres.*.branches[].radius", "length > 0", "", "radius"},
    {"fibres.*.branches[].natural", "curvature[3]", "[0, 0, 0]", "natural curvature"},
    {"fibres.*.branches[].curvature", "curvature[3]", "none", "initial curvature; default: the natural one"},
    {"fibres.*.tree", "map", "none", "branches by rule instead of a list"},
    {"fibres.*.tree.levels", "list", "",
     "each level grows on all branches of the previous one, the first on the trunk"},
    {"fibres.*.tree.levels[].branches", "count >= 1", "", "branches per parent"},
    {"fibres.*.tree.levels[].elements", "count >= 1", "5", "elements per branch"},
    {"fibres.*.tree.levels[].length", "length > 0", "", "length of a branch"},
    {"fibres.*.tree.levels[].radius", "length > 0", "", "radius of a branch"},
    {"fibres.*.tree.levels[].angle", "angle", "45 deg", "angle to the parent"},
    {"fibres.*.tree.levels[].droop", "curvature", "0", "natural curvature that bends the branch away from the parent"},
    {"fibres.*.tree.start", "number in [0, 1]", "0.3", "fraction of the parent without branches"},
    {"fibres.*.tree.jitter", "number in [0, 1]", "0", "relative random variation of lengths and angles"},
    {"fibres.*.tree.seed", "count >= 0", "1", "random seed"},
    {"fibres.*.copies", "list | length[][3]", "none", "several fibres at given positions"},
    {"fibres.*.copies[].position", "length[3]", "[0, 0, 0]", "position of the copy, in the axes of the entry"},
    ROTATION_ROWS("fibres.*.copies[]."),
    {"fibres.*.grid", "map", "none", "fibres in rows, columns and layers"},
    {"fibres.*.grid.count", "count[3] >= 1", "", "number along x, y and z"},
    {"fibres.*.grid.spacing", "length[3] > 0 | length > 0", "",
     "distance between roots; the lowest layer is centred at the position"},
    {"fibres.*.grid.jitter", "length >= 0", "0", "largest random shift of each root along each axis"},
    {"fibres.*.grid.seed", "count >= 0", "1", "random seed"},
    {"fibres.*.bundle", "map", "none", "parallel fibres in a hexagonal packing around the first"},
    {"fibres.*.bundle.count", "count >= 1", "", "number of fibres; 7, 19, 37, ... complete the rings"},
    {"fibres.*.bundle.spacing", "length > 0", "", "distance between neighbours"},
    {"fibres.*.bundle.jitter", "length >= 0", "0", "largest random sideways shift along both axes"},
    {"fibres.*.bundle.tilt", "angle >= 0", "0", "largest random rotation about both transverse axes"},
    {"fibres.*.bundle.seed", "count >= 0", "1", "random seed"},
    {"fibres.*.hair", "map", "none", "hair on a head, or strands from a file"},
    {"fibres.*.hair.on", "name", "none",
     "the head: an obstacle that is a sphere or capsule; z is up, the face looks along y"},
    {"fibres.*.hair.count", "count >= 1", "100",
     "number of hairs; for a file, the largest number, selected evenly (default: all)"},
    {"fibres.*.hair.style", "\"straight\" | \"wavy\" | \"curly\" | \"ponytail\"", "straight",
     "wavy and curly hair is naturally helical; a ponytail leaves a tie behind the head"},
    {"fibres.*.hair.length", "length > 0", "25 cm", "length of a hair; hair that would rest on a shoulder is cut"},
    {"fibres.*.hair.variation", "number in [0, 0.9]", "0.1", "relative variation of the length"},
    {"fibres.*.hair.nape", "angle > 0", "105 deg", "angle from the top of the head to the hairline at the back"},
    {"fibres.*.hair.hairline", "angle > 0", "55 deg", "angle from the top of the head to the hairline at the front"},
    {"fibres.*.hair.start", "\"combed\" | \"straight\"", "combed",
     "initial shape: combed, or straight along the root direction, without overlaps"},
    {"fibres.*.hair.lift", "number in [0, 1]", "0.3",
     "root direction: 1 along the surface normal, 0 down along the surface"},
    {"fibres.*.hair.parting", "number >= 0", "0.5", "how strongly hair at the top is combed to the sides"},
    {"fibres.*.hair.fall", "length > 0", "5 cm", "length over which hair turns down"},
    {"fibres.*.hair.clearance", "length >= 0", "1 mm", "initial distance from the head"},
    {"fibres.*.hair.berth", "length >= 0", "1 cm", "initial distance from other round obstacles"},
    {"fibres.*.hair.thickness", "length >= 0", "20 mm", "how far hair from the top lies above hair from the hairline"},
    {"fibres.*.hair.curl_radius", "length > 0", "none", "radius of the helix; wavy: 8 mm, curly: 6 mm"},
    {"fibres.*.hair.curl_pitch", "length > 0", "none", "pitch of the helix; wavy: 9 cm, curly: 3 cm"},
    {"fibres.*.hair.tie", "angle > 0", "100 deg", "ponytail: angle from the top of the head to the tie"},
    {"fibres.*.hair.spacing", "length > 0", "2 mm", "ponytail: distance between hairs in the tie"},
    {"fibres.*.hair.jitter", "number in [0, 1]", "0.3", "random shift of the roots, relative to their distance"},
    {"fibres.*.hair.seed", "count >= 0", "1", "random seed"},
    {"fibres.*.hair.file", "file", "none",
     "strands: .hair, .ply, USC .data or CT2Hair .bin; by default they keep their shape under gravity, see `natural`"},
    {"fibres.*.hair.fit", "\"least-squares\" | \"tangents\"", "least-squares",
     "how rods are fitted to the strands of a file: `tangents` keeps the tangents at joints, is many times faster, and "
     "makes elements of "
     "unequal length (super-helices only)"},
    {"fibres.*.hair.scale", "number > 0", "1", "file: length of one file unit in metres"},
    {"fibres.*.hair.up", "\"z\" | \"y\"", "z", "file: the axis that points up"},

    {"sheets", "map", "none", "thin elastic surfaces (cloth, paper), by name; each has one of grid, disc, tube, file"},
    {"sheets.*", "map", "", "a sheet"},
    {"sheets.*.grid", "map", "none", "a rectangle in the xy-plane, centred at the position"},
    {"sheets.*.grid.size", "length[2] > 0", "", "size along x and y"},
    {"sheets.*.grid.cells", "count[2] >= 1", "", "number of cells along x and y, two triangles each"},
    {"sheets.*.grid.diagonals", "\"parallel\" | \"crossed\" | \"mirrored\"", "parallel",
     "crossed: four triangles about the middle of each cell, alike in both directions; costs more; mirrored: the "
     "halves "
     "at negative and positive y are images of each other"},
    {"sheets.*.grid.over", "map", "none",
     "the grid hangs over a cylinder about the y axis: half a turn along x, the rest straight down, without strain"},
    {"sheets.*.grid.over.radius", "length > 0", "",
     "of its middle surface: that of the cylinder and half the thickness"},
    {"sheets.*.grid.over.offset", "length", "0", "how far its middle lies beyond the crest, towards x"},
    {"sheets.*.disc", "map", "none", "a disc in the xy-plane, centred at the position"},
    {"sheets.*.disc.radius", "length > 0", "", "radius"},
    {"sheets.*.disc.rings", "count >= 1", "", "number of rings of triangles; ring i has 6 (2 i - 1)"},
    {"sheets.*.disc.jitter", "number in [0, 0.4]", "0",
     "largest random shift of inner vertices, relative to the ring distance; avoids a preferred direction"},
    {"sheets.*.disc.seed", "count >= 0", "1", "random seed"},
    {"sheets.*.tube", "map", "none", "a tube around z, centred at the position, sewn from a flat strip"},
    {"sheets.*.tube.radius", "length[2] > 0 | length > 0", "", "radius, or the radii at the bottom and the top"},
    {"sheets.*.tube.length", "length > 0", "", "length"},
    {"sheets.*.tube.cells", "count[2] >= 1", "", "number of cells around and along the tube; the warp runs around it"},
    {"sheets.*.file", "file", "none", "a mesh of triangles: OBJ, PLY, VTK or VTU"},
    {"sheets.*.scale", "number > 0", "1", "file: length of one file unit in metres"},
    {"sheets.*.rest", "\"placed\" | \"texture\"", "placed",
     "file: the rest shape has the placed lengths, or those of the texture coordinates, with the warp along the first"},
    {"sheets.*.texture_scale", "number > 0", "1", "file: length of one texture unit in metres"},
    {"sheets.*.rest_angles", "\"flat\" | \"placed\"", "flat", "the rest shape is flat, or bent as placed"},
    {"sheets.*.warp_angle", "angle", "0", "angle from the x axis of the sheet or texture to the warp"},
    {"sheets.*.pleats", "list", "none", "edges with their own rest angles"},
    {"sheets.*.pleats[].edge", "count[2] >= 0", "", "the two vertices of an interior edge"},
    {"sheets.*.pleats[].angle", "angle", "", "rest angle; positive folds towards the side of the normals"},
    {"sheets.*.seams", "count[][2]", "none", "pairs of vertices sewn together"},
    {"sheets.*.position", "length[3]", "[0, 0, 0]", "position of the mesh axes"},
    ROTATION_ROWS("sheets.*."),
    {"sheets.*.frame", "name", "none", "obstacle in whose axes, at t = 0, position, rotation and velocity are given"},
    {"sheets.*.velocity", "velocity[3]", "[0, 0, 0]", "initial velocity of all vertices"},
    {"sheets.*.fabric", "name | map", "none",
     "silk, cotton, wool, denim, paper or rubber, or a file of measurements; other keys of the sheet override it"},
    {"sheets.*.fabric.file", "file", "", "measurements in the format of Wang 2011 / ARCSim (JSON)"},
    {"sheets.*.fabric.strain", "number >= 0", "0", "strain at which the measured stiffness is used"},
    {"sheets.*.fabric.curvature", "curvature >= 0", "0", "curvature at which the measured bending stiffness is used"},
    {"sheets.*.thickness", "length > 0", "0.5 mm",
     "thickness: the distance at which two layers touch; with `self_contact` at most the mean edge length"},
    {"sheets.*.density", "area density > 0", "0.2 kg/m2", "mass per area"},
    {"sheets.*.membrane", "\"stvk\" | \"neo-hookean\" | \"baraff-witkin\"", "stvk", "law of stretch and shear"},
    {"sheets.*.stretch", "stiffness[2] > 0 | stiffness > 0", "2000 N/m",
     "along warp and weft: Young's modulus times "
     "thickness"},
    {"sheets.*.shear", "stiffness > 0", "none", "shear stiffness; default: that of an isotropic sheet"},
    {"sheets.*.poisson", "number in [-0.99, 0.99]", "0.3", "Poisson's ratio in the plane"},
    {"sheets.*.bending_law", "\"patch\" | \"hinge\" | \"wide\"", "patch",
     "patch: a plate on regular meshes; wide: on every mesh, costs more; hinge: cheapest, its stiffness depends on the "
     "mesh"},
    {"sheets.*.bending", "bending stiffness[2] >= 0 | bending stiffness >= 0", "1e-5 N m",
     "bending stiffness along warp and weft"},
    {"sheets.*.twisting", "bending stiffness >= 0", "none",
     "twisting stiffness; default: (1 - bending_poisson) times the mean of bending"},
    {"sheets.*.bending_poisson", "number in [-0.99, 0.99]", "0", "coupling of the two curvatures"},
    {"sheets.*.damping", "map", "none", "internal damping"},
    {"sheets.*.damping.stretch", "time >= 0", "1 ms", "membrane damping, as a multiple of the stiffness"},
    {"sheets.*.damping.bending", "time >= 0", "1 ms", "bending damping, as a multiple of the stiffness"},
    {"sheets.*.damping.mass", "frequency >= 0", "0", "damping as a multiple of the mass"},
    {"sheets.*.drag", "number[2] >= 0 | number >= 0", "0", "air drag coefficients normal and tangential to the sheet"},
    {"sheets.*.air_density", "density >= 0", "1.2 kg/m3", "density of the surrounding air"},
    {"sheets.*.wind", "velocity[3] | map", "[0, 0, 0]", "air velocity, or a map for wind that varies with time"},
    {"sheets.*.wind.velocity", "velocity[3]", "", "air velocity"},
    TABLE_ROWS("sheets.*.wind."),
    {"sheets.*.gravity", "bool", "true", "whether gravity acts"},
    {"sheets.*.pins", "list", "none", "held vertices; each entry has one of vertices, near, edge, corners"},
    {"sheets.*.pins[].vertices", "count[] >= 0", "none", "vertex numbers, from 0"},
    {"sheets.*.pins[].near", "length[3]", "none", "all vertices within `radius` of a point in the mesh axes"},
    {"sheets.*.pins[].radius", "length > 0", "none", "radius for `near`"},
    {"sheets.*.pins[].edge", "\"left\" | \"right\" | \"bottom\" | \"top\" | \"rim\"", "none",
     "a side of a grid (-x, +x, -y, +y), an end of a tube (bottom, top), the rim of a disc"},
    {"sheets.*.pins[].rows", "count >= 1", "1", "edge: rows of vertices to hold; two rows also hold the direction"},
    {"sheets.*.pins[].corners", "\"all\" | \"left\" | \"right\" | \"bottom\" | \"top\"", "none",
     "the four corners of a grid, or the two of a side"},
    {"sheets.*.pins[].on", "name", "none", "obstacle that they move with"},
    MOTION_ROWS("sheets.*.pins[].",
                "prescribed motion, unless they move with an obstacle, about the world origin; keyframes are relative "
                "to the first"),
    {"sheets.*.pins[].from", "time >= 0", "0", "start time; they are held where they are then"},
    {"sheets.*.pins[].until", "time > 0", "none", "release time"},
    SURFACE_ROWS("sheets.*."),
    {"sheets.*.contact", "bool", "true", "whether it takes part in contact"},
    {"sheets.*.self_contact", "bool", "true", "whether it can touch itself"},
    {"sheets.*.group", "count >= 0", "0", "objects of the same non-zero group do not touch each other"},

    {"solids", "map", "none", "soft solids of tetrahedra, by name; each has one of box, ball, file, fill"},
    {"solids.*", "map", "", "a solid"},
    {"solids.*.box", "map", "none", "a box centred at the position"},
    {"solids.*.box.size", "length[3] > 0", "", "number along x, y and z"},
    {"solids.*.box.cells", "count[3] >= 1", "", "number of cells along x, y and z, five tetrahedra each"},
    {"solids.*.box.fine", "length > 0", "none",
     "up to here from the middle of its face +z its cells are even, and wider by one factor from each to the next "
     "beyond"},
    {"solids.*.box.fine_cells", "count >= 1", "none", "fine: how many cells are even on each side, and below"},
    {"solids.*.ball", "map", "none", "a ball centred at the position"},
    {"solids.*.ball.radius", "length > 0", "", "radius"},
    {"solids.*.ball.hollow", "length >= 0", "0", "radius of a concentric cavity"},
    {"solids.*.ball.size", "length > 0", "", "element size: the longest interior edges"},
    {"solids.*.file", "file", "none", "a mesh of tetrahedra: MSH, VTK, VTU, Medit, TetGen"},
    {"solids.*.fill", "map", "none", "a closed surface to fill with tetrahedra"},
    {"solids.*.fill.file", "file", "", "a mesh of triangles: OBJ, PLY, VTK, VTU, MSH; of tetrahedra: their surface"},
    {"solids.*.fill.size", "length > 0", "", "element size: the longest interior edges"},
    {"solids.*.scale", "number > 0", "1", "file, fill: length of one file unit in metres"},
    {"solids.*.refine", "count in [0, 5]", "0", "file: how many times each tetrahedron is split into eight"},
    {"solids.*.position", "length[3]", "[0, 0, 0]", "position of the mesh axes"},
    ROTATION_ROWS("solids.*."),
    {"solids.*.frame", "name", "none", "obstacle in whose axes, at t = 0, position, rotation and velocities are given"},
    {"solids.*.velocity", "velocity[3]", "[0, 0, 0]", "initial velocity of the centre of mass"},
    {"solids.*.angular_velocity", "angular velocity[3]", "[0, 0, 0]",
     "initial angular velocity about the centre of mass"},
    {"solids.*.law", "\"stable-neo-hookean\" | \"neo-hookean\" | \"corotated\"", "stable-neo-hookean", "elastic law"},
    {"solids.*.young", "pressure > 0", "0.1 MPa", "Young's modulus"},
    {"solids.*.poisson", "number in [-0.99, 0.4999]", "0.4", "Poisson's ratio"},
    {"solids.*.density", "density > 0", "1000 kg/m3", "mass per volume"},
    {"solids.*.damping", "time >= 0", "1 ms", "internal damping, as a multiple of the stiffness"},
    {"solids.*.regions", "list", "none",
     "regions of a different material; missing values are those of the solid, and the last matching region applies"},
    {"solids.*.regions[].near", "length[3]", "",
     "all tetrahedra whose centre is within `radius` of a point in the mesh axes"},
    {"solids.*.regions[].radius", "length > 0", "", "radius for `near`"},
    {"solids.*.regions[].law", "\"stable-neo-hookean\" | \"neo-hookean\" | \"corotated\"", "none", "as for the solid"},
    {"solids.*.regions[].young", "pressure > 0", "none", "as for the solid"},
    {"solids.*.regions[].poisson", "number in [-0.99, 0.4999]", "none", "as for the solid"},
    {"solids.*.regions[].density", "density > 0", "none", "as for the solid"},
    {"solids.*.regions[].damping", "time >= 0", "none", "as for the solid"},
    {"solids.*.mass_damping", "frequency >= 0", "0", "damping as a multiple of the mass"},
    {"solids.*.gravity", "bool", "true", "whether gravity acts"},
    {"solids.*.pins", "list", "none", "held vertices; each entry has one of vertices, near, side"},
    {"solids.*.pins[].vertices", "count[] >= 0", "none", "vertex numbers, from 0"},
    {"solids.*.pins[].near", "length[3]", "none", "all vertices within `radius` of a point in the mesh axes"},
    {"solids.*.pins[].radius", "length > 0", "none", "radius for `near`"},
    {"solids.*.pins[].side", "\"-x\" | \"+x\" | \"-y\" | \"+y\" | \"-z\" | \"+z\"", "none",
     "the vertices farthest along this mesh axis"},
    {"solids.*.pins[].on", "name", "none", "obstacle that they move with"},
    MOTION_ROWS("solids.*.pins[].",
                "prescribed motion, unless they move with an obstacle, about the world origin; keyframes are relative "
                "to the first"),
    {"solids.*.pins[].from", "time >= 0", "0", "start time; they are held where they are then"},
    {"solids.*.pins[].until", "time > 0", "none", "release time"},
    {"solids.*.radius", "length > 0", "none",
     "distance at which its surface touches; default: a fiftieth of the edge length"},
    {"solids.*.surface", "\"faceted\" | \"smooth\"", "faceted",
     "contact surface: its triangles, or a smooth surface over them"},
    {"solids.*.kernel", "\"cubic\" | \"interpolating\"", "cubic", "surface: smooth; how triangles are weighted"},
    {"solids.*.reach", "length > 0", "none", "surface: smooth; how far a triangle counts; default: from the mesh"},
    {"solids.*.transport", "\"rigid\" | \"paper\"", "rigid",
     "surface: smooth; how friction gets to the nodes: with all of its momentum, or as in the paper"},
    SURFACE_ROWS("solids.*."),
    {"solids.*.contact", "bool", "true", "whether it takes part in contact"},
    {"solids.*.self_contact", "bool", "true", "whether it can touch itself"},
    {"solids.*.group", "count >= 0", "0", "objects of the same non-zero group do not touch each other"},

    {"grid", "map", "none", "grid on which grains move: nodes at multiples of a length"},
    {"grid.cell", "length > 0", "1 cm", "edge of a cell; walls that lie on its multiples are exact"},
    {"grid.plane", "\"xz\"", "none", "grains move in this plane only, one metre deep along y; without it in space"},
    {"grid.particles", "count in [1, 8]", "2", "of a filled cell along each axis"},
    {"grid.stress", "\"nodes\" | \"cells\"", "nodes", "where stresses are; cells are cheaper and less true in flow"},
    {"grid.period", "count >= 0", "0", "cells after which it repeats along x, so that a layer has no ends; 0: never"},
    {"grid.keep_volume", "bool", "false", "move particles apart that gather in a flow, which loses volume otherwise"},
    {"grains", "map", "none", "sand as a continuum, by name"},
    {"grains.*", "map", "", "some grains"},
    {"grains.*.box", "map", "none",
     "region that they fill; with grid.plane, y is not read. One of box, mesh or emitter is needed"},
    {"grains.*.box.from", "length[3]", "[0, 0, 0]", "its lower corner"},
    {"grains.*.box.to", "length[3]", "", "its upper corner"},
    {"grains.*.cylinder", "map", "none", "fill only the part of the box inside this upright cylinder"},
    {"grains.*.cylinder.centre", "length[3]", "[0, 0, 0]", "a point of its axis; z is not read"},
    {"grains.*.cylinder.radius", "length > 0", "", "its radius"},
    {"grains.*.mesh", "map", "none", "a closed surface that they fill; with a box only the part inside that"},
    {"grains.*.mesh.file", "file", "", "a mesh of triangles or tetrahedra: OBJ, PLY, VTK or VTU"},
    {"grains.*.mesh.scale", "number > 0", "1", "length of one file unit in metres"},
    {"grains.*.mesh.position", "length[3]", "[0, 0, 0]", "position of the mesh axes"},
    ROTATION_ROWS("grains.*.mesh."),
    {"grains.*.below", "expression | map", "none",
     "fill only the part of the box or mesh below a surface: its height z as an expression in x, y and the parameters, "
     "in "
     "metres, or a mesh"},
    {"grains.*.below.file", "file", "", "a mesh of triangles that no upright line meets twice"},
    {"grains.*.below.scale", "number > 0", "1", "length of one file unit in metres"},
    {"grains.*.below.position", "length[3]", "[0, 0, 0]", "position of the mesh axes"},
    ROTATION_ROWS("grains.*.below."),
    {"grains.*.emitter", "map", "none",
     "a spout that pours grains, instead of a box or a mesh; while its mouth is full of grains, none come out"},
    {"grains.*.emitter.centre", "length[3]", "", "middle of its mouth, a disc across the velocity"},
    {"grains.*.emitter.radius", "length > 0", "", "radius of the mouth; with grid.plane half its width"},
    {"grains.*.emitter.velocity", "velocity[3]", "", "with which grains leave it"},
    {"grains.*.emitter.rate", "mass flow > 0", "",
     "mass per time; with grid.plane that of one metre along y. The fraction follows from it, and is at most "
     "fraction_max"},
    {"grains.*.emitter.from", "time >= 0", "0 s", "when it begins"},
    {"grains.*.emitter.until", "time > 0", "none", "when it ends; default: time.end"},
    {"grains.*.velocity", "velocity[3]", "[0, 0, 0]", "at the start"},
    {"grains.*.material", "name", "none", "one of the materials"},
    {"grains.*.density", "density > 0", "none", "of a grain; without it the material's, else 2600 kg/m3"},
    {"grains.*.fraction_max", "number in [0.01, 1]", "0.6", "of the space that grains take where they are densest"},
    {"grains.*.fraction", "number in [0.001, 1]", "none", "the same at the start; without it fraction_max"},
    {"grains.*.mu", "number >= 0", "0.5", "friction inside: a layer flows steadily on a slope of atan(mu)"},
    {"grains.*.slope", "angle >= 0", "none", "that slope, instead of mu"},
    {"grains.*.viscosity", "viscosity >= 0", "0 Pa*s",
     "shear stress for each unit of shear rate, beside friction, where grains touch"},
    {"grains.*.cohesion", "pressure >= 0", "0 Pa", "how far the pressure may be below zero, where grains touch"},
    {"grains.*.mu_i", "map", "none",
     "friction that grows with the inertial number I = rate x grain / sqrt(pressure / density) of the last step"},
    {"grains.*.mu_i.grain", "length > 0", "", "diameter of a grain"},
    {"grains.*.mu_i.mu_fast", "number >= 0", "0.7", "friction of a very fast flow"},
    {"grains.*.mu_i.I_0", "number > 0", "0.3", "inertial number at which half of the difference is reached"},
    {"grains.*.wall_mu", "number >= 0", "none", "friction against obstacles; without it that of the materials"},
    {"flow", "map", "none",
     "dense flow of grains in a fixed domain: a rectangle of the plane of x and z, one metre deep along y, or a box"},
    {"flow.domain", "map", "", "the rectangle or the box; y is not read in the plane"},
    {"flow.domain.from", "length[3]", "[0, 0, 0]", "its lower corner"},
    {"flow.domain.to", "length[3]", "", "its upper corner"},
    {"flow.cells", "count[2] >= 1 | count[3] >= 1", "", "elements along x and z, or in space along x, y and z"},
    {"flow.periodic", "bool", "false", "left and right are the same place"},
    {"flow.left", "map", "none", "the side at the lower x; without it open and without pressure"},
    {"flow.left.wall", "\"open\" | \"no-slip\" | \"slip\" | \"velocity\"", "none",
     "boundary condition; default: `velocity` if one is given, else open"},
    {"flow.left.velocity", "velocity[3]", "[0, 0, 0]", "of the wall `velocity`: an inlet, an outlet, a moving plate"},
    {"flow.left.pressure", "pressure", "0 Pa", "from outside on an open side"},
    {"flow.right", "map", "none", "the side at the upper x; without it open and without pressure"},
    {"flow.right.wall", "\"open\" | \"no-slip\" | \"slip\" | \"velocity\"", "none",
     "boundary condition; default: `velocity` if one is given, else open"},
    {"flow.right.velocity", "velocity[3]", "[0, 0, 0]", "of the wall `velocity`: an inlet, an outlet, a moving plate"},
    {"flow.right.pressure", "pressure", "0 Pa", "from outside on an open side"},
    {"flow.bottom", "map", "none", "the side at the lower z; without it open and without pressure"},
    {"flow.bottom.wall", "\"open\" | \"no-slip\" | \"slip\" | \"velocity\"", "none",
     "boundary condition; default: `velocity` if one is given, else open"},
    {"flow.bottom.velocity", "velocity[3]", "[0, 0, 0]", "of the wall `velocity`: an inlet, an outlet, a moving plate"},
    {"flow.bottom.pressure", "pressure", "0 Pa", "from outside on an open side"},
    {"flow.top", "map", "none", "the side at the upper z; without it open and without pressure"},
    {"flow.top.wall", "\"open\" | \"no-slip\" | \"slip\" | \"velocity\"", "none",
     "boundary condition; default: `velocity` if one is given, else open"},
    {"flow.top.velocity", "velocity[3]", "[0, 0, 0]", "of the wall `velocity`: an inlet, an outlet, a moving plate"},
    {"flow.top.pressure", "pressure", "0 Pa", "from outside on an open side"},
    {"flow.front", "map", "none", "in space: the side at the lower y; without it open and without pressure"},
    {"flow.front.wall", "\"open\" | \"no-slip\" | \"slip\" | \"velocity\"", "none",
     "boundary condition; default: `velocity` if one is given, else open"},
    {"flow.front.velocity", "velocity[3]", "[0, 0, 0]", "of the wall `velocity`: an inlet, an outlet, a moving plate"},
    {"flow.front.pressure", "pressure", "0 Pa", "from outside on an open side"},
    {"flow.back", "map", "none", "in space: the side at the upper y; without it open and without pressure"},
    {"flow.back.wall", "\"open\" | \"no-slip\" | \"slip\" | \"velocity\"", "none",
     "boundary condition; default: `velocity` if one is given, else open"},
    {"flow.back.velocity", "velocity[3]", "[0, 0, 0]", "of the wall `velocity`: an inlet, an outlet, a moving plate"},
    {"flow.back.pressure", "pressure", "0 Pa", "from outside on an open side"},
    {"flow.disc", "map", "none", "an obstacle to which grains stick; in space a cylinder along y"},
    {"flow.disc.centre", "length[3]", "[0, 0, 0]", "its centre"},
    {"flow.disc.radius", "length > 0", "", "its radius"},
    {"flow.disc.velocity", "velocity[3]", "[0, 0, 0]", "at which it drags grains along; it stays where it is"},
    {"flow.ball", "map", "none", "in space: an obstacle to which grains stick"},
    {"flow.ball.centre", "length[3]", "[0, 0, 0]", "its centre"},
    {"flow.ball.radius", "length > 0", "", "its radius"},
    {"flow.ball.velocity", "velocity[3]", "[0, 0, 0]", "at which it drags grains along; it stays where it is"},
    {"flow.density", "density > 0", "2600 kg/m3", "of a grain"},
    {"flow.fraction", "number in [0.001, 1]", "0.6", "of the space that grains take"},
    {"flow.mu", "number >= 0", "0.5", "friction inside"},
    {"flow.viscosity", "viscosity >= 0", "0 Pa*s",
     "shear stress for each unit of shear rate, beside friction; needed with friction, unless there is `mu_i`"},
    {"flow.cohesion", "pressure >= 0", "0 Pa", "how far the pressure may be below zero"},
    {"flow.mu_i", "map", "none",
     "friction that grows with the inertial number I = rate x grain / sqrt(pressure / density)"},
    {"flow.mu_i.grain", "length > 0", "", "diameter of a grain"},
    {"flow.mu_i.mu_fast", "number >= 0", "0.7", "friction of a very fast flow"},
    {"flow.mu_i.I_0", "number > 0", "0.3", "inertial number at which half of the difference is reached"},

    {"pulls", "list", "none", "forces on points of fibres, bodies, sheets and solids, and springs attached to them"},
    {"pulls[].fibre", "name", "none", "a fibre, an entry of several, or one of them such as `hair[3]`; or"},
    {"pulls[].body", "name", "none", "a body, an entry of several, or one of them such as `tower[3]`; or"},
    {"pulls[].sheet", "name", "none", "a sheet; or"},
    {"pulls[].solid", "name", "none", "a solid"},
    {"pulls[].point", "length[3]", "[0, 0, 0]",
     "of a body: the point in the axes of its shape; of a sheet or a solid: its vertex nearest to this point of the "
     "world"},
    {"pulls[].vertex", "count >= 0", "none", "sheet or solid: vertex number"},
    {"pulls[].at", "length >= 0 | \"root\" | \"tip\"", "tip", "fibre: arc length from the root"},
    {"pulls[].fraction", "number in [0, 1]", "none", "fibre, instead of `at`: arc length relative to the length"},
    {"pulls[].force", "force[3]", "[0, 0, 0]", "a point load"},
    TABLE_ROWS("pulls[]."),
    {"pulls[].stiffness", "stiffness >= 0", "0", "stiffness of the spring to the target"},
    {"pulls[].damping", "resistance >= 0", "0", "damping of that spring"},
    {"pulls[].target", "length[3]", "none", "end of the spring at t = 0; default: the initial position of the point"},
    MOTION_ROWS("pulls[].", "prescribed motion of the target: one of the three forms below"),
    {"pulls[].from", "time >= 0", "0", "start time"},
    {"pulls[].until", "time >= 0", "none", "end time"},

    {"ties", "list", "none", "points of objects held to points of other objects, and springs between them"},
    {"ties[].kind", "\"point\" | \"hinge\" | \"weld\" | \"spring\" | \"rod\"", "point",
     "point: a ball joint or a knot; hinge: turns about an axis; weld: does not turn; spring: pulls along the line "
     "between its points; rod: keeps their distance"},
    {"ties[].name", "name", "none", "name in messages and results; default: its number"},
    ANCHOR_ROWS("ties[].a", "", "one side"),
    ANCHOR_ROWS("ties[].b", "none", "the other side; default: the world, at the initial position of a"),
    {"ties[].axis", "number[3]", "[0, 0, 1]", "hinge: initial direction in the world, any non-zero length"},
    {"ties[].arm", "length > 0", "none",
     "hinge, weld: distance of the additional points it holds; default: the size of the tied objects"},
    {"ties[].breaking", "force > 0", "none", "force at which it breaks; default: never"},
    {"ties[].stiffness", "stiffness >= 0", "0", "spring stiffness"},
    {"ties[].damping", "resistance >= 0", "0", "spring damping"},
    {"ties[].length", "length >= 0", "none", "spring, rod: rest length; default: the initial length"},
    {"ties[].motor", "map", "none", "hinge: motor that turns a relative to b"},
    {"ties[].motor.speed", "angular velocity", "none", "speed about the axis, with any torque it needs; or"},
    {"ties[].motor.torque", "torque", "none", "torque on a about the axis, with the opposite on b"},
    TABLE_ROWS("ties[].motor."),
    {"ties[].touch", "bool", "false",
     "whether the tied objects can touch each other (fibres: near the tie); with springs and rods they always can"},

    {"loads", "list", "none", "forces and torques on bodies"},
    {"loads[].on", "name", "", "a body, an entry of several bodies, one of them such as `tower[3]`, or `all`"},
    {"loads[].force", "force[3]", "[0, 0, 0]", "force at the centre of mass"},
    {"loads[].torque", "torque[3]", "[0, 0, 0]", "torque about the centre of mass"},
    {"loads[].axes", "\"world\" | \"body\"", "world", "axes of force and torque: those of the world or of the body"},
    TABLE_ROWS("loads[]."),

    {"start", "\"separate\" | \"keep\" | \"refuse\"", "separate",
     "objects that overlap at the start: move them apart, leave them, or reject the scene; with `keep`, fibres that "
     "are at rest as given (`natural: equilibrium`) may stay as deep in each other as they are. Sheets and solids that "
     "pass through each other are rejected unless `separate` is written: then they do not touch near the intersection "
     "until they have separated"},

    {"inverse", "map", "none", "settings for fibres with `natural: equilibrium`"},
    {"inverse.contacts", "bool", "true", "whether contacts may carry weight"},
    {"inverse.guess", "\"as-placed\" | \"straight\" | \"tip\" | \"natural\"", "as-placed",
     "the natural shape from which contacts let a fibre depart as little as they can; `tip`: the curvature of its tip "
     "all "
     "along it; `natural`: the one that it has"},
    {"inverse.margin", "number in [0, 0.99]", "0.05",
     "relative margin by which contact forces stay inside their cones"},
    {"inverse.compliance", "number in [0, 1]", "none",
     "compliance of contacts, relative to the mean compliance of the fibres; default: 1e-6, or 1e-3 with 2000 contacts "
     "and more"},
    {"inverse.tolerance", "number > 0", "1e-6",
     "residual of the contact forces; the balance of the fibres is exact regardless"},
    {"inverse.stiffen", "bool", "none",
     "stiffen unstable fibres until they are stable; default: only strands of a file"},
    {"inverse.stiffen_margin", "number in [0, 10]", "0.1", "relative stiffness margin beyond the stability limit"},
    {"inverse.stiffen_most", "number >= 1", "10",
     "largest stiffening factor; fibres that need more stay as they are; default for strands of a file: 1000"},
    {"inverse.unstable", "\"refuse\" | \"allow\"", "refuse",
     "fibres that are unstable or cannot be inverted: reject the scene, or let them move"},

    {"time", "map", "none", "the time step"},
    {"time.step", "time > 0", "1 ms", "length of a step"},
    {"time.end", "time >= 0", "1 s", "when a run ends"},
    {"time.theta", "number in [0.5, 1]", "1",
     "parameter of the scheme; 0.5 conserves energy (fibres of super-models lose a little), 1 damps"},
    {"time.mend", "bool", "true",
     "repair or halve steps in which something passes through something; `false` only counts fibres that do"},
    {"time.adaptive", "bool | map", "false", "halve steps that violate a bound; a map sets the bounds"},
    {"time.adaptive.step_min", "time >= 0", "0",
     "smallest step; 0: a 64th of the step; where fibres would cross, a 16th of it"},
    {"time.adaptive.penetration", "length >= 0", "0",
     "largest penetration added by a step; 0: 1 % of the smallest body"},
    {"time.adaptive.residual", "number >= 0", "0",
     "largest residual; 0: the solver's tolerance, for steps longer than a quarter of the step"},

    {"solver", "map", "none", "how the contacts of a step are solved; see `capstan methods`"},
    {"solver.method", "method", "auto", "method for the whole problem"},
    {"solver.local", "local solver", "mfb+enum", "one-contact solver of the Gauss-Seidel methods"},
    {"solver.tolerance", "number > 0", "1e-6", "tolerance on the residual of a step; if given, also in motion"},
    {"solver.motion_tolerance", "number > 0", "none",
     "tolerance for large islands in motion; default: solver.tolerance if given, else 1e-4"},
    {"solver.iterations", "count >= 1", "1000", "maximum iterations per step"},
    {"solver.time_limit", "time >= 0", "0", "CPU time limit per island and step; 0: none; with a limit, results vary"},
    {"solver.polish", "bool", "true", "solve sticking contacts to rounding, so that they do not creep"},
    {"solver.freeze", "bool", "true", "Gauss-Seidel: skip settled contacts for a few sweeps"},
    {"solver.facets", "count >= 2", "4", "sides of the cone in the faceted methods, even and >= 4; any for lemke"},
    {"solver.facet_kind", "\"inner\" | \"outer\"", "inner", "whether the facets lie inside the cone or outside"},

    {"contact", "map", "none", "defaults for contacts"},
    {"contact.mu", "number >= 0", "0.5", "coefficient of friction"},
    {"contact.restitution", "number in [0, 1]", "0", "coefficient of restitution"},
    {"contact.mu_everywhere", "number >= 0 | \"none\"", "none", "friction of every contact; overrides everything else"},
    {"contact.projection", "bool", "true", "push penetrating objects apart between steps"},
    {"contact.coupling", "\"full\" | \"split\" | \"forward\"", "full",
     "friction and the elasticity of sheets and solids in one problem; or one after the other, to compare"},
    {"contact.slop", "length >= 0", "none", "penetration that is not corrected; default: 1e-3 of the smallest body"},

    {"threads", "count in [1, 1024]", "1", "number of threads; does not affect the result"},

    {"output", "map", "none", "contents of the result"},
    {"output.frames", "frequency > 0 | time > 0 | \"every step\"", "60 Hz", "frame rate, or interval between frames"},
    {"output.contacts", "bool", "true", "store contacts in frames"},
    {"output.tension", "bool", "false", "store the axial force of fibres"},
    {"output.velocity", "bool", "false", "store the velocity of fibre points and sheet vertices"},
    {"output.fibre_points", "count in [2, 10000]", "none",
     "points per fibre in a frame; default: four per element plus one, at most 64"},

    {"sweep", "map", "none", "defaults for `capstan sweep`"},
    {"sweep.vary", "text", "none", "KEY=VALUES as for `--vary`, separated by `;`"},
    {"sweep.what", "text", "none", "table columns, as for `--what`"},

    {"camera", "map", "none", "camera for pictures; without eye and target it is fitted to everything that moves"},
    {"camera.eye", "length[3]", "none", "camera position; needs a target"},
    {"camera.target", "length[3]", "none", "point to look at; needs an eye"},
    {"camera.view", "number[3]", "[-0.5, -1, 0.45]", "viewing direction, instead of eye and target"},
    {"camera.up", "number[3]", "[0, 0, 1]", "up direction of the picture"},
    {"camera.fov", "angle > 0", "30 deg", "vertical field of view, 1 to 150 deg"},
};
enum { KEY_COUNT = sizeof KEYS / sizeof KEYS[0] };

const CpsSceneKey* cps_scene_key(int32_t i) {
  return i >= 0 && i < KEY_COUNT ? &KEYS[i] : NULL;
}

// Whether a path is that of a direct child; gives its last word.
static const char* child_word(const char* path, const char* prefix, size_t length) {
  if (strncmp(path, prefix, length) != 0) return NULL;
  const char* word = path + length;
  if (length > 0) {
    if (*word != '.') return NULL;
    word++;
  }
  return strpbrk(word, ".[") ? NULL : word;
}

// The children of a key follow it directly in the table.
int32_t cps_schema_first(const CpsSceneKey* parent) {
  return parent ? (int32_t)(parent - KEYS) + 1 : 0;
}

const CpsSceneKey* cps_schema_next(int32_t* at, const char* prefix, const char** word) {
  size_t length = strlen(prefix);
  size_t own = length > 2 && prefix[length - 1] == ']' ? length - 2 : length;  // of the parent's path
  for (; *at < KEY_COUNT && strncmp(KEYS[*at].path, prefix, own) == 0; ++*at) {
    *word = child_word(KEYS[*at].path, prefix, length);
    if (*word) return &KEYS[(*at)++];
  }
  return NULL;
}
