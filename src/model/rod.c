// Rods: the table of models, and the construction of a rod from its definition.
#include "model/rod.h"

#include "core/error.h"
#include "model/discrete_rod.h"
#include "model/rod_shape.h"
#include "model/super_clothoid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double WAVES = 0.1;  // 0.01 and 1 also hold loads of 200 to 2000 times the mass of a rope

const CpsRodType* const cps_rod_types[CPS_ROD_MODEL_COUNT] = {
    [CPS_ROD_SUPER_HELIX] = &cps_rod_super_helix,
    [CPS_ROD_SUPER_HELIX_RECURSIVE] = &cps_rod_super_helix_recursive,
    [CPS_ROD_SUPER_CLOTHOID] = &cps_rod_super_clothoid,
    [CPS_ROD_MASS_SPRING] = &cps_rod_mass_spring,
    [CPS_ROD_CORDE] = &cps_rod_corde,
    [CPS_ROD_CORDE_EXPLICIT] = &cps_rod_corde_explicit,
    [CPS_ROD_DER] = &cps_rod_der,
    [CPS_ROD_DER_INEXTENSIBLE] = &cps_rod_der_inextensible,
    [CPS_ROD_DER_PROJECTED] = &cps_rod_der_projected,
};

static const char* const NAMES[CPS_ROD_MODEL_COUNT] = {
    [CPS_ROD_SUPER_HELIX] = "super-helix",
    [CPS_ROD_SUPER_HELIX_RECURSIVE] = "super-helix-recursive",
    [CPS_ROD_SUPER_CLOTHOID] = "super-clothoid",
    [CPS_ROD_MASS_SPRING] = "mass-spring",
    [CPS_ROD_CORDE] = "corde",
    [CPS_ROD_CORDE_EXPLICIT] = "corde-explicit",
    [CPS_ROD_DER] = "der",
    [CPS_ROD_DER_INEXTENSIBLE] = "der-inextensible",
    [CPS_ROD_DER_PROJECTED] = "der-projected",
};

const char* cps_rod_model_name(CpsRodModel model) {
  return (int)model >= 0 && model < CPS_ROD_MODEL_COUNT ? NAMES[model] : NULL;
}

bool cps_rod_model_find(const char* name, CpsRodModel* model) {
  for (int i = 0; name && i < CPS_ROD_MODEL_COUNT; ++i) {
    if (strcmp(name, NAMES[i]) != 0) continue;
    if (model) *model = (CpsRodModel)i;
    return true;
  }
  return false;
}

int32_t cps_rod_element_at(const CpsRodBranch* branch, double from) {
  int32_t last = branch->elements - 1;
  if (!(from < branch->length)) return last;
  if (!branch->joint) {
    int32_t i = (int32_t)(from / (branch->length / branch->elements));
    return i < last ? i : last;
  }
  int32_t low = 0;
  while (low < last) {
    int32_t middle = low + (last - low + 1) / 2;
    if (branch->joint[middle] <= from) {
      low = middle;
    } else {
      last = middle - 1;
    }
  }
  return low;
}

CpsRodPlace cps_rod_place(const CpsRodSpec* spec, double s) {
  int32_t b = 0;
  while (b + 1 < spec->branch_count && s >= spec->branch[b + 1].start) ++b;
  const CpsRodBranch* branch = &spec->branch[b];
  double from = fmax(s - branch->start, 0.0);
  int32_t i = cps_rod_element_at(branch, from);
  double size = cps_rod_element_size(branch, i), at = branch->joint ? branch->joint[i] : i * size;
  return (CpsRodPlace){b, branch->first_element + i, fmin(fmax(from - at, 0.0), size), size};
}

double cps_rod_wave_damping(const CpsModelStep* step, double tension, double density, double size) {
  const double h = step->h, waves = tension * h * h, own = 0.25 * density * size * size;
  if (!(step->theta < 1.0 && waves > own)) return 0.0;
  return WAVES * tension * waves * h / density * (1.0 - own / waves);
}

double cps_rod_taper(const CpsRodSpec* spec, double s) {
  const double L = spec->branch[0].length;
  return s > L ? 1.0 : 1.0 + (spec->taper - 1.0) * s / L;
}

