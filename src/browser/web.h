// Worlds for the npm package: the library's calls with arguments that JavaScript can pass, numbers and addresses. Kinds, quantities and labels
// are those of the public headers.
#ifndef CAPSTAN_BROWSER_WEB_H
#define CAPSTAN_BROWSER_WEB_H

#include <stdint.h>

typedef struct CpsWeb CpsWeb;

// A world from a scene. NULL: `text` says why not.
CpsWeb* cps_web_open(const char* path, char* text, int size);
// NULL is allowed.
void cps_web_close(CpsWeb* web);
// Message of the last call that failed.
const char* cps_web_error(const CpsWeb* web);

// Makes steps, as long as none fails. Returns the worst status.
int cps_web_step(CpsWeb* web, int count);
double cps_web_time(const CpsWeb* web);
// Of the last step: contacts, stick, slide, unsolved, iterations, residual, penetration, crossings, length of the step.
void cps_web_info(const CpsWeb* web, double* out);
// cps_world_hash() as 16 digits.
const char* cps_web_hash(CpsWeb* web);
// The `scene` message of docs/reference/viewer-protocol.md: names, shapes, lines.
const char* cps_web_scene(CpsWeb* web);

// Entries of a quantity, of one thing or (index -1) of all of its kind; and the numbers themselves.
int cps_web_count(const CpsWeb* web, int kind, int index, int quantity);
int cps_web_read(const CpsWeb* web, int kind, int index, int quantity, double* out);
int cps_web_write(CpsWeb* web, int kind, int index, int quantity, const double* values, int count);
// Triangles of all sheets and solids, three vertices each; NULL: only their number.
int cps_web_triangles(const CpsWeb* web, int32_t* out);

int cps_web_contact_count(const CpsWeb* web);
int cps_web_contact_read(const CpsWeb* web, int quantity, double* out);
int cps_web_contact_labels(const CpsWeb* web, int label, int32_t* out);

// A damped spring from a point of a thing to a target. `place`: of a fibre its arc length, of a body three coordinates, of a sheet or solid
// the number of a vertex. Returns its number, negative: it cannot be.
int cps_web_pull(CpsWeb* web, int kind, int index, const double* place, const double* target, double stiffness,
                 double damping);
int cps_web_pull_move(CpsWeb* web, int pull, const double* target);
int cps_web_pull_remove(CpsWeb* web, int pull);

int cps_web_state_size(const CpsWeb* web);
int cps_web_save(CpsWeb* web, void* bytes, int size);
int cps_web_load(CpsWeb* web, const void* bytes, int size);

#endif
