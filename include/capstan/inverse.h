/// @file inverse.h Inverse design of fibres: finds natural shapes for which fibres are at equilibrium in their current
/// shape. See docs/theory/inverse.md.
///
///     cps_world_add_fibre(world, &def, &id, &error);       // as it was drawn, or scanned
///     cps_world_invert(world, NULL, &info, &error);        // from now on it hangs like this
///
/// Natural strains are the strains of an unloaded fibre, in the variables of its model:
///
/// - CPS_ROD_SUPER_HELIX and ..._RECURSIVE: the curvature of each element, on all branches, 1/m; no lengths;
/// - CPS_ROD_SUPER_CLOTHOID: the curvature at each joint, both ends included, 1/m; no lengths;
/// - CPS_ROD_DER: curvature times length at each joint, and the rest length of each segment, m;
/// - CPS_ROD_DER_INEXTENSIBLE and ..._PROJECTED: curvature times length at each joint; no lengths;
///
/// each as (twist, bending about the second axis, bending about the third axis) in the material frame. The joints of a
/// discrete elastic rod are its inner vertices and its clamped ends. Other models have no natural strains.
#ifndef CAPSTAN_INVERSE_H
#define CAPSTAN_INVERSE_H

#include "capstan/fibre.h"
#include "capstan/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Number of natural strains of a fibre.
typedef struct CpsNaturalCounts {
  int32_t strains;  ///< vectors of natural strains
  int32_t lengths;  ///< rest lengths; 0 if the model is inextensible
} CpsNaturalCounts;
/// Counts the natural strains of a fibre.
/// @return CPS_OK, CPS_BAD_ARGUMENT, or CPS_UNSUPPORTED for a model without natural strains
CPS_API CpsStatus cps_world_fibre_natural_counts(const CpsWorld* world, CpsFibreId id, CpsNaturalCounts* counts);
/// Reads them.
/// @param[out] strains  as many as counted; may be NULL
/// @param[out] lengths  as many as counted, m; may be NULL
/// @return as cps_world_fibre_natural_counts()
CPS_API CpsStatus cps_world_fibre_natural(const CpsWorld* world, CpsFibreId id, CpsVec3* strains, double* lengths);
/// Sets the natural strains, without rounding. Saved states and results include them.
/// @param strains  as many as counted, finite; NULL: unchanged
/// @param lengths  as many as counted, m, > 0; NULL: unchanged
CPS_API CpsStatus cps_world_set_fibre_natural(CpsWorld* world, CpsFibreId id, const CpsVec3* strains,
                                              const double* lengths, CpsError* error);
/// What inverted rest lengths are more than their doubles can say: without it a rod of many elements balances to about
/// 1e-10 of the moment of its weight, with it to rounding. 0 for lengths that were set.
/// @param[out] residues  as many as counted lengths, m; not NULL
/// @return as cps_world_fibre_natural_counts()
CPS_API CpsStatus cps_world_fibre_length_residues(const CpsWorld* world, CpsFibreId id, double* residues);
/// Sets them, after the lengths: cps_world_set_fibre_natural() makes them 0.
/// @param residues  as many as counted lengths, m, each at most 1e-15 of its length; not NULL
/// @return CPS_OK; CPS_UNSUPPORTED for a model without rest lengths; CPS_BAD_ARGUMENT or CPS_BAD_DATA
CPS_API CpsStatus cps_world_set_fibre_length_residues(CpsWorld* world, CpsFibreId id, const double* residues,
                                                      CpsError* error);

/// Scales the stiffness of a fibre in bending, twisting and stretching relative to its definition. Natural strains are
/// unchanged.
/// @param factor  > 0, finite
/// @return CPS_OK; CPS_UNSUPPORTED for a model without natural strains; CPS_BAD_ARGUMENT or CPS_BAD_DATA
CPS_API CpsStatus cps_world_set_fibre_stiffened(CpsWorld* world, CpsFibreId id, double factor, CpsError* error);

/// Preferred natural shape of a fibre supported by contacts: the inversion minimises the elastic energy relative to it.
typedef enum CpsGuess {
  CPS_GUESS_AS_PLACED = 0,  ///< the current shape: contacts carry as much of the weight as possible
  CPS_GUESS_STRAIGHT = 1,   ///< straight: contacts explain as much of the shape as possible
  CPS_GUESS_TIP = 2,        ///< the curvature of its tip, everywhere
  CPS_GUESS_NATURAL = 3     ///< its current natural shape
} CpsGuess;