// Mean of t^p over an interval with t = a, b at its ends: (b^(p+1) - a^(p+1)) / ((p + 1)(b - a)), written as a sum.
static double mean_taper(double a, double b, int power) {
  double sum = 0.0, of_a = 1.0;
  for (int k = 0; k <= power; ++k) {
    double of_b = 1.0;
    for (int i = k; i < power; ++i) of_b *= b;
    sum += of_a * of_b;
    of_a *= a;
  }
  return sum / (power + 1);
}

double cps_rod_trunk_taper(const CpsRodSpec* spec, int power) {
  return mean_taper(1.0, spec->taper, power);
}

double cps_rod_element_taper(const CpsRodSpec* spec, int32_t element, int power) {
  if (spec->taper == 1.0) return 1.0;
  const CpsRodBranch* trunk = &spec->branch[0];
  const double size = trunk->length / trunk->elements;
  if (!trunk->joint)
    // rounding must not mistake the tip for a branch
    return mean_taper(cps_rod_taper(spec, element * size),
                      cps_rod_taper(spec, fmin((element + 1) * size, trunk->length)), power);
  return mean_taper(cps_rod_taper(spec, trunk->joint[element]), cps_rod_taper(spec, trunk->joint[element + 1]), power);
}

double cps_rod_joint_taper(const CpsRodSpec* spec, int32_t joint) {
  if (spec->taper == 1.0) return 1.0;
  const double L = spec->branch[0].length, size = L / spec->branch[0].elements;
  return mean_taper(cps_rod_taper(spec, fmax((joint - 0.5) * size, 0.0)),
                    cps_rod_taper(spec, fmin((joint + 0.5) * size, L)), 4);
}

CpsVec3 cps_rod_edge_turn(CpsVec3 t, double length, CpsVec3 arm, CpsVec3 n) {
  CpsVec3 y = cps_vec3_axpy(cps_vec3_scale(cps_vec3_dot(t, arm), n), -cps_vec3_dot(n, t), arm);
  return cps_vec3_scale(1.0 / length, y);  // t.y = 0
}

CpsRigidMotion cps_rod_motion_added(double factor, const CpsRigidMotion* common, const CpsRigidMotion* more) {
  return (CpsRigidMotion){cps_vec3_axpy(more->velocity, 1.0 - factor, common->velocity),
                          cps_vec3_axpy(more->spin, 1.0 - factor, common->spin)};
}

double cps_rod_pull_stored(const CpsRod* rod, const CpsRodPull* pull) {
  CpsVec3 e = cps_vec3_sub(pull->rest, rod->type->at(rod, pull->s).position);
  return 0.5 * pull->stiffness * cps_vec3_dot(e, e);
}

// Section constants of an ellipse with half-axes a (second axis) and b (third axis):
//
//   S = pi a b,  I2 = pi a b^3 / 4,  I3 = pi a^3 b / 4,  J = pi a^3 b^3 / (a^2 + b^2)                             (1)
static void set_section(CpsRodBranch* branch, double a, double b, const CpsFibreDef* def) {
  double S = PI * a * b, I2 = PI * a * b * b * b / 4.0, I3 = PI * a * a * a * b / 4.0;
  double J = PI * a * a * a * b * b * b / (a * a + b * b), G = def->young / (2.0 * (1.0 + def->poisson));
  branch->radius = fmax(a, b);
  branch->line_density = def->density * S;
  branch->stiffness[0] = G * J;
  branch->stiffness[1] = def->young * I2;
  branch->stiffness[2] = def->young * I3;
  branch->rotary[0] = def->density * (I2 + I3);
  branch->rotary[1] = def->density * I2;
  branch->rotary[2] = def->density * I3;
}

// Values of the definition that replace those of the section; the rotary inertia scales with the mass.
static void set_trunk(CpsRodBranch* trunk, const CpsFibreDef* def, double length) {
  double b = isnan(def->radius_across) ? def->radius : def->radius_across;
  set_section(trunk, def->radius, b, def);
  trunk->parent = trunk->at = -1;
  trunk->rotation = cps_quat_identity();
  trunk->elements = def->elements;
  trunk->length = length;
  if (!isnan(def->line_density)) {
    for (int k = 0; k < 3; ++k) trunk->rotary[k] *= def->line_density / trunk->line_density;
    trunk->line_density = def->line_density;
  }
  if (!isnan(def->twisting)) trunk->stiffness[0] = def->twisting;
  for (int k = 0; k < 2; ++k) {
    if (!isnan(def->bending[k])) trunk->stiffness[k + 1] = def->bending[k];
  }
}

