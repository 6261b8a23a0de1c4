// The table of keys: the loader refuses what is not in it (check.c), docs/reference/scene.md is printed from it.
//
// `type` is a small language that the check reads: alternatives stand between bars, [3] makes a list of three and [] a
// list of any length, a range may follow, words in quotes stand for themselves. `list` is a list of maps, whose keys have
// paths with []. A fallback of "" means that the key must be there.
#include "io/scene/schema.h"

#include <string.h>

#define ROTATION_ROWS(at)                                                                                            \
  {at "rotation", "map | number[4]", "none", "a quaternion w, x, y, z, or one of the two below"},                    \
      {at "rotation.axis", "number[3]", "none", "axis of the rotation, of any length but 0"},                        \
      {at "rotation.angle", "angle", "none", "angle about the axis"}, {                                              \
    at "rotation.euler", "angle[3]", "none", "angles about the fixed axes x, then y, then z; in place of the others" \
  }

// shapes that bodies, obstacles and parts can have
#define CONVEX_ROWS(at)                                                                                             \
  {at "sphere", "map", "none", "a ball"}, {at "sphere.radius", "length > 0", "", "its radius"},                     \
      {at "box", "map", "none", "a cuboid"}, {at "box.size", "length[3] > 0", "", "its whole edges"},               \
      {at "capsule", "map", "none", "a cylinder along z with round caps"},                                          \
      {at "capsule.radius", "length > 0", "", "its radius"},                                                        \
      {at "capsule.length", "length >= 0", "", "between the centres of the caps"},                                  \
      {at "cylinder", "map", "none", "a cylinder along z"}, {at "cylinder.radius", "length > 0", "", "its radius"}, \
      {at "cylinder.length", "length > 0", "", "between its discs"},                                                \
      {at "hull", "map", "none", "the convex hull of points"},                                                      \
      {at "hull.file", "file", "none", "a mesh file (OBJ, PLY, VTK, VTU) whose vertices are taken"},                \
      {at "hull.points", "length[][3]", "none", "the points, in the place of a file"}, {                            \
    at "hull.scale", "number > 0", "1", "factor on all coordinates"                                                 \
  }

#define SHAPE_ROWS(at)                                                                                                 \
  CONVEX_ROWS(at), {at "compound", "list", "none", "several convex shapes that move as one"},                          \
      CONVEX_ROWS(at "compound[]."), {at "compound[].position", "length[3]", "[0, 0, 0]", "of the part in the whole"}, \
      {at "compound[].density", "density > 0", "none", "of the part; without it that of the body"},                    \
      ROTATION_ROWS(at "compound[].")

#define SURFACE_ROWS(at)                                                                                   \
  {at "material", "name", "none", "one of the materials"},                                                 \
      {at "mu", "number >= 0", "none", "friction against everything; more specific than the materials"}, { \
    at "restitution", "number in [0, 1]", "none", "likewise"                                               \
  }

// a line by formulas
#define CURVE_ROWS(at)                                                                            \
  {at "curve", "map", "none", "a formula in the place of points"},                                \
      {at "curve.x", "expression", "", "of t and the parameters, in metres"},                     \
      {at "curve.y", "expression", "", "likewise"}, {at "curve.z", "expression", "", "likewise"}, \
      {at "curve.from", "number", "0", "first t"}, {at "curve.to", "number", "1", "last t"}, {    \
    at "curve.points", "count >= 2", "100", "points on it"                                        \
  }

#define MOTION_ROWS(at, about)                                                                                  \
  {at "motion", "map", "none", about}, {at "motion.velocity", "velocity[3]", "[0, 0, 0]", "constant velocity"}, \
      {at "motion.angular_velocity", "angular velocity[3]", "[0, 0, 0]", "constant, about its origin"},         \
      {at "motion.sine", "map", "none", "to and fro about its place"},                                          \
      {at "motion.sine.amplitude", "length[3]", "[0, 0, 0]", "of the position"},                                \
      {at "motion.sine.rotation", "angle[3]", "[0, 0, 0]", "amplitude of the rotation vector"},                 \
      {at "motion.sine.frequency", "frequency > 0", "", "oscillations per second"},                             \
      {at "motion.sine.phase", "angle", "0", "at t = 0"},                                                       \
      {at "motion.keyframes", "list | map", "none", "poses at times, straight in between"},                     \
      {at "motion.keyframes.file", "file", "", "a table of t, x, y, z and perhaps w, x, y, z of a quaternion"}, \
      {at "motion.keyframes[].time", "time", "", "strictly increasing"},                                        \
      {at "motion.keyframes[].position", "length[3]", "[0, 0, 0]", "in the world"},                             \
      ROTATION_ROWS(at "motion.keyframes[].")

// a factor that depends on time
#define TABLE_ROWS(at)                                                                                  \
  {at "sine", "map", "none", "a factor sin(2 pi frequency t + phase)"},                                 \
      {at "sine.frequency", "frequency > 0", "", "oscillations per second"},                            \
      {at "sine.phase", "angle", "0", "at t = 0"},                                                      \
      {at "table", "map | file", "none", "a factor from a table, or the name of a file with it"},       \
      {at "table.times", "time[]", "none", "strictly increasing"},                                      \
      {at "table.values", "number[]", "none", "the factor at these times"},                             \
      {at "table.file", "file", "none", "a table of time, factor in the place of the two"},             \
      {at "table.steps", "bool", "false", "hold each value until the next instead of interpolating"}, { \
    at "table.period", "time > 0", "none", "repeat with this period"                                    \
  }

#define END_ROWS(at, about)                                                                                            \
  {at, "\"free\" | \"pinned\" | \"clamped\" | map", "free", about},                                                    \
      {at ".kind", "\"free\" | \"pinned\" | \"clamped\"", "clamped", "pinned: its place; clamped: its direction too"}, \
      {at ".on", "name", "none", "an obstacle that carries it along"},                                                 \
      MOTION_ROWS(at ".", "how it moves if nothing carries it: one of the three ways below")

