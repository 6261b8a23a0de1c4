/// @file frame.h
/// Everything visible at one instant, from a result or a running world, for drawing, streaming and export.
/// Part of the library capstan-io.
///
///     CpsShow* show = NULL;
///     if (cps_show_result(result, &show, NULL) != CPS_OK) return 1;
///     cps_show_read(show, 12, NULL);
///     const CpsFrame* frame = cps_show_frame(show);
///     const CpsThings* things = cps_show_things(show);
///     for (int32_t i = 0; i < things->line_count; ++i) draw(frame->points + things->lines[i].first,
/// things->lines[i].count);
///     cps_show_destroy(show);
///
/// A show holds one frame. Reading the next one overwrites it and allocates nothing once the largest frame has been
/// read.
#ifndef CAPSTAN_FRAME_H
#define CAPSTAN_FRAME_H

#include "capstan/result.h"
#include "capstan/tie.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Data common to all frames. All arrays belong to the show.
typedef struct CpsThings {
  const char* title;                  ///< of the scene; never NULL
  int32_t body_count;                 ///< number of bodies
  int32_t obstacle_count;             ///< number of obstacles
  int32_t fibre_count;                ///< number of fibres
  int32_t sheet_count;                ///< number of surfaces: sheets, then solids
  int32_t solid_count;                ///< number of solids among them
  int32_t material_count;             ///< number of materials, at least 1
  const char* const* body_names;      ///< names in the scene ("tower[3]"); no NULL entries
  const char* const* obstacle_names;  ///< the same
  const char* const* fibre_names;     ///< the same
  const char* const* sheet_names;     ///< the same
  const char* const* material_names;  ///< the same; the first is "" if the scene names none
  const int32_t* body_materials;      ///< material index of each body; 0 for results of older formats
  const int32_t* obstacle_materials;  ///< the same
  const int32_t* fibre_materials;     ///< the same
  const int32_t* sheet_materials;     ///< the same
  int32_t part_count;                 ///< parts of the shapes of bodies and obstacles
  const CpsResultPart* parts;         ///< no compounds
  int32_t line_count;                 ///< centrelines of fibres
  const CpsResultLine* lines;         ///< one per fibre, and one per branch of a tree
  int64_t point_count;                ///< points of all lines
  const CpsResultSheet* sheets;       ///< one per sheet, then one per solid
  int64_t vertex_count;               ///< vertices of all sheets and solids
  int64_t triangle_count;             ///< triangles of all sheets, and of the surfaces of solids
  const int32_t* triangles;           ///< three vertices each, numbered across all surfaces
  const double* rest;                 ///< rest shape of each triangle, m: x1, x2, y2 of its corners (0, 0), (x1, 0),
                                      ///< (x2, y2); NULL if unknown
  int64_t tetrahedron_count;          ///< of all solids; 0 if unknown
  const int32_t* tetrahedra;          ///< four vertices each, numbered across all surfaces; NULL if there are none
  int64_t particle_count;             ///< particles of grains
  int32_t tie_count;                  ///< number of ties
  const char* const* tie_names;       ///< names in the scene; NULL if there are no ties
  const CpsTieKind* tie_kinds;        ///< kind of each tie; NULL if there are no ties
} CpsThings;

/// Name of an object of a show, given by its kind and index; "" if it does not exist.
CPS_API const char* cps_things_name(const CpsThings* things, CpsThing thing);

/// A contact of a frame. Objects are numbered as in CpsThings and have no generation.
typedef struct CpsFrameContact {
  CpsSide side[2];          ///< a, to which the normal points, and b; results of formats before 7 have only the arc
                            ///< length of part and place, and no material
  CpsVec3 normal;           ///< unit, from b to a
  CpsVec3 tangent1;         ///< unit
  CpsVec3 tangent2;         ///< normal x tangent1
  double impulse[3];        ///< on a, N·s, along normal, tangent1, tangent2
  double velocity[3];       ///< of a relative to b after the step, m/s, in the same frame
  double gap;               ///< m, negative: penetration
  double mu, mu_across;     ///< along tangent1 and tangent2
  double residual;          ///< violation of Coulomb's law, as in solve.h; NaN: unknown
  CpsContactStatus status;  ///< take-off, stick or slide
} CpsFrameContact;

