// Grains as a continuum: particles carry the medium, a grid serves for each step, and each cell has one stress tensor. The
// equations are in docs/theory/grains.md; grains.c implements the model interface.
#ifndef CAPSTAN_MODEL_GRAINS_H
#define CAPSTAN_MODEL_GRAINS_H

#include "capstan/grains.h"
#include "model/grain_grid.h"
#include "model/grain_tensor.h"
#include "model/model.h"

enum { CPS_TENSOR_MOST = 6 };  // rows of a block in space

// Grains that leave a round mouth, one layer of particles at a time. The particles of a layer are contiguous in the arrays.
typedef struct CpsGrainSpout {
  int32_t layers, each;  // each: number of particles per layer
  CpsVec3 mouth, v;      // its centre; velocity
  double radius, thickness, fraction;
  double from, interval;  // s: layer k leaves at from + (k + 1/2) interval
} CpsGrainSpout;

// Material of the particles added together.
typedef struct CpsGrainGroup {
  double mu;            // of the medium: |Dev| <= mu p
  double own_mu;        // its defined value
  double fraction_max;  // volume fraction of the densest packing
  CpsMaterialId material;
  double wall_mu;              // against walls; NaN: from the pair of materials
  double viscosity, cohesion;  // Pa s, Pa
  double grain, mu_fast, I_0;  // of mu(I); grain = 0: constant mu
  int32_t first;               // particle
  CpsGrainSpout spout;         // layers = 0: no spout
  char* name;                  // owned; NULL: none
} CpsGrainGroup;

// Contributions of the particles of a cell to the stress of a corner, weighted there: sums of V times the quantities averaged in
// CpsGrainStress. Arrays, because they are numerous.
enum {
  CPS_PART_VOLUME,
  CPS_PART_MU,
  CPS_PART_VISCOSITY,
  CPS_PART_COHESION,
  CPS_PART_GAP,
  CPS_PART_FRACTION,
  CPS_PART_GUESS,
  CPS_PART_SIZE = CPS_PART_GUESS + CPS_TENSOR_MOST
};
typedef double CpsGrainPart[CPS_PART_SIZE];

// A stress of the medium in a step.
typedef struct CpsGrainStress {
  double volume;                  // of the grains that carry it, m^3
  double unit;                    // s of grain_stress.c, (4)
  double mu;                      // their mean
  double viscosity, cohesion;     // mean per volume of densest packing, Pa s; mean, Pa
  double gap;                     // volume by which they may still compact, m^3 of grains
  double fraction;                // mean of the space that grains take
  double guess[CPS_TENSOR_MOST];  // mean stress carried before, Pa; once solved, the present stress
  double dilation, closing;       // once solved: h div v if > 0, else the part of the gap that was closed
  uint8_t status;                 // CpsContactStatus
} CpsGrainStress;

