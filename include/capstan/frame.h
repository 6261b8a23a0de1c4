/// @file frame.h
/// Everything visible at one instant, from a result or a running world, for drawing, streaming and export.
/// Part of the library capstan-io.
///
///     CpsShow* show = NULL;
///     if (cps_show_result(result, &show, NULL) != CPS_OK) return 1;
///     cps_show_read(show, 12, NULL);
///     const CpsFrame* frame = cps_show_frame(show);
///     const CpsThings* things = cps_show_things(show);
///     for (int32_t i = 0; i < things->line_count; ++i) draw(frame->points + things->lines[i].first, things->lines[i].count);
///     cps_show_destroy(show);
///
/// A show keeps one frame; reading the next one writes over it and, once the largest has been seen, allocates nothing.
#ifndef CAPSTAN_FRAME_H
#define CAPSTAN_FRAME_H

#include "capstan/result.h"
#include "capstan/tie.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is the same in all frames. All arrays belong to the show.
typedef struct CpsThings {
  const char* title;                  ///< of the scene; never NULL
  int32_t body_count;                 ///< number of bodies
  int32_t obstacle_count;             ///< number of obstacles
  int32_t fibre_count;                ///< number of fibres
  int32_t sheet_count;                ///< number of surfaces: sheets, then solids
  int32_t solid_count;                ///< how many of the last of them are solids
  int32_t material_count;             ///< number of materials, at least 1
  const char* const* body_names;      ///< as the scene calls them ("tower[3]"); never NULL entries
  const char* const* obstacle_names;  ///< the same
  const char* const* fibre_names;     ///< the same
  const char* const* sheet_names;     ///< the same
  const char* const* material_names;  ///< the same; the first is "" where the scene names none
  const int32_t* body_materials;      ///< number of the material of each; 0 for results of older formats
  const int32_t* obstacle_materials;  ///< the same
  const int32_t* fibre_materials;     ///< the same
  const int32_t* sheet_materials;     ///< the same
  int32_t part_count;                 ///< parts of the shapes of bodies and obstacles
  const CpsResultPart* parts;         ///< no compounds
  int32_t line_count;                 ///< centrelines of fibres
  const CpsResultLine* lines;         ///< one for each fibre, and one for each branch of a tree
  int64_t point_count;                ///< points of all lines
  const CpsResultSheet* sheets;       ///< one for each sheet, then for each solid
  int64_t vertex_count;               ///< vertices of all sheets and solids
  int64_t triangle_count;             ///< triangles of all sheets, and of the surfaces of solids
  const int32_t* triangles;           ///< three vertices each, numbered over all of them
  const double* rest;                 ///< each triangle without load, m: x1, x2, y2 of its corners (0, 0), (x1, 0),
                                      ///< (x2, y2); NULL where that is not known
  int64_t tetrahedron_count;          ///< of all solids; 0 where they are not known
  const int32_t* tetrahedra;          ///< four vertices each, numbered over all of them; NULL without any
  int64_t particle_count;             ///< particles of grains
  int32_t tie_count;                  ///< number of ties
  const char* const* tie_names;       ///< as the scene calls them; NULL without ties
  const CpsTieKind* tie_kinds;        ///< of each; NULL without ties
} CpsThings;

/// Name of a thing of a show by its kind and number; "" if it does not exist.
CPS_API const char* cps_things_name(const CpsThings* things, CpsThing thing);

/// A contact as it is drawn. Things have the numbers that they have in CpsThings, and no generation.
typedef struct CpsFrameContact {
  CpsSide side[2];          ///< a, which the normal points to, and b; results of formats before 7 say of part and place
                            ///< only the arc length, and no material
  CpsVec3 normal;           ///< unit, from b to a
  CpsVec3 tangent1;         ///< unit
  CpsVec3 tangent2;         ///< normal x tangent1
  double impulse[3];        ///< on a, N·s, along normal, tangent1, tangent2
  double velocity[3];       ///< of a relative to b after the step, m/s, along the same
  double gap;               ///< m, negative: penetration
  double mu, mu_across;     ///< along tangent1 and tangent2
  double residual;          ///< how far (velocity, impulse) is from Coulomb's law, as in solve.h; NaN: not known
  CpsContactStatus status;  ///< take-off, stick or slide
} CpsFrameContact;

