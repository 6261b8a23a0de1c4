// What the world does for the things of a kind beyond the table of their model. Each kind has its door in src/things/.
#ifndef CAPSTAN_WORLD_DOORS_H
#define CAPSTAN_WORLD_DOORS_H

#include "world/world.h"

// Functions may be NULL. Each gets the population that it opened.
typedef struct CpsDoor {
  CpsThingKind kind;
  const char* name;  // of one of them
  // Their population, empty; NULL if memory runs out. Without it the kind moves in when the first of them does
  CpsModel* (*open)(void);
  void (*release)(CpsWorld* world, CpsModel* all);  // frees what the world gave them
  // What holds or blows at them is where a step from t to t + h has it, obstacles being there; the same without any motion
  void (*place)(CpsWorld* world, CpsModel* all, double t, double h);
  void (*stop)(CpsModel* all);
  // What `place` sets, as it is; and back to that, for a caller who placed them but made no step. NULL if memory runs out
  void* (*keep)(const CpsModel* all, CpsArena* arena);
  void (*restore)(CpsModel* all, const void* kept);
  // Whether an entry of an array (capstan/array.h) of one of them is held now
  bool (*holds)(const CpsWorld* world, const CpsModel* all, int32_t member, int64_t entry);
  // Whether a member has a quantity as an unknown that an array can set; NULL: whatever it has
  bool (*settable)(const CpsModel* all, int32_t member, CpsQuantity quantity);
} CpsDoor;
// All of them, in the order in which they open (src/things/list.c)
typedef struct CpsDoorList {
  const CpsDoor* const* door;
  int count;
} CpsDoorList;
extern const CpsDoorList cps_doors;

CpsStatus cps_doors_open(CpsWorld* world, CpsError* error);
void cps_doors_release(CpsWorld* world);
void cps_doors_place(CpsWorld* world, double t, double h);
void cps_doors_stop(CpsWorld* world);
void** cps_doors_keep(const CpsWorld* world, CpsArena* arena);  // NULL if memory runs out
void cps_doors_restore(CpsWorld* world, void* const* kept);
bool cps_doors_hold(const CpsWorld* world, const CpsModel* all, int32_t member, int64_t entry);
bool cps_doors_settable(const CpsModel* all, int32_t member, CpsQuantity quantity);

#endif