typedef struct CpsGrains {
  CpsModel model;
  CpsModelType table;
  CpsGrainGrid grid;
  int32_t per;  // particles of a filled cell along each axis; 0: no grid
  int32_t group_count, group_capacity;
  CpsGrainGroup* group;
  int32_t count, capacity;  // of particles
  // fixed
  double *mass, *volume;  // kg; m^3 of grains without their pores
  int32_t* group_of;
  // state
  CpsVec3 *x, *v;
  CpsMat3* C;                         // gradient of the velocity, 1/s
  double* fraction;                   // volume fraction of grains around the particle
  double (*stress)[CPS_TENSOR_MOST];  // chi^-1 of minus the stress of the grains, Pa
  uint8_t* status;                    // CpsContactStatus of its cell in the last step
  // of the step: nodes,
  int32_t node_capacity;
  double* node_mass;
  bool* light;  // too light to be pushed: no block acts on it
  CpsVec3 *before, *free, *after;
  // M~, diagonal, in the form that the world expects
  int64_t* M_start;
  int32_t* M_column;
  double* M_value;
  // stresses: of a cell, or of the neighbourhood of a node, with particles weighted there
  CpsStressAt at;
  int32_t stress_count, stress_capacity;
  CpsGrainStress* at_stress;
  int32_t* stress_node;  // at nodes: index of the stress; and back, -1: too light for one
  int32_t* node_stress;
  // gradients of each at its nodes that are not light: sqrt(2/S) sum of V w grad N, in the unit of the block
  int64_t* seen_start;  // stress_count + 1 offsets into
  int64_t seen_capacity;
  int32_t* seen;
  CpsVec3* seen_gradient;
  // cells,
  int32_t cell_capacity;
  double* volume_in;  // of grains, m^3
  // and corners of cells
  double* part_mass;
  CpsVec3* part_momentum;
  CpsGrainPart* part;
  CpsVec3* gradient;  // stresses at cells: sum over particles of V grad N, m^2
  double* moment;     // stresses at nodes: those of each cell, grain_moments.c
  // grain_crowd.c, if there are grains without friction
  CpsGrainGrid crowd_grid;
  int32_t crowd_capacity;
  struct CpsCrowdNode* crowd;
  bool broken, starved;  // starved: out of memory
  bool squeezed;         // broken by unbounded impulses
  bool keep_volume;      // of grains with friction as well
  int64_t version;
  double way;                // largest displacement of a particle along an axis in the last step, m
  CpsModelEnergy work;       // of the last step
  double mu_set;             // replaces the mu of all grains; NaN: not set
  double transfer;           // kinetic energy lost in the transfer from particles to nodes, J
  double poured, poured_at;  // energy of particles that left spouts in the step beginning at this time, J, s
} CpsGrains;

// The medium of the plane (2: x and z, one metre deep) or of space (3) on cells of this size; NULL if memory runs out.
CpsGrains* cps_grains_create(int dim, double cell);
// Reserves room for more particles; false if memory runs out.
bool cps_grains_reserve(CpsGrains* grains, int32_t more);
// grain_fill.c: validates a definition; adds particles, `per` along each axis of a filled cell.
CpsStatus cps_grid_check(const CpsGridDef* def, CpsError* error);
CpsStatus cps_grains_check(const CpsGrainsDef* def, bool plane, CpsError* error);
CpsStatus cps_grains_add(CpsGrains* grains, const CpsGrainsDef* def, int32_t per, CpsError* error);
int64_t cps_grains_bytes(const CpsGrains* grains);
// Nodes and cells under the particles, and their data at the beginning of a step; false: a particle is lost or memory runs out.
bool cps_grains_lay(CpsGrains* grains, const CpsModelStep* step);

// grain_spout.c: a spout laid out on a grid, and its particles in a layer: each has a place in the mouth; those that leave in a step.
// A particle that has not left yet has the fraction 0 and belongs to no cell.
double cps_grain_spout_area(double radius, bool plane);  // of the mouth, m^2; plane: one metre deep
double cps_grain_spout_count(const CpsGrainsDef* def, double spacing, bool plane);  // of particles
CpsGrainSpout cps_grain_spout(const CpsGrainsDef* def, double spacing, bool plane);
CpsVec3 cps_grain_spout_place(const CpsGrainSpout* spout, bool plane, int32_t i);  // of the first layer
CpsVec3 cps_grain_spout_turn(const CpsGrainSpout* spout, bool plane, int32_t layer,
                             CpsVec3 place);  // the same of another one
void cps_grains_pour(CpsGrains* grains, const CpsModelStep* step);
static inline bool cps_grain_waits(const CpsGrains* m, int32_t p) {
  return !(m->fraction[p] > 0.0);
}

// grain_transfer.c: particles to nodes, false: memory runs out; nodes to particles, which move.
bool cps_grains_to_nodes(CpsGrains* grains, const CpsModelStep* step);
void cps_grains_to_particles(CpsGrains* grains, const CpsModelStep* step);

// grain_calm.c: makes the velocities of the particles of a cell affine
void cps_grains_calm(CpsGrains* grains, int32_t cell);
// and replaces sums over the particles of a full cell by integrals over the cell; both only in cells without friction
void cps_grains_fill_cell(CpsGrains* grains, int32_t cell);

// grain_crowd.c: moves crowded particles apart, those without friction, or all if the grid keeps their volume, using at most
// `budget` of energy against gravity; returns that energy, J
bool cps_grains_may_crowd(const CpsGrains* grains);  // whether there are such particles
double cps_grains_uncrowd(CpsGrains* grains, const CpsModelStep* step, double budget);
void cps_grains_crowd_free(CpsGrains* grains);

