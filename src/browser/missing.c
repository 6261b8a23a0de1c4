// Parts that a web page lacks: HDF5 files (results, problems, natural strains) and zlib (VTU meshes). Each returns an error.
#include "base/fail.h"
#include "capstan/fclib.h"
#include "capstan/rest.h"
#include "io/frame/internal.h"
#include "io/mesh/internal.h"

static CpsStatus missing(CpsError* error, const char* path, const char* what) {
  return cps_io_fail(error, CPS_UNSUPPORTED, path, NULL, "%s are not in the browser; use the command", what);
}

CpsStatus cps_fclib_write(const char* path, const CpsProblem* problem, const double* r, const double* u,
                          const char* title, CpsError* error) {
  (void)problem, (void)r, (void)u, (void)title;
  return missing(error, path, "problem files");
}

CpsStatus cps_rest_read(const char* path, CpsWorld* world, int32_t first, int32_t count, CpsError* error) {
  (void)world, (void)first, (void)count;
  return missing(error, path, "files of natural strains");
}

CpsStatus cps_mesh_from_vtu(CpsMeshBuild* build) {
  return cps_mesh_refuse(build, "VTU meshes are not in the browser; use OBJ, PLY or VTK");
}

CpsStatus cps_show_fill_result_things(CpsShow* show, CpsError* error) {
  (void)show;
  return missing(error, "show", "results");
}

CpsStatus cps_show_fill_result_frame(CpsShow* show, int64_t frame, CpsError* error) {
  (void)show, (void)frame;
  return missing(error, "show", "results");
}