// one side of a tie
#define ANCHOR_ROWS(at, fallback, about)                                                                             \
  {at, "map", fallback, about}, {at ".body", "name", "none", "a body, or one of an entry as `tower[3]`; or"},        \
      {at ".obstacle", "name", "none", "an obstacle; or"},                                                           \
      {at ".fibre", "name", "none", "a fibre, or one of an entry as `hair[3]`; or"},                                 \
      {at ".sheet", "name", "none", "a sheet; or"},                                                                  \
      {at ".solid", "name", "none", "a solid; none of the five: the world"},                                         \
      {at ".vertex", "count >= 0", "none", "of a sheet or a solid, or `at`"},                                        \
      {at ".point", "length[3]", "none",                                                                             \
       "of a body or an obstacle: in the axes of its shape; without it its origin, for b of a point, hinge or weld " \
       "where a is"},                                                                                                \
      {at ".at", "length[3] | length >= 0 | \"root\" | \"tip\"", "none",                                             \
       "of the world: the point; of a fibre: arc length from the root, without it the tip; of a sheet or a solid: "  \
       "the vertex "                                                                                                 \
       "nearest to this point of the world"},                                                                        \
  {                                                                                                                  \
    at ".fraction", "number in [0, 1]", "none", "of a fibre, in place of `at`: the arc length over the length"       \
  }

