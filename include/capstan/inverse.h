/// @file inverse.h
/// Inverse design of fibres: natural shapes for which fibres are at rest where they are. docs/theory/inverse.md.
///
///     cps_world_add_fibre(world, &def, &id, &error);       // as it was drawn, or scanned
///     cps_world_invert(world, NULL, &info, &error);        // from now on it hangs like this
///
/// Natural strains are the strains of a fibre without any load, in the numbers that its model computes with:
///
/// | model                                      | strains                        | a strain is                           | lengths |
/// |--------------------------------------------|--------------------------------|---------------------------------------|---------|
/// | CPS_ROD_SUPER_HELIX, ..._RECURSIVE         | of each element, all branches  | a curvature, 1/m                      | none    |
/// | CPS_ROD_SUPER_CLOTHOID                     | at each joint, both ends too   | a curvature, 1/m                      | none    |
/// | CPS_ROD_DER                                | of each joint                  | a curvature times the joint's length  | of each segment, m |
/// | CPS_ROD_DER_INEXTENSIBLE, ..._PROJECTED    | of each joint                  | the same                              | none    |
///
/// each as (twist, bending about the second axis, bending about the third axis) in the material frame. Joints of a discrete
/// elastic rod are its inner vertices, and its clamped ends. Other models have no such strains.
#ifndef CAPSTAN_INVERSE_H
#define CAPSTAN_INVERSE_H

#include "capstan/fibre.h"
#include "capstan/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How many natural strains a fibre has.
typedef struct CpsNaturalCounts {
  int32_t strains;  ///< vectors of natural strains
  int32_t lengths;  ///< lengths at rest; 0 where the model does not stretch
} CpsNaturalCounts;
/// Counts them.
/// @return CPS_OK, CPS_BAD_ARGUMENT, or CPS_UNSUPPORTED for a model without natural strains
CPS_API CpsStatus cps_world_fibre_natural_counts(const CpsWorld* world, CpsFibreId id, CpsNaturalCounts* counts);
/// Reads them.
/// @param[out] strains  as many as counted; NULL: not wanted
/// @param[out] lengths  as many as counted, m; NULL: not wanted
/// @return as cps_world_fibre_natural_counts()
CPS_API CpsStatus cps_world_fibre_natural(const CpsWorld* world, CpsFibreId id, CpsVec3* strains, double* lengths);
/// Sets them, bit by bit as given. Saved states and results hold them.
/// @param strains  as many as counted, finite; NULL: they stay
/// @param lengths  as many as counted, m, > 0; NULL: they stay
CPS_API CpsStatus cps_world_set_fibre_natural(CpsWorld* world, CpsFibreId id, const CpsVec3* strains,
                                              const double* lengths, CpsError* error);

/// Makes a fibre a factor as stiff as its definition says, in bending, twisting and stretching. Natural strains stay.
/// @param factor  > 0, finite
/// @return CPS_OK; CPS_UNSUPPORTED for a model without natural strains; CPS_BAD_ARGUMENT or CPS_BAD_DATA
CPS_API CpsStatus cps_world_set_fibre_stiffened(CpsWorld* world, CpsFibreId id, double factor, CpsError* error);

/// The natural shape from which a fibre that contacts hold departs as little as it can, in elastic energy.
typedef enum CpsGuess {
  CPS_GUESS_AS_PLACED = 0,  ///< the shape where it is: contacts are to carry what they can of the weight
  CPS_GUESS_STRAIGHT = 1,   ///< straight: contacts are to explain what they can of the shape
  CPS_GUESS_TIP = 2,        ///< the curvature of its tip, everywhere
  CPS_GUESS_NATURAL = 3     ///< the natural shape that it has
} CpsGuess;