/// Options of an inversion. Always start from cps_invert_options_default().
typedef struct CpsInvertOptions {
  bool contacts;             ///< let contacts carry load. Default true
  CpsGuess guess;            ///< see CpsGuess. Default CPS_GUESS_AS_PLACED
  double margin;             ///< relative distance of contact forces from the boundary of their cones, in [0, 1).
                             ///< Default 0.05
  double compliance;         ///< of each contact, relative to the mean compliance of the fibres at contacts, in [0, 1]:
                             ///< selects small forces among those with the same effect. NaN: 1e-6, or 1e-3 with 2000
                             ///< contacts and more, where less takes much longer. Default NaN
  double tolerance;          ///< residual of the contact forces, > 0. Fibres are in equilibrium for any value. Default
                             ///< 1e-6
  int32_t max_sweeps;        ///< sweeps over all contacts, in all rounds together, >= 1. Default 200
  bool stability;            ///< determine which fibres are stable. Default true
  bool stiffen;              ///< stiffen unstable fibres until they are stable. Default false
  double stiffen_margin;     ///< additional stiffness beyond the limit of stability, relative, in [0, 10]. Default 0.1
  double stiffen_most;       ///< largest stiffening factor; fibres that would need more are left unchanged, >= 1.
                             ///< Default 10
  int32_t fibre_count;       ///< number of entries in `fibres`, if that is not NULL. Default 0
  const CpsFibreId* fibres;  ///< fibres to invert; NULL: all fibres of the world. Default NULL
  int cookie;                ///< set by the default function
} CpsInvertOptions;
/// The defaults named above.
CPS_API CpsInvertOptions cps_invert_options_default(void);

/// Report of an inversion.
typedef struct CpsInvertInfo {
  int32_t fibre_count;      ///< fibres considered
  int64_t element_count;    ///< their elements or segments
  int32_t inverted_count;   ///< fibres that are now at equilibrium
  int32_t refused_count;    ///< fibres that cannot be inverted and keep their natural strains
  int32_t unstable_count;   ///< inverted, but in unstable equilibrium, or amplified by the time step (CpsFibreDoubt); 0
                            ///< without `stability`
  int32_t unjudged_count;   ///< inverted, but their stability cannot be determined (CPS_DOUBT_UNKNOWN); 0 without
                            ///< `stability`
  int32_t stiffened_count;  ///< stiffened fibres
  double balance;           ///< largest remaining force, relative to the moment of the weight and the pulls
  double least_factor;      ///< largest factor by which a fibre would have to be stiffer to be stable; 0: all are
                            ///< stable
  double most_stiffened;    ///< largest stiffening factor applied; 1: none
  int32_t contact_count;    ///< contacts that may carry load: closed contacts of the next step
  int32_t carrying_count;   ///< of these, with a force
  int32_t limit_count;      ///< of these, at the limit of friction (less the margin)
  int32_t overlap_count;    ///< contacts deeper than 1.5 times the smaller radius, which carry no load
  int32_t unsteady_count;   ///< contacts that could carry load but would make their fibre unstable, and so carry none;
                            ///< 0 without `stability`
  int32_t loose_count;      ///< contacts that carry no load: between inverted fibres and objects that are neither
                            ///< inverted nor obstacles
  double residual;          ///< of the contact forces
  int64_t sweeps;           ///< number of sweeps used
  int64_t steps;            ///< Newton steps after the sweeps, in all rounds together
  double bending_left;      ///< square root of the ratio of the elastic energy with contacts to that without; 1:
                            ///< contacts have no effect
  double lifted;            ///< weight carried by obstacles, relative to the weight of all inverted fibres
  CpsFibreId refused;       ///< the first fibre that could not be inverted; {0, 0}: none
  CpsFibreId unstable;      ///< the first unstable fibre; {0, 0}: none
} CpsInvertInfo;

/// Changes the natural strains of fibres so that each is at equilibrium in its current shape under its weight, the
/// current pulls and the forces of its contacts with obstacles and other inverted fibres: the next step leaves it in
/// place. The contact forces lie in their friction cones and leave as little as possible to bending and twisting
/// (docs/theory/inverse.md); the next step starts from them. Nothing else changes, except the stiffness, if requested,
/// and the multipliers that keep the lengths of CPS_ROD_DER_INEXTENSIBLE and CPS_ROD_DER_PROJECTED. Other contacts,
/// ties and held tips carry no load. A moving fibre keeps its velocity. Fibres with pinned or free roots need contacts
/// that support them. Stability is determined for each fibre separately under these forces, held where it touches
/// obstacles; if each is stable, so is the whole. The result does not depend on the number of threads.
/// @param options  NULL: the defaults
/// @param info     out; may be NULL
/// @return CPS_OK; CPS_NO_SOLUTION if some fibres were refused (the error names the first; the others are inverted);
///         CPS_BAD_ARGUMENT, CPS_BAD_DATA or CPS_NO_MEMORY
CPS_API CpsStatus cps_world_invert(CpsWorld* world, const CpsInvertOptions* options, CpsInvertInfo* info,
                                   CpsError* error);
/// The same for one fibre; `fibres` of the options is ignored.
CPS_API CpsStatus cps_world_invert_fibre(CpsWorld* world, CpsFibreId id, const CpsInvertOptions* options,
                                         CpsInvertInfo* info, CpsError* error);

/// What the last inversion of a world did, also that of cps_scene_build(); zeroed where there was none.
CPS_API CpsInvertInfo cps_world_last_inversion(const CpsWorld* world);