/// What a tie does.
typedef struct CpsFrameTie {
  CpsVec3 point[2];  ///< of a and b, world, m
  CpsVec3 force;     ///< on a over the last step, N
  CpsVec3 torque;    ///< on a about its point, N m
  double apart;      ///< largest distance of points that it holds together, m
  double residual;   ///< how far the last step is from holding it
  bool broken;       ///< it holds nothing any more
} CpsFrameTie;

/// One instant. All arrays belong to the show and change with the next call of cps_show_read().
typedef struct CpsFrame {
  int64_t index;                     ///< of the frame in the result; of the step in a living world
  double time;                       ///< simulated, s
  double step;                       ///< length of the last step, s; impulse / step is a force; NaN: not known
  const CpsPose* bodies;             ///< things->body_count poses
  const CpsVec3* body_velocities;    ///< of the centres of mass, m/s
  const CpsPose* obstacles;          ///< things->obstacle_count poses
  const CpsVec3* points;             ///< things->point_count points of the lines, m
  const CpsVec3* axes;               ///< second axis of the section at each, unit
  const double* tension;             ///< axial force at each, N; NULL where it is not known
  const CpsVec3* point_velocities;   ///< of each, m/s; NULL where they are not known
  const CpsVec3* vertices;           ///< things->vertex_count vertices of the sheets and solids, m
  const CpsVec3* vertex_velocities;  ///< of each, m/s; NULL where they are not known
  const CpsVec3* vertex_impulses;    ///< of the contacts of the last step on each, N·s; NULL where they are not known
  const double* stress;     ///< Cauchy's, in each tetrahedron: xx yy zz xy yz zx, Pa; NULL where it is not known
  const bool* vertex_held;  ///< whether something holds it; NULL where that is not known
  int32_t contact_count;    ///< contacts of the step that ended here
  const CpsFrameContact* contacts;     ///< in the order of the world
  const CpsFrameTie* ties;             ///< things->tie_count ties
  const CpsVec3* particles;            ///< things->particle_count particles of grains, m
  const CpsVec3* particle_velocities;  ///< of each, m/s
  const double* particle_pressures;    ///< of the grains there, Pa
  const double* particle_fractions;    ///< of the space around each that grains take
} CpsFrame;

/// Where frames come from. Opaque; use it from one thread at a time.
typedef struct CpsShow CpsShow;

/// Shows a result, which must outlive the show.
CPS_API CpsStatus cps_show_result(CpsResult* result, CpsShow** show, CpsError* error);
/// Shows a world made from a scene, as a result of that scene would hold it; both must outlive the show.
CPS_API CpsStatus cps_show_world(const CpsScene* scene, const CpsWorld* world, CpsShow** show, CpsError* error);
/// Frees a show. NULL is allowed.
CPS_API void cps_show_destroy(CpsShow* show);

/// What is the same in all frames.
CPS_API const CpsThings* cps_show_things(const CpsShow* show);
/// Frames there are; 1 for a world.
CPS_API int64_t cps_show_frame_count(const CpsShow* show);
/// Reads a frame; of a world (any `frame`) the state as it is now. After a failure the frame read before is gone.
CPS_API CpsStatus cps_show_read(CpsShow* show, int64_t frame, CpsError* error);
/// The frame that was read last; before the first call of cps_show_read() it is zeroed.
CPS_API const CpsFrame* cps_show_frame(const CpsShow* show);

#ifdef __cplusplus
}
#endif
#endif