/// How a world is inverted. Always start from cps_invert_options_default().
typedef struct CpsInvertOptions {
  bool contacts;   ///< contacts carry what they can. Default true
  CpsGuess guess;  ///< see CpsGuess. Default CPS_GUESS_AS_PLACED
  double margin;   ///< forces of contacts stay this much inside of their cones, relative, in [0, 1). Default 0.05
  double
      compliance;  ///< of each contact, over the mean compliance of the fibres at contacts, in [0, 1]: among forces that
                   ///< do the same to the fibres small ones win. Default 1e-6
  double tolerance;    ///< residual to which forces are found, > 0. Fibres are in balance whatever it is. Default 1e-4
  int32_t max_sweeps;  ///< over all contacts and in all rounds together, >= 1. Default 200
  bool stability;      ///< find out which fibres are stable. Default true
  bool stiffen;        ///< make fibres that are not stable as stiff as they must be. Default false
  double stiffen_margin;  ///< by how much stiffer than just stable, relative, in [0, 10]. Default 0.1
  double stiffen_most;    ///< fibres that would have to be this many times stiffer stay as they are, >= 1. Default 10
  int32_t fibre_count;    ///< of `fibres`; read if that is not NULL. Default 0
  const CpsFibreId* fibres;  ///< those that are inverted; NULL: all of the world. Default NULL
  int cookie;                ///< set by the default function
} CpsInvertOptions;
/// The defaults named above.
CPS_API CpsInvertOptions cps_invert_options_default(void);

/// What an inversion did.
typedef struct CpsInvertInfo {
  int32_t fibre_count;      ///< fibres that were looked at
  int64_t element_count;    ///< their elements or segments
  int32_t inverted_count;   ///< those that are at rest now
  int32_t refused_count;    ///< those that cannot be and keep their natural strains
  int32_t unstable_count;   ///< inverted, but a breath moves them away; 0 without `stability`
  int32_t unjudged_count;   ///< inverted, with ends for which stability is not known; 0 without `stability`
  int32_t stiffened_count;  ///< made stiffer
  double balance;           ///< largest force that is left, relative to the moment of the weight and the pulls
  double least_factor;      ///< the most that a fibre would have to be stiffer to be just stable; 0: all are stable
  double most_stiffened;    ///< the largest factor that was applied; 1: none
  int32_t contact_count;    ///< contacts that may carry: those of the next step that touch
  int32_t carrying_count;   ///< of these, with a force
  int32_t limit_count;      ///< of these, at the limit of friction (less the margin)
  int32_t overlap_count;    ///< contacts that are deeper than one and a half of the smaller radius: they carry nothing
  int32_t unsteady_count;  ///< contacts that could have carried, with a fibre that would not be stable then: they carry
                           ///< nothing; 0 without `stability`
  int32_t
      loose_count;  ///< contacts that carry nothing: of inverted fibres with things that are not inverted and no obstacles, and of
                    ///< der-projected fibres, whose natural strains take the whole load
  double residual;      ///< of the forces
  int64_t sweeps;       ///< made to find them
  double bending_left;  ///< root of the elastic energy that is left over that without contacts; 1: contacts do nothing
  double lifted;        ///< weight that obstacles carry, over that of all fibres that were inverted
  CpsFibreId refused;   ///< the first that was refused; {0, 0}: none
  CpsFibreId unstable;  ///< the first that is unstable; {0, 0}: none
} CpsInvertInfo;

/// Changes the natural strains of fibres so that each is at rest where it is, under its weight, the pulls on it as they
/// are now and forces of its contacts with obstacles and other fibres that are inverted: the next step leaves it there. These
/// forces are in their cones and leave as little as they can to bending and twisting (docs/theory/inverse.md); the next step
/// starts from them. Nothing else changes, except the stiffness, if requested, and the multipliers that keep the
/// lengths of CPS_ROD_DER_INEXTENSIBLE and CPS_ROD_DER_PROJECTED. Other contacts, ties and held tips carry nothing. A fibre that
/// moves keeps its velocity. Roots that are pinned or free need contacts that hold them. Stability is that of each fibre
/// by itself under these forces, held where it touches obstacles: all of them together are stable then, too. The result does not depend on the number of threads.
/// @param options  NULL: the defaults
/// @param info     out; may be NULL
/// @return CPS_OK; CPS_NO_SOLUTION if some fibres were refused (the error names the first; the others are inverted);
///         CPS_BAD_ARGUMENT, CPS_BAD_DATA or CPS_NO_MEMORY
CPS_API CpsStatus cps_world_invert(CpsWorld* world, const CpsInvertOptions* options, CpsInvertInfo* info,
                                   CpsError* error);