/// A tie of a frame.
typedef struct CpsFrameTie {
  CpsVec3 point[2];  ///< of a and b, world, m
  CpsVec3 force;     ///< on a over the last step, N
  CpsVec3 torque;    ///< on a about its point, N m
  double apart;      ///< largest distance between points that it holds together, m
  double residual;   ///< residual of the last step
  bool broken;       ///< whether it has broken
} CpsFrameTie;

/// One instant. All arrays belong to the show and change with the next call of cps_show_read().
typedef struct CpsFrame {
  int64_t index;                       ///< index of the frame in a result, or of the step in a live world
  double time;                         ///< simulated, s
  double step;                         ///< length of the last step, s; impulse / step is a force; NaN: unknown
  const CpsPose* bodies;               ///< things->body_count poses
  const CpsVec3* body_velocities;      ///< of the centres of mass, m/s
  const CpsPose* obstacles;            ///< things->obstacle_count poses
  const CpsVec3* points;               ///< things->point_count points of the lines, m
  const CpsVec3* axes;                 ///< second axis of the cross-section at each point, unit
  const double* tension;               ///< axial force at each point, N; NULL if unknown
  const CpsVec3* point_velocities;     ///< m/s; NULL if unknown
  const CpsVec3* vertices;             ///< things->vertex_count vertices of the sheets and solids, m
  const CpsVec3* vertex_velocities;    ///< m/s; NULL if unknown
  const CpsVec3* vertex_impulses;      ///< contact impulse of the last step on each vertex, N·s; NULL if unknown
  const double* stress;                ///< Cauchy stress in each tetrahedron: xx yy zz xy yz zx, Pa; NULL if unknown
  const bool* vertex_held;             ///< whether each vertex is held; NULL if unknown
  int32_t contact_count;               ///< contacts of the step that ended here
  const CpsFrameContact* contacts;     ///< in the order of the world
  const CpsFrameTie* ties;             ///< things->tie_count ties
  const CpsVec3* particles;            ///< things->particle_count particles of grains, m
  const CpsVec3* particle_velocities;  ///< of each, m/s
  const double* particle_pressures;    ///< of the grains there, Pa
  const double* particle_fractions;    ///< volume fraction of grains around each particle; 0: it is still in a spout
  const uint8_t* particle_statuses;    ///< CpsContactStatus of the grains there; NULL if unknown
  const double* particle_stresses;     ///< of the grains there: xx yy zz xy yz zx of each, Pa; NULL if unknown
} CpsFrame;

/// A source of frames. Opaque; use it from one thread at a time.
typedef struct CpsShow CpsShow;

/// Shows a result, which must outlive the show.
CPS_API CpsStatus cps_show_result(CpsResult* result, CpsShow** show, CpsError* error);
/// Shows a world built from a scene, as in a result of that scene; both must outlive the show.
CPS_API CpsStatus cps_show_world(const CpsScene* scene, const CpsWorld* world, CpsShow** show, CpsError* error);
/// Frees a show. NULL is allowed.
CPS_API void cps_show_destroy(CpsShow* show);

/// Data common to all frames.
CPS_API const CpsThings* cps_show_things(const CpsShow* show);
/// Number of frames; 1 for a world.
CPS_API int64_t cps_show_frame_count(const CpsShow* show);
/// Reads a frame; for a world, the current state (`frame` is ignored). After a failure, the previous frame is lost.
CPS_API CpsStatus cps_show_read(CpsShow* show, int64_t frame, CpsError* error);
/// The frame read last; zeroed before the first call of cps_show_read().
CPS_API const CpsFrame* cps_show_frame(const CpsShow* show);

#ifdef __cplusplus
}
#endif
#endif
