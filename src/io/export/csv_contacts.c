// The contacts of all frames as a table beside that of the steps: a row for each contact, with the names of the two.
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "io/export/internal.h"

typedef struct Table {
  CpsExport* e;
  CpsOut* out;
  CpsGrow text;
} Table;

#define SIDE(a)                                                                                               \
  "kind " a "," a ",part " a " (1),place " a " x,place " a " y,place " a " z,material " a ",x " a " (m),y " a \
  " (m),z " a " (m),"
static const char HEADER[] =
    "frame (1),time (s)," SIDE("a") SIDE("b") "x (m),y (m),z (m),normal x (1),normal y (1),normal z (1),"
    "impulse x (N s),impulse y (N s),impulse z (N s),normal impulse (N s),velocity x (m/s),velocity y (m/s),"
    "velocity z (m/s),gap (m),mu (1),mu across (1),status,residual (1)\n";

// A name in quotes, which are doubled inside.
static void put_name(CpsGrow* text, const char* name) {
  cps_grow_text(text, ",\"");
  for (; *name; ++name) {
    if (*name == '"') cps_grow_text(text, "\"");
    cps_grow_add(text, name, 1);
  }
  cps_grow_text(text, "\"");
}

static void put_numbers(CpsGrow* text, const double* x, int count) {
  for (int i = 0; i < count; ++i) {
    cps_grow_text(text, ",");
    cps_grow_number(text, x[i], 9);
  }
}

// Kind, name, part, local position, material and world point of a side.
static void put_side(CpsGrow* text, const CpsThings* things, const CpsSide* side) {
  const CpsVec3 at = side->place, p = side->point;
  cps_grow_print(text, ",%s", cps_thing_kind_name(side->thing.kind));
  put_name(text, cps_things_name(things, side->thing));
  cps_grow_print(text, ",%d", (int)side->part);
  put_numbers(text, (const double[]){at.x, at.y, at.z}, 3);
  put_name(text, things->material_names[side->material]);
  put_numbers(text, (const double[]){p.x, p.y, p.z}, 3);
}

static void put_contact(Table* t, const CpsFrame* frame, const CpsFrameContact* c) {
  static const char* const STATUS[] = {"take-off", "stick", "slide"};
  const CpsThings* things = t->e->things;
  CpsVec3 p = cps_export_contact_point(c), r = cps_export_in_world(c, c->impulse),
          u = cps_export_in_world(c, c->velocity);
  const double values[] = {p.x, p.y,           p.z, c->normal.x, c->normal.y, c->normal.z, r.x,   r.y,
                           r.z, c->impulse[0], u.x, u.y,         u.z,         c->gap,      c->mu, c->mu_across};
  cps_grow_print(&t->text, "%lld,", (long long)frame->index);
  cps_grow_number(&t->text, frame->time, 17);
  for (int k = 0; k < 2; ++k) put_side(&t->text, things, &c->side[k]);
  put_numbers(&t->text, values, (int)(sizeof values / sizeof *values));
  int status = (int)c->status;
  cps_grow_print(&t->text, ",%s", status >= 0 && status < 3 ? STATUS[status] : "");
  put_numbers(&t->text, &c->residual, 1);
  cps_grow_text(&t->text, "\n");
}

static CpsStatus write_table(Table* t) {
  CpsStatus status = CPS_OK;
  cps_grow_text(&t->text, HEADER);
  for (int64_t k = t->e->options.first; status == CPS_OK && k <= t->e->options.last; ++k) {
    const CpsFrame* frame = NULL;
    status = cps_export_read(t->e, k, &frame);
    for (int32_t i = 0; status == CPS_OK && i < frame->contact_count; ++i) put_contact(t, frame, &frame->contacts[i]);
    cps_out_flush(t->out, &t->text);
  }
  return status;
}

CpsStatus cps_export_csv_contacts(CpsExport* e, CpsOut* out) {
  size_t length = strlen(e->path);
  char* path = malloc(length + sizeof "-contacts.csv");
  if (!path) return cps_export_no_memory(e);
  memcpy(path, e->path, length + 1);
  if (length > 4 && strcmp(path + length - 4, ".csv") == 0) length -= 4;
  memcpy(path + length, "-contacts.csv", sizeof "-contacts.csv");
  Table t = {.e = e, .out = out};
  CpsStatus status = cps_out_begin(out, path, e->error);
  if (status == CPS_OK) status = write_table(&t);
  if (status == CPS_OK) status = cps_out_close(out, e->error);
  cps_grow_free(&t.text);
  free(path);
  return status;
}