/// The same for one fibre; those of the options are not read.
CPS_API CpsStatus cps_world_invert_fibre(CpsWorld* world, CpsFibreId id, const CpsInvertOptions* options,
                                         CpsInvertInfo* info, CpsError* error);

/// What the last inversion of a world did, also that of cps_scene_build(); zeroed where there was none.
CPS_API CpsInvertInfo cps_world_last_inversion(const CpsWorld* world);

/// What the last inversion made of one fibre. Zeroed: it was not inverted.
typedef struct CpsFibreRest {
  bool inverted;   ///< it has natural strains that keep it at rest where it is
  bool refused;    ///< there are none: it keeps those it had
  bool unstable;   ///< inverted, but a breath moves it away
  bool stiffened;  ///< it was made stiffer, and is stable by that
  double
      least_factor;  ///< factor on the stiffness it had that makes it stable under its contact forces; 0: it was stable, or
                     ///< was not judged; infinite: none does
} CpsFibreRest;
/// Reads that.
/// @return CPS_OK or CPS_BAD_ARGUMENT
CPS_API CpsStatus cps_world_fibre_rest(const CpsWorld* world, CpsFibreId id, CpsFibreRest* rest);

/// The problem whose solution are the forces of contacts that an inversion would find: u = W r + b with the law `convex`
/// (problem.h), W the compliance of the fibres where they touch, m/N, b how far the natural shape without contacts would be from
/// the guess there, m. Roots that are not clamped are in W as their penalty has them. Nothing changes but that the contacts of
/// the last step are forgotten. Use it to save the problem or to solve it by another method.
/// @param[out] problem  the caller's to destroy; no contacts where nothing may carry
CPS_API CpsStatus cps_world_invert_problem(CpsWorld* world, const CpsInvertOptions* options, CpsProblem** problem,
                                           CpsError* error);

/// Cuts a fibre short: what is left keeps its shape, natural strains, stiffness and root, and is at rest. Super-helices are cut
/// anywhere, super-clothoids at the nearest joint. Pulls on the fibre and its ties are let go.
/// @param id      in: the fibre; out: its new name, in the same place
/// @param length  m, > 0; a fibre that is no longer stays as it is
/// @return CPS_OK; CPS_UNSUPPORTED for other models, branches, or a tip that is held; CPS_BAD_ARGUMENT, CPS_BAD_DATA or
///         CPS_NO_MEMORY
CPS_API CpsStatus cps_world_trim_fibre(CpsWorld* world, CpsFibreId* id, double length, CpsError* error);

/// Whether a fibre that is at rest comes back when it is disturbed.
typedef struct CpsFibreStability {
  double
      least_factor;  ///< it is stable where it is if it is more than this many times as stiff, with the natural strains
                     ///< that this takes; 0: however soft it is
  bool stable;       ///< least_factor < 1
} CpsFibreStability;
/// Finds the least factor on the stiffness, to 1e-10 of it.
/// @return CPS_OK; CPS_UNSUPPORTED for a root that is not clamped, a super-model whose tip is held, or a model without
///         natural strains; CPS_BAD_ARGUMENT or CPS_NO_MEMORY
CPS_API CpsStatus cps_world_fibre_stability(CpsWorld* world, CpsFibreId id, CpsFibreStability* stability,
                                            CpsError* error);

/// How a fibre came to rest.
typedef struct CpsSettleInfo {
  int32_t iterations;  ///< of Newton's method
  double balance;      ///< force that is left, relative to the moment of the weight and the pulls
  bool stable;         ///< the equilibrium is a minimum of the energy
} CpsSettleInfo;
/// Brings a fibre to an equilibrium under its weight and the pulls on it, without any time: a minimum of the energy near to
/// where it is, by Newton's method. It is at rest there. Contacts and ties are ignored. Needs a clamped root; tips of
/// super-models must be free.
/// @param info  out; may be NULL
/// @return CPS_OK; CPS_NOT_CONVERGED (it is nearer, and at rest); CPS_UNSUPPORTED, CPS_BAD_ARGUMENT or CPS_NO_MEMORY
CPS_API CpsStatus cps_world_settle_fibre(CpsWorld* world, CpsFibreId id, CpsSettleInfo* info, CpsError* error);

#ifdef __cplusplus
}
#endif

#endif