static const CpsSceneKey KEYS[] = {
    {"include", "file | file[]", "none", "files that are read first; maps are merged, and what stands here wins"},
    {"state", "file", "none", "a saved world that the scene goes on from; written with a scene that was saved"},
    {"title", "text", "none", "a name for people; without one the file's name"},
    {"parameters", "map", "none", "numbers with names, for expressions and for `--set name=value`"},
    {"parameters.*", "value", "", "a number, perhaps with a unit, or an expression"},
    {"gravity", "acceleration[3] | acceleration", "[0, 0, -9.81]", "one number points downwards, to -z"},

    {"materials", "map", "none", "materials by name"},
    {"materials.*", "map", "", "a material"},
    {"materials.*.density", "density > 0", "1000", "of bodies and fibres that do not say it (fibres: 1300)"},
    {"materials.*.young", "pressure > 0", "none", "Young's modulus of fibres that do not say it"},
    {"materials.*.poisson", "number in [-1, 0.5]", "none", "Poisson's ratio, likewise"},
    {"materials.*.mu", "number >= 0", "none", "friction against any other material (both say one: geometric mean)"},
    {"materials.*.restitution", "number in [0, 1]", "none", "likewise (both say one: the larger)"},

    {"friction", "list", "none", "friction of pairs of materials; the most specific line wins, of equals the last"},
    {"friction[].between", "name[2]", "", "two materials; `any` stands for all"},
    {"friction[].mu", "number >= 0", "none", "coefficient of friction"},
    {"friction[].restitution", "number in [0, 1]", "none", "coefficient of restitution"},

    {"bodies", "map", "none", "what moves, by name; each has one shape or one of wall, arch, pile"},
    {"bodies.*", "map", "", "a body, or many by a generator"},
    SHAPE_ROWS("bodies.*."),
    {"bodies.*.position", "length[3]", "[0, 0, 0]", "of the shape's origin, or of the generator's"},
    ROTATION_ROWS("bodies.*."),
    {"bodies.*.frame", "name", "none", "an obstacle: position, rotation and velocities are in its axes at t = 0"},
    {"bodies.*.velocity", "velocity[3]", "[0, 0, 0]", "of the centre of mass"},
    {"bodies.*.angular_velocity", "angular velocity[3]", "[0, 0, 0]", "about the centre of mass"},
    {"bodies.*.mass", "mass > 0", "none", "of each body; without it from the density"},
    {"bodies.*.density", "density > 0", "none", "without it the material's, else 1000 kg/m3"},
    {"bodies.*.centre_of_mass", "length[3]", "none", "in the shape's axes; without it that of the shape"},
    {"bodies.*.inertia", "inertia[3] > 0 | inertia[6]", "none",
     "about the centre of mass, in the shape's axes: xx, yy, zz, or these and xy, xz, yz; without it that of the "
     "shape"},
    SURFACE_ROWS("bodies.*."),
    {"bodies.*.mu_across", "number > 0", "none", "anisotropic friction: mu along the grain, this at right angles"},
    {"bodies.*.grain", "number[3]", "[1, 0, 0]", "direction of mu in the shape's axes"},
    {"bodies.*.fixed_rotation", "bool", "false", "the body does not turn"},
    {"bodies.*.copies", "list | length[][3]", "none", "many bodies of one shape, each at a place of its own"},
    {"bodies.*.copies[].position", "length[3]", "[0, 0, 0]", "of the copy, in the axes of the entry"},
    ROTATION_ROWS("bodies.*.copies[]."),
    {"bodies.*.grid", "map", "none", "many bodies of one shape in rows, columns and layers"},
    {"bodies.*.grid.count", "count[3] >= 1", "", "along x, y and z"},
    {"bodies.*.grid.spacing", "length[3] > 0 | length > 0", "",
     "between centres; the lowest layer is about the position"},
    {"bodies.*.grid.jitter", "length >= 0", "0", "each centre is moved by up to this along each axis"},
    {"bodies.*.grid.seed", "count >= 0", "1", "of the random numbers"},
    {"bodies.*.pack", "map", "none", "many bodies at random places that do not overlap"},
    {"bodies.*.pack.count", "count >= 1", "", "how many"},
    {"bodies.*.pack.box", "length[3] > 0", "", "room for them; the middle of its floor is the position"},
    {"bodies.*.pack.radius", "length[2] > 0 | length > 0", "none",
     "spheres of this radius or between these; no shape then"},
    {"bodies.*.pack.gap", "length >= 0", "0", "least distance between two"},
    {"bodies.*.pack.seed", "count >= 0", "1", "of the random numbers"},
    {"bodies.*.pile", "map", "none", "mixed shapes above each other in a column, turned at random, to be dropped"},
    {"bodies.*.pile.count", "count >= 1", "", "how many"},
    {"bodies.*.pile.size", "length > 0", "0.1",
     "of the usual mix: sphere, box, capsule and cylinder of about this size"},
    {"bodies.*.pile.shapes", "list", "none", "other shapes, each as likely"},
    CONVEX_ROWS("bodies.*.pile.shapes[]."),
    {"bodies.*.pile.column", "length[2] > 0", "none", "width of the column along x and y; without it as wide as high"},
    {"bodies.*.pile.gap", "length >= 0", "0", "least distance between two"},
    {"bodies.*.pile.seed", "count >= 0", "1", "of the random numbers"},
    {"bodies.*.wall", "map", "none", "bricks in running bond, along x and upwards from the position"},
    {"bodies.*.wall.columns", "count >= 1", "", "bricks in a row"},
    {"bodies.*.wall.rows", "count >= 1", "", "rows"},
    {"bodies.*.wall.brick", "length[3] > 0", "", "size of a brick: along the wall, across it, upwards"},
    {"bodies.*.wall.gap", "length >= 0", "0", "between the bricks of a row"},
    {"bodies.*.wall.halves", "bool", "true", "half bricks at the ends of every other row; otherwise one brick less"},
    {"bodies.*.arch", "map", "none",
     "wedge stones face to face in a ring about the y axis; the centre is the position"},
    {"bodies.*.arch.stones", "count >= 1", "", "how many"},
    {"bodies.*.arch.radius", "length > 0", "", "inner radius"},
    {"bodies.*.arch.thickness", "length > 0", "", "outer radius less inner radius"},
    {"bodies.*.arch.depth", "length > 0", "", "along y"},
    {"bodies.*.arch.angle", "angle > 0", "180 deg", "of the whole ring, less than 360 deg"},
    {"bodies.*.arch.springers", "length >= 0", "0", "height of two fixed stones under the feet; 0: none"},
    {"bodies.*.gravity", "bool", "true", "whether gravity acts on it"},
    {"bodies.*.group", "count >= 0", "0", "bodies of one group > 0 do not touch each other"},

    {"obstacles", "map", "none", "what is touched and not moved by it, by name; each has one shape"},
    {"obstacles.*", "map", "", "an obstacle"},
    {"obstacles.*.plane", "map", "none", "the half-space below a plane through the position"},
    {"obstacles.*.plane.normal", "number[3]", "[0, 0, 1]", "points out of the half-space"},
    SHAPE_ROWS("obstacles.*."),
    {"obstacles.*.mesh", "map", "none", "a surface of triangles, touched from outside"},
    {"obstacles.*.mesh.file", "file", "",
     "a mesh file (OBJ, PLY, VTK, VTU), corners counter-clockwise seen from outside"},
    {"obstacles.*.mesh.scale", "number > 0", "1", "factor on all coordinates"},
    {"obstacles.*.tube", "map", "none", "a bent rod of round section: a rail"},
    {"obstacles.*.tube.radius", "length > 0", "", "of the section"},
    {"obstacles.*.tube.points", "length[][3]", "none", "its centre line"},
    {"obstacles.*.tube.file", "file", "none", "a table of x, y, z in the place of points"},
    CURVE_ROWS("obstacles.*.tube."),
    {"obstacles.*.tube.closed", "bool", "false", "the last point joins the first"},
    {"obstacles.*.container", "map", "none", "five thick walls, open above; the middle of its floor is the position"},
    {"obstacles.*.container.size", "length[3] > 0", "", "of the room inside"},
    {"obstacles.*.container.open", "bool", "true", "false: with a lid"},
    {"obstacles.*.position", "length[3]", "[0, 0, 0]", "at t = 0"},
    ROTATION_ROWS("obstacles.*."),
    SURFACE_ROWS("obstacles.*."),
    {"obstacles.*.contact", "bool", "true", "whether anything touches it; false: it is only seen"},
    {"obstacles.*.surface_velocity", "velocity[3]", "[0, 0, 0]", "of a conveyor belt, in the shape's axes"},

    MOTION_ROWS("obstacles.*.", "how it moves: one of the three ways below"),

    {"fibres", "map", "none", "thin elastic rods, by name"},
    {"fibres.*", "map", "", "a fibre, or many by a generator"},
    {"fibres.*.model", "rod model", "super-helix", "mechanical model"},
    {"fibres.*.elements", "count >= 1", "5", "elements of a super-model, segments of the others (2 or more)"},
    {"fibres.*.length", "length > 0", "0.3", "where no line is given"},
    {"fibres.*.position", "length[3]", "[0, 0, 0]", "of the root, or of the axes of the line or the generator"},
    ROTATION_ROWS("fibres.*."),
    {"fibres.*.direction", "number[3]", "[1, 0, 0]", "from the root along each fibre, where no line is given"},
    {"fibres.*.frame", "name", "none", "an obstacle: position, rotation and velocities are in its axes at t = 0"},
    {"fibres.*.points", "length[][3] | file", "none", "the line of the fibre from root to tip; or a table of x, y, z"},
    CURVE_ROWS("fibres.*."),
    {"fibres.*.fit", "\"tangents\"", "none",
     "a chain of helices with the tangents of the line at its joints, of elements of unequal length (super-helices "
     "only); without it the line is followed by means of its curvatures"},
    {"fibres.*.curvature", "curvature[3] | curvature[][3]", "none",
     "twist and bending about the second and third axis, constant or at equal distances; without it the natural ones"},
    {"fibres.*.natural", "curvature[3] | curvature[][3] | \"as-placed\" | \"equilibrium\" | map", "[0, 0, 0]",
     "the same without any load; `as-placed`: the shape at the start; `equilibrium`: the shape for which the one at "
     "the "
     "start is at rest under weight, pulls and contacts. Clamped strands of a file: `equilibrium` if nothing is said"},
    {"fibres.*.natural.file", "file", "", "natural shapes that `capstan invert -o` has written"},
    {"fibres.*.trim", "length > 0", "none",
     "cut fibres to this length once their natural shapes are known: they spring up at the start (super-models without "
     "branches)"},
    {"fibres.*.radius", "length[2] > 0 | length > 0", "0.5 mm",
     "half-axis of the section along its second axis; two: at the root and at the tip, linear in between"},
    {"fibres.*.radius_across", "length > 0", "none", "along its third axis; without it the same"},
    {"fibres.*.density", "density > 0", "none", "without it the material's, else 1300 kg/m3"},
    {"fibres.*.young", "pressure > 0", "none", "Young's modulus; without it the material's, else 1 GPa"},
    {"fibres.*.poisson", "number in [-1, 0.5]", "none", "Poisson's ratio; without it the material's, else 0.5"},
    {"fibres.*.line_density", "line density > 0", "none", "mass per length; without it from density and section"},
    {"fibres.*.bending", "rigidity[2] > 0 | rigidity > 0", "none",
     "E I about the second and the third axis; without it from modulus and section"},
    {"fibres.*.twisting", "rigidity > 0", "none", "G J; without it from moduli and section"},
    {"fibres.*.stretching", "force > 0", "none", "E S of models that stretch; without it from modulus and section"},
    {"fibres.*.damping", "time >= 0", "1 ms", "internal: the damping is this times the stiffness"},
    {"fibres.*.drag", "viscosity >= 0", "0", "of the air: force per length and velocity"},
    {"fibres.*.gravity", "bool", "true", "whether gravity acts on it"},
    END_ROWS("fibres.*.root", "what holds the root"),
    END_ROWS("fibres.*.tip", "what holds the tip"),
    SURFACE_ROWS("fibres.*."),
    {"fibres.*.contact_radius", "length >= 0 | \"fit\" | map", "none",
     "for contacts; 0: touches nothing; without it the larger radius; `fit`: of each fibre the largest, up to ten "
     "times the "
     "radius, with which it overlaps others by a tenth at most, so that strands of a scan are not driven apart"},
    {"fibres.*.contact_radius.fit", "length > 0", "", "the same, up to this length"},
    {"fibres.*.contact_start", "length >= 0", "0", "what is nearer to the root touches nothing"},
    {"fibres.*.pieces", "count >= 0", "0", "capsules that stand for it; 0: twice the elements, at least 24"},
    {"fibres.*.self_contact", "bool", "true", "whether it touches itself"},
    {"fibres.*.self_distance", "length >= 0", "none",
     "points nearer along the fibre do not touch each other; without it ten radii and two pieces"},
    {"fibres.*.group", "count >= 0", "0", "fibres and bodies of one group > 0 do not touch each other"},
    {"fibres.*.velocity", "velocity[3]", "[0, 0, 0]", "of all its points at the start, if it is not held"},
    {"fibres.*.angular_velocity", "angular velocity[3]", "[0, 0, 0]", "likewise, about its root"},
    {"fibres.*.branches", "list", "none", "of a tree (super-helix-recursive only)"},
    {"fibres.*.branches[].parent", "count >= 0", "none", "an earlier branch, from 0; without it the trunk"},
    {"fibres.*.branches[].at", "count >= 0", "", "it grows at the end of this element of its parent, from 0"},
    ROTATION_ROWS("fibres.*.branches[]."),
    {"fibres.*.branches[].elements", "count >= 1", "5", "its elements"},
    {"fibres.*.branches[].length", "length > 0", "", "its length"},
    {"fibres.*.branches[].radius", "length > 0", "", "its radius"},
    {"fibres.*.branches[].natural", "curvature[3]", "[0, 0, 0]", "natural curvature"},
    {"fibres.*.branches[].curvature", "curvature[3]", "none", "at the start; without it the natural one"},
    {"fibres.*.tree", "map", "none", "branches by rule, in place of a list of them"},
    {"fibres.*.tree.levels", "list", "", "each level grows on all branches of the one before, the first on the trunk"},
    {"fibres.*.tree.levels[].branches", "count >= 1", "", "on each parent"},
    {"fibres.*.tree.levels[].elements", "count >= 1", "5", "of each"},
    {"fibres.*.tree.levels[].length", "length > 0", "", "of each"},
    {"fibres.*.tree.levels[].radius", "length > 0", "", "of each"},
    {"fibres.*.tree.levels[].angle", "angle", "45 deg", "away from the parent"},
    {"fibres.*.tree.levels[].droop", "curvature", "0", "natural curvature that bends it farther away"},
    {"fibres.*.tree.start", "number in [0, 1]", "0.3", "this part of a parent is bare"},
    {"fibres.*.tree.jitter", "number in [0, 1]", "0", "part by which lengths and angles vary"},
    {"fibres.*.tree.seed", "count >= 0", "1", "of the random numbers"},
    {"fibres.*.copies", "list | length[][3]", "none", "many fibres, each at a place of its own"},
    {"fibres.*.copies[].position", "length[3]", "[0, 0, 0]", "of the copy, in the axes of the entry"},
    ROTATION_ROWS("fibres.*.copies[]."),
    {"fibres.*.grid", "map", "none", "many fibres in rows, columns and layers"},
    {"fibres.*.grid.count", "count[3] >= 1", "", "along x, y and z"},
    {"fibres.*.grid.spacing", "length[3] > 0 | length > 0", "",
     "between roots; the lowest layer is about the position"},
    {"fibres.*.grid.jitter", "length >= 0", "0", "each root is moved by up to this along each axis"},
    {"fibres.*.grid.seed", "count >= 0", "1", "of the random numbers"},
    {"fibres.*.bundle", "map", "none", "parallel fibres packed in hexagons about the first"},
    {"fibres.*.bundle.count", "count >= 1", "", "how many; 7, 19, 37, ... make whole rings"},
    {"fibres.*.bundle.spacing", "length > 0", "", "between neighbours"},
    {"fibres.*.bundle.jitter", "length >= 0", "0", "each is moved sideways by up to this along both axes"},
    {"fibres.*.bundle.tilt", "angle >= 0", "0", "each is turned by up to this about both axes across it"},
    {"fibres.*.bundle.seed", "count >= 0", "1", "of the random numbers"},
    {"fibres.*.hair", "map", "none", "hair that grows on a head, or strands from a file"},
    {"fibres.*.hair.on", "name", "none",
     "the head: an obstacle, sphere or capsule; up is its z, the face looks to its y"},
    {"fibres.*.hair.count", "count >= 1", "100", "how many; of a file: at most, evenly taken (all)"},
    {"fibres.*.hair.style", "\"straight\" | \"wavy\" | \"curly\" | \"ponytail\"", "straight",
     "wavy and curly hair winds naturally; a ponytail comes out of a tie behind the head"},
    {"fibres.*.hair.length", "length > 0", "25 cm", "of a hair; one that would stand on a shoulder is cut"},
    {"fibres.*.hair.variation", "number in [0, 0.9]", "0.1", "of the lengths, relative, to both sides"},
    {"fibres.*.hair.nape", "angle > 0", "105 deg", "from the top to where hair ends behind"},
    {"fibres.*.hair.hairline", "angle > 0", "55 deg", "from the top to where hair ends in front"},
    {"fibres.*.hair.start", "\"combed\" | \"straight\"", "combed",
     "how it begins: as combed, or drawn out straight in the root direction, where hairs do not overlap"},
    {"fibres.*.hair.lift", "number in [0, 1]", "0.3", "root direction: 1 out of the head, 0 down along it"},
    {"fibres.*.hair.parting", "number >= 0", "0.5", "how strongly hair at the top is combed to both sides"},
    {"fibres.*.hair.fall", "length > 0", "5 cm", "over which hair turns downwards"},
    {"fibres.*.hair.clearance", "length >= 0", "1 mm", "from the head at the start"},
    {"fibres.*.hair.berth", "length >= 0", "1 cm", "from other round obstacles at the start"},
    {"fibres.*.hair.thickness", "length >= 0", "20 mm", "how far hair from the top lies above that of the rim"},
    {"fibres.*.hair.curl_radius", "length > 0", "none", "of a winding; wavy: 8 mm, curly: 6 mm"},
    {"fibres.*.hair.curl_pitch", "length > 0", "none", "from winding to winding; wavy: 9 cm, curly: 3 cm"},
    {"fibres.*.hair.tie", "angle > 0", "100 deg", "ponytail: from the top to the tie behind"},
    {"fibres.*.hair.spacing", "length > 0", "2 mm", "ponytail: between hairs in the tie"},
    {"fibres.*.hair.jitter", "number in [0, 1]", "0.3", "of the roots, in parts of their distance"},
    {"fibres.*.hair.seed", "count >= 0", "1", "of the random numbers"},
    {"fibres.*.hair.file", "file", "none",
     "strands: .hair, .ply, USC .data or CT2Hair .bin; they hang as they are, see `natural`"},
    {"fibres.*.hair.fit", "\"least-squares\" | \"tangents\"", "least-squares",
     "how rods are fitted to the strands of a file: `tangents` keeps the tangents at joints, is many times faster, and "
     "makes elements of "
     "unequal length (super-helices only)"},
    {"fibres.*.hair.scale", "number > 0", "1", "file: metres in its unit of length"},
    {"fibres.*.hair.up", "\"z\" | \"y\"", "z", "file: the axis that points upwards"},

    {"sheets", "map", "none", "thin elastic surfaces (cloth, paper), by name; each has one of grid, disc, tube, file"},
    {"sheets.*", "map", "", "a sheet"},
    {"sheets.*.grid", "map", "none", "a rectangle in the xy-plane about the position"},
    {"sheets.*.grid.size", "length[2] > 0", "", "along x and y"},
    {"sheets.*.grid.cells", "count[2] >= 1", "", "along x and y, each of two triangles"},
    {"sheets.*.grid.diagonals", "\"parallel\" | \"crossed\" | \"mirrored\"", "parallel",
     "crossed: four triangles about the middle of each cell, alike in both directions; costs more; mirrored: the "
     "halves "
     "at negative and positive y are images of each other"},
    {"sheets.*.grid.over", "map", "none",
     "the grid hangs over a cylinder about the y axis: half a turn along x, the rest straight down, without strain"},
    {"sheets.*.grid.over.radius", "length > 0", "",
     "of its middle surface: that of the cylinder and half the thickness"},
    {"sheets.*.grid.over.offset", "length", "0", "how far its middle lies beyond the crest, towards x"},
    {"sheets.*.disc", "map", "none", "a disc in the xy-plane about the position"},
    {"sheets.*.disc.radius", "length > 0", "", "its radius"},
    {"sheets.*.disc.rings", "count >= 1", "", "of triangles, the i-th of 6 (2 i - 1)"},
    {"sheets.*.disc.jitter", "number in [0, 0.4]", "0",
     "inner vertices are moved at random by up to this part of the distance of rings: no direction is preferred"},
    {"sheets.*.disc.seed", "count >= 0", "1", "of the random numbers"},
    {"sheets.*.tube", "map", "none", "a tube about z with its middle at the position, sewn from a flat strip"},
    {"sheets.*.tube.radius", "length[2] > 0 | length > 0", "", "its radius, or those at its bottom and at its top"},
    {"sheets.*.tube.length", "length > 0", "", "its length"},
    {"sheets.*.tube.cells", "count[2] >= 1", "", "around and along it; the warp runs around"},
    {"sheets.*.file", "file", "none", "a mesh of triangles: OBJ, PLY, VTK or VTU"},
    {"sheets.*.scale", "number > 0", "1", "file: metres in its unit of length"},
    {"sheets.*.rest", "\"placed\" | \"texture\"", "placed",
     "file: the shape without load has lengths as placed, or those of the texture coordinates, warp along the first"},
    {"sheets.*.texture_scale", "number > 0", "1", "file: metres in a unit of texture"},
    {"sheets.*.rest_angles", "\"flat\" | \"placed\"", "flat", "without load it would lie flat, or be bent as placed"},
    {"sheets.*.warp_angle", "angle", "0", "from the x axis of the sheet (or of the texture) to the warp"},
    {"sheets.*.pleats", "list", "none", "edges with rest angles of their own"},
    {"sheets.*.pleats[].edge", "count[2] >= 0", "", "the two vertices of an edge between two triangles"},
    {"sheets.*.pleats[].angle", "angle", "", "positive: folded towards the side the triangles' normals point to"},
    {"sheets.*.seams", "count[][2]", "none", "pairs of vertices that are sewn together"},
    {"sheets.*.position", "length[3]", "[0, 0, 0]", "of the axes of the mesh"},
    ROTATION_ROWS("sheets.*."),
    {"sheets.*.frame", "name", "none", "an obstacle: position, rotation and velocity are in its axes at t = 0"},
    {"sheets.*.velocity", "velocity[3]", "[0, 0, 0]", "of all vertices at the start"},
    {"sheets.*.fabric", "name | map", "none",
     "silk, cotton, wool, denim, paper or rubber, or a file of measurements; what is said beside it wins"},
    {"sheets.*.fabric.file", "file", "", "measurements in the format of Wang 2011 / ARCSim (JSON)"},
    {"sheets.*.fabric.strain", "number >= 0", "0", "at which the measured stiffness is taken"},
    {"sheets.*.fabric.curvature", "curvature >= 0", "0", "the same for bending"},
    {"sheets.*.thickness", "length > 0", "0.5 mm", "two layers touch at this distance"},
    {"sheets.*.density", "area density > 0", "0.2 kg/m2", "mass of an area"},
    {"sheets.*.membrane", "\"stvk\" | \"neo-hookean\" | \"baraff-witkin\"", "stvk", "law of stretch and shear"},
    {"sheets.*.stretch", "stiffness[2] > 0 | stiffness > 0", "2000 N/m",
     "along warp and weft: Young's modulus times "
     "thickness"},
    {"sheets.*.shear", "stiffness > 0", "none", "without it that of an isotropic sheet"},
    {"sheets.*.poisson", "number in [-0.99, 0.99]", "0.3", "Poisson's ratio in the plane"},
    {"sheets.*.bending_law", "\"patch\" | \"hinge\" | \"wide\"", "patch",
     "patch: a plate on regular meshes; wide: on every mesh, costs more; hinge: cheapest, its stiffness depends on the "
     "mesh"},
    {"sheets.*.bending", "bending stiffness[2] >= 0 | bending stiffness >= 0", "1e-5 N m",
     "where warp and weft are bent"},
    {"sheets.*.twisting", "bending stiffness >= 0", "none",
     "without it (1 - bending_poisson) times the mean of bending"},
    {"sheets.*.bending_poisson", "number in [-0.99, 0.99]", "0", "coupling of the two curvatures"},
    {"sheets.*.damping", "map", "none", "losses inside"},
    {"sheets.*.damping.stretch", "time >= 0", "1 ms", "this times the stiffness of the membrane"},
    {"sheets.*.damping.bending", "time >= 0", "1 ms", "this times the stiffness of bending"},
    {"sheets.*.damping.mass", "frequency >= 0", "0", "this times the mass"},
    {"sheets.*.drag", "number[2] >= 0 | number >= 0", "0", "coefficients of the air across and along the sheet"},
    {"sheets.*.air_density", "density >= 0", "1.2 kg/m3", "of the air around it"},
    {"sheets.*.wind", "velocity[3] | map", "[0, 0, 0]", "velocity of the air; a map lets it depend on time"},
    {"sheets.*.wind.velocity", "velocity[3]", "", "velocity of the air"},
    TABLE_ROWS("sheets.*.wind."),
    {"sheets.*.gravity", "bool", "true", "whether gravity acts on it"},
    {"sheets.*.pins", "list", "none", "vertices that are held; each entry has one of vertices, near, edge, corners"},
    {"sheets.*.pins[].vertices", "count[] >= 0", "none", "their numbers, from 0"},
    {"sheets.*.pins[].near", "length[3]", "none", "all within `radius` of a point in the axes of the mesh"},
    {"sheets.*.pins[].radius", "length > 0", "none", "goes with near"},
    {"sheets.*.pins[].edge", "\"left\" | \"right\" | \"bottom\" | \"top\" | \"rim\"", "none",
     "a side of a grid (-x, +x, -y, +y), an end of a tube (bottom, top), the rim of a disc"},
    {"sheets.*.pins[].rows", "count >= 1", "1", "edge: rows of vertices from there; two hold its direction too"},
    {"sheets.*.pins[].corners", "\"all\" | \"left\" | \"right\" | \"bottom\" | \"top\"", "none",
     "the four corners of a grid, or the two of a side"},
    {"sheets.*.pins[].on", "name", "none", "an obstacle that carries them along"},
    MOTION_ROWS("sheets.*.pins[].",
                "how they move if nothing carries them, about the origin of the world; keyframes: from the first on"),
    {"sheets.*.pins[].from", "time >= 0", "0", "when they are held"},
    {"sheets.*.pins[].until", "time > 0", "none", "when they are released"},
    SURFACE_ROWS("sheets.*."),
    {"sheets.*.contact", "bool", "true", "whether it touches anything"},
    {"sheets.*.self_contact", "bool", "true", "whether it touches itself"},
    {"sheets.*.group", "count >= 0", "0", "things of one group > 0 do not touch each other"},

    {"solids", "map", "none", "soft solids of tetrahedra, by name; each has one of box, ball, file, fill"},
    {"solids.*", "map", "", "a solid"},
    {"solids.*.box", "map", "none", "a box about the position"},
    {"solids.*.box.size", "length[3] > 0", "", "along x, y and z"},
    {"solids.*.box.cells", "count[3] >= 1", "", "along x, y and z, each of five tetrahedra"},
    {"solids.*.box.fine", "length > 0", "none",
     "up to here from the middle of its face +z its cells are even, and wider by one factor from each to the next "
     "beyond"},
    {"solids.*.box.fine_cells", "count >= 1", "none", "fine: how many cells are even on each side, and below"},
    {"solids.*.ball", "map", "none", "a ball about the position"},
    {"solids.*.ball.radius", "length > 0", "", "its radius"},
    {"solids.*.ball.hollow", "length >= 0", "0", "radius of a hollow about its centre"},
    {"solids.*.ball.size", "length > 0", "", "of its tetrahedra: the longest edges inside"},
    {"solids.*.file", "file", "none", "a mesh of tetrahedra: MSH, VTK, VTU, Medit, TetGen"},
    {"solids.*.fill", "map", "none", "a closed surface that is filled with tetrahedra"},
    {"solids.*.fill.file", "file", "", "a mesh of triangles: OBJ, PLY, VTK, VTU, MSH"},
    {"solids.*.fill.size", "length > 0", "", "of the tetrahedra: the longest edges inside"},
    {"solids.*.scale", "number > 0", "1", "file, fill: metres in a unit of the file"},
    {"solids.*.position", "length[3]", "[0, 0, 0]", "of the axes of the mesh"},
    ROTATION_ROWS("solids.*."),
    {"solids.*.frame", "name", "none", "an obstacle: position, rotation and velocities are in its axes at t = 0"},
    {"solids.*.velocity", "velocity[3]", "[0, 0, 0]", "of the centre of mass at the start"},
    {"solids.*.angular_velocity", "angular velocity[3]", "[0, 0, 0]", "about the centre of mass at the start"},
    {"solids.*.law", "\"stable-neo-hookean\" | \"neo-hookean\" | \"corotated\"", "stable-neo-hookean",
     "how it resists"},
    {"solids.*.young", "pressure > 0", "0.1 MPa", "Young's modulus"},
    {"solids.*.poisson", "number in [-0.99, 0.4999]", "0.4", "Poisson's ratio"},
    {"solids.*.density", "density > 0", "1000 kg/m3", "mass of a volume"},
    {"solids.*.damping", "time >= 0", "1 ms", "losses inside: this times the stiffness"},
    {"solids.*.regions", "list", "none",
     "parts of other matter; what they do not say is that of the solid, and of several the last wins"},
    {"solids.*.regions[].near", "length[3]", "",
     "all tetrahedra whose middle is within `radius` of a point in the axes of the mesh"},
    {"solids.*.regions[].radius", "length > 0", "", "goes with near"},
    {"solids.*.regions[].law", "\"stable-neo-hookean\" | \"neo-hookean\" | \"corotated\"", "none", "as of the solid"},
    {"solids.*.regions[].young", "pressure > 0", "none", "as of the solid"},
    {"solids.*.regions[].poisson", "number in [-0.99, 0.4999]", "none", "as of the solid"},
    {"solids.*.regions[].density", "density > 0", "none", "as of the solid"},
    {"solids.*.regions[].damping", "time >= 0", "none", "as of the solid"},
    {"solids.*.mass_damping", "frequency >= 0", "0", "losses: this times the mass"},
    {"solids.*.gravity", "bool", "true", "whether gravity acts on it"},
    {"solids.*.pins", "list", "none", "vertices that are held; each entry has one of vertices, near, side"},
    {"solids.*.pins[].vertices", "count[] >= 0", "none", "their numbers, from 0"},
    {"solids.*.pins[].near", "length[3]", "none", "all within `radius` of a point in the axes of the mesh"},
    {"solids.*.pins[].radius", "length > 0", "none", "goes with near"},
    {"solids.*.pins[].side", "\"-x\" | \"+x\" | \"-y\" | \"+y\" | \"-z\" | \"+z\"", "none",
     "the vertices farthest in this direction of the axes of the mesh"},
    {"solids.*.pins[].on", "name", "none", "an obstacle that carries them along"},
    MOTION_ROWS("solids.*.pins[].",
                "how they move if nothing carries them, about the origin of the world; keyframes: from the first on"),
    {"solids.*.pins[].from", "time >= 0", "0", "when they are held"},
    {"solids.*.pins[].until", "time > 0", "none", "when they are released"},
    {"solids.*.radius", "length > 0", "none", "its surface touches at this distance; a fiftieth of its edges' length"},
    {"solids.*.surface", "\"faceted\" | \"smooth\"", "faceted",
     "what touches: its triangles, or a smooth surface over them, which does not touch itself"},
    {"solids.*.kernel", "\"cubic\" | \"interpolating\"", "cubic", "surface: smooth; how triangles are weighted"},
    {"solids.*.reach", "length > 0", "none", "surface: smooth; how far a triangle counts; without it from the mesh"},
    {"solids.*.transport", "\"rigid\" | \"paper\"", "rigid",
     "surface: smooth; how friction gets to the nodes: with all of its momentum, or as in the paper"},
    SURFACE_ROWS("solids.*."),
    {"solids.*.contact", "bool", "true", "whether it touches anything"},
    {"solids.*.self_contact", "bool", "true", "whether it touches itself"},
    {"solids.*.group", "count >= 0", "0", "things of one group > 0 do not touch each other"},

    {"grid", "map", "none", "what grains move on: nodes at multiples of a length"},
    {"grid.cell", "length > 0", "1 cm", "edge of a cell; walls that lie on its multiples are exact"},
    {"grid.plane", "\"xz\"", "none", "grains move in this plane only, one metre deep along y; without it in space"},
    {"grid.particles", "count in [1, 8]", "2", "of a filled cell along each axis"},
    {"grid.stress", "\"nodes\" | \"cells\"", "nodes", "where stresses are; cells are cheaper and less true in flow"},
    {"grid.period", "count >= 0", "0", "cells after which it repeats along x, so that a layer has no ends; 0: never"},
    {"grains", "map", "none", "sand as a continuum, by name"},
    {"grains.*", "map", "", "some grains"},
    {"grains.*.box", "map", "", "what they fill; with grid.plane, y is not read"},
    {"grains.*.box.from", "length[3]", "[0, 0, 0]", "its lower corner"},
    {"grains.*.box.to", "length[3]", "", "its upper corner"},
    {"grains.*.velocity", "velocity[3]", "[0, 0, 0]", "at the start"},
    {"grains.*.material", "name", "none", "one of the materials"},
    {"grains.*.density", "density > 0", "none", "of a grain; without it the material's, else 2600 kg/m3"},
    {"grains.*.fraction_max", "number in [0.01, 1]", "0.6", "of the space that grains take where they are densest"},
    {"grains.*.fraction", "number in [0.001, 1]", "none", "the same at the start; without it fraction_max"},
    {"grains.*.mu", "number >= 0", "0.5", "friction inside: a layer flows steadily on a slope of atan(mu)"},
    {"grains.*.slope", "angle >= 0", "none", "that slope, in the place of mu"},
    {"grains.*.wall_mu", "number >= 0", "none", "friction against obstacles; without it that of the materials"},

    {"pulls", "list", "none", "forces on points of fibres, bodies, sheets and solids, and springs that pull at them"},
    {"pulls[].fibre", "name", "none", "a fibre, an entry with many, or one of them as `hair[3]`; or"},
    {"pulls[].body", "name", "none", "a body, an entry with many, or one of them as `tower[3]`; or"},
    {"pulls[].sheet", "name", "none", "a sheet; or"},
    {"pulls[].solid", "name", "none", "a solid"},
    {"pulls[].point", "length[3]", "[0, 0, 0]",
     "of a body: the point in the axes of its shape; of a sheet or a solid: its vertex nearest to this point of the "
     "world"},
    {"pulls[].vertex", "count >= 0", "none", "of a sheet or a solid: the number of its vertex"},
    {"pulls[].at", "length >= 0 | \"root\" | \"tip\"", "tip", "of a fibre: arc length of the point from the root"},
    {"pulls[].fraction", "number in [0, 1]", "none", "in place of `at`: the arc length over the length"},
    {"pulls[].force", "force[3]", "[0, 0, 0]", "a point load"},
    TABLE_ROWS("pulls[]."),
    {"pulls[].stiffness", "stiffness >= 0", "0", "of a spring to the target"},
    {"pulls[].damping", "resistance >= 0", "0", "of the same"},
    {"pulls[].target", "length[3]", "none", "where the spring pulls to at t = 0; without it where the point is"},
    MOTION_ROWS("pulls[].", "how the target moves: one of the three ways below"),
    {"pulls[].from", "time >= 0", "0", "when it begins to act"},
    {"pulls[].until", "time >= 0", "none", "when it ceases to"},

    {"ties", "list", "none", "points of things held to points of other things, and springs between them"},
    {"ties[].kind", "\"point\" | \"hinge\" | \"weld\" | \"spring\" | \"rod\"", "point",
     "point: a ball joint or a knot; hinge: turns about an axis; weld: does not turn; spring: pulls along the line "
     "between its points; rod: keeps their distance"},
    {"ties[].name", "name", "none", "stands for it in sentences and results; without it its number"},
    ANCHOR_ROWS("ties[].a", "", "one side"),
    ANCHOR_ROWS("ties[].b", "none", "the other side; without it the point of the world where a is at the start"),
    {"ties[].axis", "number[3]", "[0, 0, 1]", "hinge: direction in the world at the start, of any length but 0"},
    {"ties[].arm", "length > 0", "none",
     "hinge, weld: distance of the further points that it holds; without it the size of what is tied"},
    {"ties[].breaking", "force > 0", "none", "it breaks in a step in which it carries more; without it never"},
    {"ties[].stiffness", "stiffness >= 0", "0", "spring: force per elongation"},
    {"ties[].damping", "resistance >= 0", "0", "spring: force per velocity"},
    {"ties[].length", "length >= 0", "none", "spring, rod: at rest; without it as long as it is at the start"},
    {"ties[].motor", "map", "none", "hinge: what turns a against b"},
    {"ties[].motor.speed", "angular velocity", "none", "about the axis, whatever torque that takes; or"},
    {"ties[].motor.torque", "torque", "none", "on a about the axis, and its opposite on b"},
    TABLE_ROWS("ties[].motor."),
    {"ties[].touch", "bool", "false",
     "whether what is tied touches each other (fibres: near the tie); springs and rods: always"},

    {"loads", "list", "none", "forces and torques on bodies"},
    {"loads[].on", "name", "", "a body, an entry with many bodies, one of them as `tower[3]`, or `all`"},
    {"loads[].force", "force[3]", "[0, 0, 0]", "at the centre of mass"},
    {"loads[].torque", "torque[3]", "[0, 0, 0]", "about it"},
    {"loads[].axes", "\"world\" | \"body\"", "world", "whether they turn with the body"},
    TABLE_ROWS("loads[]."),

    {"start", "\"separate\" | \"keep\" | \"refuse\"", "separate",
     "what overlaps at the start: move it apart, leave it, or refuse the scene"},

    {"inverse", "map", "none", "how fibres with `natural: equilibrium` get their natural shape"},
    {"inverse.contacts", "bool", "true", "contacts carry what they can"},
    {"inverse.guess", "\"as-placed\" | \"straight\" | \"tip\" | \"natural\"", "as-placed",
     "the natural shape from which contacts let a fibre depart as little as they can; `tip`: the curvature of its tip "
     "all "
     "along it; `natural`: the one that it has"},
    {"inverse.margin", "number in [0, 0.99]", "0.05",
     "by how much forces of contacts stay inside of their cones, relative"},
    {"inverse.compliance", "number in [0, 1]", "1e-6", "of contacts, over the mean compliance of fibres there"},
    {"inverse.tolerance", "number > 0", "1e-4",
     "residual to which forces of contacts are found; fibres are in balance anyway"},
    {"inverse.stiffen", "bool", "none",
     "make fibres that would not be stable as stiff as they must be. Without it: of strands of a file only"},
    {"inverse.stiffen_margin", "number in [0, 10]", "0.1", "by how much stiffer than just stable, relative"},
    {"inverse.stiffen_most", "number >= 1", "10",
     "fibres that would have to be this many times stiffer stay as they are; without it 100 for strands of a file"},
    {"inverse.unstable", "\"refuse\" | \"allow\"", "refuse",
     "a fibre that is not stable: refuse the scene, or let it fall when it is disturbed"},

    {"time", "map", "none", "the time step"},
    {"time.step", "time > 0", "1 ms", "length of a step"},
    {"time.end", "time >= 0", "1 s", "when a run ends"},
    {"time.theta", "number in [0.5, 1]", "1", "of the scheme; 0.5 keeps energy, 1 damps it"},
    {"time.mend", "bool", "true",
     "mend or halve steps in which a fibre went through something; false: count them only"},
    {"time.adaptive", "bool | map", "false", "halve steps that break a bound; a map sets the bounds"},
    {"time.adaptive.step_min", "time >= 0", "0",
     "smallest step; 0: a 64th of the step; where fibres would cross, a 16th of it"},
    {"time.adaptive.penetration", "length >= 0", "0", "most that a step may add; 0: 1 % of the smallest body"},
    {"time.adaptive.residual", "number >= 0", "0",
     "largest residual; 0: the solver's tolerance, for steps longer than a quarter of the step"},

    {"solver", "map", "none", "how the contacts of a step are solved; see `capstan methods`"},
    {"solver.method", "method", "auto", "method for the whole problem"},
    {"solver.local", "local solver", "mfb+enum", "one-contact solver of the Gauss-Seidel methods"},
    {"solver.tolerance", "number > 0", "1e-6", "on the residual of a step; if given, also in motion"},
    {"solver.motion_tolerance", "number > 0", "none",
     "the same of large islands in motion; without it solver.tolerance, or 1e-4 if that is not given either"},
    {"solver.iterations", "count >= 1", "1000", "most iterations in a step"},
    {"solver.time_limit", "time >= 0", "0", "most CPU time for an island of a step; 0: none; results then vary"},
    {"solver.polish", "bool", "true", "what sticks is solved to rounding, so that it does not creep"},
    {"solver.freeze", "bool", "true", "Gauss-Seidel: skip settled contacts for a few sweeps"},
    {"solver.facets", "count >= 2", "4", "sides of the cone in the faceted methods, even and >= 4; any for lemke"},
    {"solver.facet_kind", "\"inner\" | \"outer\"", "inner", "whether the facets lie inside the cone or outside"},

    {"contact", "map", "none", "contacts that nothing else says anything about"},
    {"contact.mu", "number >= 0", "0.5", "coefficient of friction"},
    {"contact.restitution", "number in [0, 1]", "0", "coefficient of restitution"},
    {"contact.mu_everywhere", "number >= 0 | \"none\"", "none", "friction of every contact, whatever else is said"},
    {"contact.projection", "bool", "true", "push penetrating bodies apart between steps"},
    {"contact.coupling", "\"full\" | \"split\" | \"forward\"", "full",
     "friction and the elasticity of sheets and solids in one problem; or one after the other, to compare"},
    {"contact.slop", "length >= 0", "none", "penetration left alone; without it 1e-3 of the smallest body"},

    {"threads", "count in [1, 1024]", "1", "threads; never changes the result"},

    {"output", "map", "none", "what a result holds"},
    {"output.frames", "frequency > 0 | time > 0 | \"every step\"", "60 Hz", "how often the state is kept"},
    {"output.contacts", "bool", "true", "whether frames hold the contacts"},
    {"output.tension", "bool", "false", "whether frames hold the axial force of fibres"},
    {"output.velocity", "bool", "false",
     "whether frames hold the velocity of the points of fibres and the vertices of sheets"},
    {"output.fibre_points", "count in [2, 10000]", "none",
     "points of each fibre in a frame; without it four per element and one more, at most 64"},

    {"sweep", "map", "none", "what `capstan sweep` does with the scene if it is not told"},
    {"sweep.vary", "text", "none", "KEY=VALUES as `--vary` wants them; several are separated by `;`"},
    {"sweep.what", "text", "none", "quantities of its table, as `--what` wants them"},

    {"camera", "map", "none", "where pictures are taken from; without eye and target everything that moves is shown"},
    {"camera.eye", "length[3]", "none", "where the camera is; needs a target"},
    {"camera.target", "length[3]", "none", "what it looks at; needs an eye"},
    {"camera.view", "number[3]", "[-0.5, -1, 0.45]", "direction to see it from, in the place of eye and target"},
    {"camera.up", "number[3]", "[0, 0, 1]", "what is above in the picture"},
    {"camera.fov", "angle > 0", "30 deg", "angle between the lower and the upper edge, 1 to 150 deg"},
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