// grain_room.c: excess, densest and at of the particles at their current positions; false: memory runs out
bool cps_grains_find_room(const CpsGrains* grains, CpsGrainsRoom* room);
// grain_transfer.c: moves a particle to a place, as far as walls allow; its affine part gains no energy
void cps_grains_displace(CpsGrains* grains, const CpsModelStep* step, int32_t p, CpsVec3 to);

// grain_moments.c: 9 moments of a cell in the plane or 27 in space: of a particle of this volume at s; of a cell evenly filled with this
// volume; for a corner c the sums over particles of V N_c grad N_d for each corner d.
static inline int cps_grain_moment_count(int dim) {
  return dim == 2 ? 9 : 27;
}
void cps_grain_moments_add(int dim, double volume, CpsVec3 s, double* moment);
void cps_grain_moments_fill(int dim, double volume, double* moment);
void cps_grain_moments_gradients(const CpsGrainGrid* grid, const double* moment, int c, CpsVec3* out);

// grain_rheology.c: stresses of grains besides friction: viscosity, including the effect of the inertial number, Pa s, and cohesion, Pa
double cps_grains_viscosity(const CpsGrains* grains, int32_t p);
double cps_grains_cohesion(const CpsGrains* grains, int32_t p);

// grain_immerse.c: functions of model.h
int cps_grains_immerse(const CpsModel* model, int32_t member, CpsVec3 place, CpsVec3 along, CpsPatchNode* nodes,
                       double* pressure);
bool cps_grains_are_flat(const CpsModel* model);
int cps_grains_immerse_surface(const CpsModel* model, int32_t member, CpsVec3 place, CpsVec3 normal,
                               CpsPatchNode* nodes, bool there[2], double pressure[2]);

// grain_join.c: joins light nodes of a surface to heavy ones; `full` is the mass of a node in a dense medium.
void cps_grains_join(CpsGrains* grains, const CpsModelStep* step, double full);

CpsVec3 cps_grains_spread(const CpsGrainGrid* grid, CpsVec3 x);  // D of a particle
double cps_grains_kinetic(const CpsGrains* grains);              // of the particles now, with their affine part, J

// grain_stress.c: finds stresses from cells and nodes, `full` the mass of a node in a dense medium, false: memory runs out; one of them as
// a block of the problem; its u for velocities of the nodes.
bool cps_grains_list_stresses(CpsGrains* grains, double full, CpsPool* pool);
typedef struct CpsGrainBlock {
  int rows;
  double mu;                      // of the cone of vectors
  double shift;                   // of the first row, m/s
  double dashpot, cohesion;       // kg, N s
  double guess[CPS_TENSOR_MOST];  // r, N s
  double scale;                   // r = scale h chi^-1(stress)
  int32_t node_count;             // number of its nodes
  const int32_t* node;
  const CpsVec3* gradient;  // u += A v, A = cps_tensor_block() of it
} CpsGrainBlock;
void cps_grains_block(const CpsGrains* grains, const CpsModelStep* step, int32_t i, CpsGrainBlock* block);
void cps_grains_block_velocity(const CpsGrains* grains, int32_t i, const CpsVec3* v, double* u);
// Result of the solver for one stress: r and its status.
void cps_grains_take(CpsGrains* grains, const CpsModelStep* step, int32_t i, const double* r, uint8_t status);

// grain_state.c: functions of model.h
bool cps_grains_view(const CpsModel* model, int32_t member, CpsQuantity quantity, CpsArrayView* view);
int64_t cps_grains_read(const CpsModel* model, int32_t member, CpsQuantity quantity, double* values, size_t stride);
uint64_t cps_grains_hash(const CpsModel* model, uint64_t hash);
size_t cps_grains_state_size(const CpsModel* model);
void cps_grains_save(const CpsModel* model, void* bytes);
CpsStatus cps_grains_check_state(const CpsModel* model, const void* bytes, size_t size, CpsError* error);
void cps_grains_load(CpsModel* model, const void* bytes);

#endif
