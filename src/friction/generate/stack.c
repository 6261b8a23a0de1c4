// A wall of rigid boxes in running bond, with four contacts per pair of touching faces.
//
// Box k of course c stands on one or two boxes of the course below (or on the ground) and beside its neighbour. Four
// contacts on one face constrain six degrees of freedom with twelve rows, so W is singular and r is not unique. The
// contact frames are slightly tilted, as bricks are: the four normals of a face are equal, those of two faces differ.
// The ground shakes, gravity acts for one step, and a blow hits the middle of the wall. u = 0 is feasible (every box
// moves with the ground), so a solution exists. Model and numbers: docs/reference/generated-problems.md.
#include "core/error.h"
#include "friction/generate/generated.h"

#include <limits.h>

// m, kg, s
static const double SIZE_X = 0.25, SIZE_Y = 0.12, SIZE_Z = 0.065;
static const double DENSITY = 1800.0;
static const double STEP = 5e-3;
static const double TILT = 0.02;  // rad, of the faces

typedef struct Wall {
  int32_t width;  // boxes in a course
  int32_t box_count;
  int32_t contact_count;
  CpsRigid* boxes;            // NULL while counting
  CpsRigidContact* contacts;  // NULL while counting
  int32_t contact_limit;      // contacts requested: the rest is left out from the top
  CpsRandom random;
} Wall;

static CpsVec3 tilted(CpsRandom* random, CpsVec3 n) {
  return cps_vec3_unit(cps_vec3_axpy(n, TILT, cps_random_vec3(random)));
}

// Four contacts at the corners of a rectangle spanned by the half edges p and q.
static void add_face(Wall* wall, int32_t a, int32_t b, CpsVec3 centre, CpsVec3 p, CpsVec3 q, CpsVec3 n) {
  CpsVec3 normal = n, along = p, ground = cps_vec3(0.0, 0.0, 0.0);
  if (wall->contacts) {
    normal = tilted(&wall->random, n);
    double angle = 6.283185307179586 * cps_random_uniform(&wall->random);
    along = cps_vec3_add(cps_vec3_scale(cos(angle), cps_vec3_unit(p)), cps_vec3_scale(sin(angle), cps_vec3_unit(q)));
    ground = cps_vec3(0.06, 0.03, 0.0);
  }
  for (int corner = 0; corner < 4 && wall->contact_count < wall->contact_limit; ++corner) {
    CpsVec3 point = cps_vec3_axpy(centre, corner & 1 ? 1.0 : -1.0, p);
    point = cps_vec3_axpy(point, corner & 2 ? 1.0 : -1.0, q);
    if (wall->contacts)
      wall->contacts[wall->contact_count] =
          (CpsRigidContact){.a = a, .b = b, .point = point, .normal = normal, .along = along, .ground = ground};
    wall->contact_count++;
  }
}

static void place_box(Wall* wall, int32_t index, CpsVec3 centre) {
  double mass = DENSITY * SIZE_X * SIZE_Y * SIZE_Z;
  CpsMat3 inverse_inertia = {{12.0 / (mass * (SIZE_Y * SIZE_Y + SIZE_Z * SIZE_Z)), 0.0, 0.0,  //
                              0.0, 12.0 / (mass * (SIZE_X * SIZE_X + SIZE_Z * SIZE_Z)), 0.0,  //
                              0.0, 0.0, 12.0 / (mass * (SIZE_X * SIZE_X + SIZE_Y * SIZE_Y))}};
  // the blow: outwards and up, decreasing with the distance from the middle of the wall
  int32_t courses = (wall->box_count + wall->width - 1) / wall->width;
  double dx = centre.x - 0.5 * wall->width * SIZE_X, dz = centre.z - 0.6 * courses * SIZE_Z;
  double reach = 0.06 * (wall->width * SIZE_X + courses * SIZE_Z);
  double blow = 0.3 * exp(-(dx * dx + dz * dz) / (reach * reach));
  CpsVec3 jitter = cps_random_vec3(&wall->random);
  wall->boxes[index] = (CpsRigid){.centre = centre,
                                  .inverse_mass = 1.0 / mass,
                                  .inverse_inertia = inverse_inertia,
                                  .velocity = cps_vec3(0.1 * blow, blow, 0.2 * blow),
                                  .spin = cps_vec3_scale(0.02 + 0.5 * blow, jitter),
                                  .gain = cps_vec3(0.0, 0.0, -STEP * 9.81)};
}

