// What the world does for each kind of object beyond the table of its model. The door of each kind is in src/things/.
#ifndef CAPSTAN_WORLD_DOORS_H
#define CAPSTAN_WORLD_DOORS_H

#include "world/world.h"

// Functions may be NULL. Each receives the population that the door created.
typedef struct CpsDoor {
  CpsThingKind kind;
  const char* name;  // of one of them
  // Their population, empty; NULL if memory runs out. Without it the kind moves in when the first of them does
  CpsModel* (*open)(void);
  void (*release)(CpsWorld* world, CpsModel* all);  // frees what the world gave them
  // Moves their supports and wind to the step from t to t + h, after the obstacles have moved; the same without any motion
  void (*place)(CpsWorld* world, CpsModel* all, double t, double h);
  void (*stop)(CpsModel* all);
  // A copy of what `place` sets; restores it, for a caller who placed the objects but made no step. NULL if memory runs out
  void* (*keep)(const CpsModel* all, CpsArena* arena);
  void (*restore)(CpsModel* all, const void* kept);
  // Whether an entry of an array (capstan/array.h) of an object is held now
  bool (*holds)(const CpsWorld* world, const CpsModel* all, int32_t member, int64_t entry);
  // Whether a quantity is an unknown of a member that an array can set; NULL: true for all its quantities
  bool (*settable)(const CpsModel* all, int32_t member, CpsQuantity quantity);
} CpsDoor;
// All doors, in the order in which they open (src/things/list.c)
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