// Joints of elements with given lengths, scaled to fill the trunk.
static bool set_joints(CpsRodBranch* trunk, const double* lengths) {
  if (!lengths) return true;
  trunk->joint = malloc(((size_t)trunk->elements + 1) * sizeof *trunk->joint);
  if (!trunk->joint) return false;
  double sum = 0.0, done = 0.0;
  for (int32_t i = 0; i < trunk->elements; ++i) sum += lengths[i];
  for (int32_t i = 0; i < trunk->elements; ++i) {
    trunk->joint[i] = trunk->length * (done / sum);
    done += lengths[i];
  }
  trunk->joint[trunk->elements] = trunk->length;
  return true;
}

static bool set_branches(CpsRodSpec* spec, const CpsFibreDef* def, double length) {
  spec->branch_count = 1 + def->branch_count;
  spec->branch = calloc((size_t)spec->branch_count, sizeof *spec->branch);
  if (!spec->branch) return false;
  set_trunk(&spec->branch[0], def, length);
  if (!set_joints(&spec->branch[0], def->element_lengths)) return false;
  for (int32_t i = 0; i < def->branch_count; ++i) {
    const CpsFibreBranch* from = &def->branches[i];
    CpsRodBranch* to = &spec->branch[i + 1];
    set_section(to, from->radius, from->radius, def);
    to->parent = from->parent + 1;
    to->at = from->at;
    to->rotation = cps_quat_unit(from->rotation);
    to->elements = from->elements;
    to->length = from->length;
  }
  for (int32_t i = 0; i < spec->branch_count; ++i) {
    CpsRodBranch* branch = &spec->branch[i];
    memcpy(branch->defined, branch->stiffness, sizeof branch->defined);
    branch->start = spec->length;
    branch->first_element = spec->elements;
    spec->length += branch->length;
    spec->elements += branch->elements;
  }
  return true;
}

static CpsStatus make(const CpsFibreDef* def, CpsRod* rod, CpsRodShape* shape, CpsError* error) {
  CpsRodSpec* spec = &rod->spec;
  double b = isnan(def->radius_across) ? def->radius : def->radius_across;
  spec->stretch = isnan(def->stretching) ? def->young * PI * def->radius * b : def->stretching;
  spec->stretch_defined = spec->stretch;
  spec->taper = isnan(def->radius_tip) ? 1.0 : def->radius_tip / def->radius;
  spec->damping = def->damping;
  spec->drag = def->drag;
  spec->gravity = def->gravity;
  spec->root = def->root.kind;
  spec->tip = def->tip.kind;
  CpsStatus status = CPS_OK;
  double length = cps_rod_shape_length(def, &status, error);
  if (status != CPS_OK) return status;
  if (!set_branches(spec, def, length)) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a fibre");
  status = cps_rod_shape_sample(def, spec, shape, error);
  if (status != CPS_OK) return status;
  int64_t work = 0;
  rod->type->sizes(spec, &rod->dofs, &rod->state_count, &work);
  rod->state = calloc((size_t)(rod->state_count + work) + 1, sizeof(double));
  if (!rod->state)
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a fibre of %d elements", spec->elements);
  rod->work = rod->state + rod->state_count;
  int32_t last = CPS_ROD_SAMPLES * def->elements;
  rod->root.now = rod->root.next = (CpsPose){shape->point[0], shape->frame[0]};
  rod->tip.now = rod->tip.next = (CpsPose){shape->point[last], shape->frame[last]};
  status = rod->type->create(rod, shape, error);
  if (status == CPS_OK) rod->type->refresh(rod);
  return status;
}

CpsStatus cps_rod_create(const CpsFibreDef* def, CpsRod* rod, CpsError* error) {
  CpsRodShape shape = {0};
  *rod = (CpsRod){.type = cps_rod_types[def->model], .stiffened = 1.0};
  CpsStatus status = make(def, rod, &shape, error);
  cps_rod_shape_free(&shape);
  if (status != CPS_OK) cps_rod_free(rod);
  return status;
}

void cps_rod_free(CpsRod* rod) {
  if (rod->spec.branch) free(rod->spec.branch[0].joint);
  free(rod->spec.branch);
  free(rod->state);
  *rod = (CpsRod){0};
}