// Builds boxes in sequence until there are box_limit boxes or contact_limit contacts.
static void build(Wall* wall, int32_t box_limit) {
  int32_t width = wall->width;
  wall->contact_count = 0;
  int32_t index = 0;
  for (; index < box_limit && (box_limit < INT32_MAX || wall->contact_count < wall->contact_limit); ++index) {
    int32_t course = index / width, place = index % width;
    double shift = course % 2 == 1 ? 0.5 * SIZE_X : 0.0;
    CpsVec3 centre = cps_vec3((place + 0.5) * SIZE_X + shift, 0.0, (course + 0.5) * SIZE_Z);
    CpsVec3 half_x = cps_vec3(0.5 * SIZE_X, 0.0, 0.0), half_y = cps_vec3(0.0, 0.5 * SIZE_Y, 0.0);
    CpsVec3 half_z = cps_vec3(0.0, 0.0, 0.5 * SIZE_Z), up = cps_vec3(0.0, 0.0, 1.0), right = cps_vec3(1.0, 0.0, 0.0);
    if (wall->boxes) place_box(wall, index, centre);
    CpsVec3 foot = cps_vec3_sub(centre, half_z);
    if (course == 0) {
      add_face(wall, -1, index, foot, half_x, half_y, up);
    } else {
      // the two halves of the lower face rest on different boxes; at the end of a course one of them overhangs
      int32_t below = index - width, left = course % 2 == 1 ? place : place - 1;
      CpsVec3 quarter = cps_vec3_scale(0.5, half_x);
      if (left >= 0) add_face(wall, below - place + left, index, cps_vec3_sub(foot, quarter), quarter, half_y, up);
      if (left + 1 < width)
        add_face(wall, below - place + left + 1, index, cps_vec3_add(foot, quarter), quarter, half_y, up);
    }
    if (place > 0) add_face(wall, index - 1, index, cps_vec3_sub(centre, half_x), half_y, half_z, right);
  }
  wall->box_count = index;
}

CpsStatus cps_generate_stack(const CpsGenerateDef* def, CpsGenerated* out, CpsError* error) {
  Wall wall = {.contact_limit = def->contact_count, .random = cps_random_seed(def->seed)};
  // about twelve contacts per box; 1.5 times as wide as high
  double guess = def->body_count > 0 ? (double)def->body_count : def->contact_count / 12.0;
  wall.width = (int32_t)fmax(1.0, round(1.5 * sqrt(guess * SIZE_Z / SIZE_X)));
  build(&wall, def->body_count > 0 ? def->body_count : INT32_MAX);
  if (wall.contact_count < def->contact_count)
    return cps_fail(error, CPS_BAD_ARGUMENT, "a wall of %d boxes has %d contacts, fewer than %d", (int)wall.box_count,
                    (int)wall.contact_count, (int)def->contact_count);
  int32_t box_count = wall.box_count;
  wall.boxes = CPS_TAKE(&out->arena, CpsRigid, box_count);
  wall.contacts = CPS_TAKE(&out->arena, CpsRigidContact, def->contact_count);
  if (!wall.boxes || !wall.contacts)
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for %d contacts", (int)def->contact_count);
  build(&wall, box_count);
  return cps_generated_from_rigid(box_count, wall.boxes, def->contact_count, wall.contacts, out, error);
}