/// What the last inversion made of one fibre. Zeroed: it was not inverted.
typedef struct CpsFibreRest {
  bool inverted;        ///< it has natural strains that keep it at rest where it is
  bool refused;         ///< there are none: it keeps those it had
  bool unstable;        ///< inverted, but a breath moves it away
  bool stiffened;       ///< it was made stiffer, and is stable by that
  double least_factor;  ///< factor on the stiffness it had that makes it stable under its contact forces; 0: it was
                        ///< stable, or was not judged; infinite: none does
} CpsFibreRest;
/// Reads that.
/// @return CPS_OK or CPS_BAD_ARGUMENT
CPS_API CpsStatus cps_world_fibre_rest(const CpsWorld* world, CpsFibreId id, CpsFibreRest* rest);

/// Why a fibre that was inverted may not stay where it is.
typedef enum CpsFibreDoubt {
  CPS_DOUBT_NONE = 0,      ///< it is stable; or not inverted, see CpsFibreRest; or inverted without `stability`
  CPS_DOUBT_UNSTABLE = 1,  ///< its equilibrium is unstable; CpsFibreRest::unstable is set
  CPS_DOUBT_STEP = 2,      ///< its equilibrium is stable, but time steps of this size and theta amplify the smallest
                           ///< movement; CpsFibreRest::unstable is set
  CPS_DOUBT_LOADED = 3,    ///< it touches an object that is neither inverted nor an obstacle, which will push it
  CPS_DOUBT_TIED = 4,      ///< a tie may pull on it
  CPS_DOUBT_UNKNOWN = 5    ///< its stability cannot be determined: its root is not clamped, it is a super-model that
                           ///< would be unstable if its tip were not held, or contacts carry it at theta < 1
} CpsFibreDoubt;
/// Reads that for the last inversion, with the ties of now. CPS_DOUBT_NONE for fibres that do not exist.
CPS_API CpsFibreDoubt cps_world_fibre_doubt(const CpsWorld* world, CpsFibreId id);

/// The problem whose solution is the contact forces that an inversion would find: u = W r + b with the law `convex`
/// (problem.h). W is the compliance of the fibres where they touch, m/N; b is how far the natural shape without
/// contacts would be from the guess there, m. Roots that are not clamped are in W with their penalty. Nothing changes,
/// except that the contacts of the last step are forgotten. Use it to save the problem or to solve it by another method.
/// @param[out] problem  the caller's to destroy; no contacts where nothing may carry
CPS_API CpsStatus cps_world_invert_problem(CpsWorld* world, const CpsInvertOptions* options, CpsProblem** problem,
                                           CpsError* error);

/// Shortens a fibre: the rest keeps its shape, natural strains, stiffness and root, and its velocity is zero.
/// Super-helices are cut at any length, super-clothoids at the nearest joint. Pulls and ties on the fibre are removed.
/// @param id      in: the fibre; out: its new id, in the same slot
/// @param length  m, > 0; a shorter fibre is unchanged
/// @return CPS_OK; CPS_UNSUPPORTED for other models, branches or a held tip; CPS_BAD_ARGUMENT, CPS_BAD_DATA or
/// CPS_NO_MEMORY
CPS_API CpsStatus cps_world_trim_fibre(CpsWorld* world, CpsFibreId* id, double length, CpsError* error);

/// Whether a fibre at equilibrium is stable.
typedef struct CpsFibreStability {
  double least_factor;  ///< smallest factor on its stiffness (with matching natural strains) for which it is stable in
                        ///< its current shape; 0: stable for any stiffness
  bool stable;          ///< least_factor < 1
} CpsFibreStability;
/// Computes the smallest factor on the stiffness, to a relative accuracy of 1e-10.
/// @return CPS_OK; CPS_UNSUPPORTED for a root that is not clamped, a super-model whose tip is held, or a model without
///         natural strains; CPS_BAD_ARGUMENT or CPS_NO_MEMORY
CPS_API CpsStatus cps_world_fibre_stability(CpsWorld* world, CpsFibreId id, CpsFibreStability* stability,
                                            CpsError* error);

/// Report of cps_world_settle_fibre().
typedef struct CpsSettleInfo {
  int32_t iterations;  ///< of Newton's method
  double balance;      ///< remaining force, relative to the moment of the weight and the pulls
  bool stable;         ///< whether the equilibrium is a minimum of the energy
} CpsSettleInfo;
/// Moves a fibre to static equilibrium under its weight and the pulls on it: a minimum of the energy close to its
/// current shape, by Newton's method. Its velocity becomes zero. Contacts and ties are ignored. Requires a clamped root
/// and, for super-models, a free tip.
/// @param info  out; may be NULL
/// @return CPS_OK; CPS_NOT_CONVERGED (it is closer to equilibrium, with zero velocity); CPS_UNSUPPORTED,
/// CPS_BAD_ARGUMENT or CPS_NO_MEMORY
CPS_API CpsStatus cps_world_settle_fibre(CpsWorld* world, CpsFibreId id, CpsSettleInfo* info, CpsError* error);

#ifdef __cplusplus
}
#endif

#endif
