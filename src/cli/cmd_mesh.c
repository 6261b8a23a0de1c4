// capstan mesh: fills a closed surface with tetrahedra, or spreads points on it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/mesh.h"
#include "cli/command.h"
#include "cli/info_mesh.h"
#include "cli/mesher.h"
#include "cli/options.h"
#include "cli/report.h"

// "5mm", "0.5 cm", "2e-3m" in metres, or a plain number; NaN if it is neither.
static double read_length(const char* text, bool* metres) {
  static const struct {
    const char* unit;
    double scale;
  } UNITS[] = {{"", 1.0}, {"mm", 1e-3}, {"cm", 1e-2}, {"m", 1.0}, {"um", 1e-6}, {"in", 0.0254}};
  char* end;
  double x = strtod(text, &end);
  if (end == text) return NAN;
  while (*end == ' ') ++end;
  for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; ++i) {
    if (strcmp(end, UNITS[i].unit) != 0) continue;
    *metres = i > 0;
    return x * UNITS[i].scale;
  }
  return NAN;
}

// Prints a summary of the mesh and writes it. hausdorff: NaN if the surface stayed as it was.
static CpsStatus keep(const char* out, const CpsMeshFile* mesh, double hausdorff, CpsError* error) {
  CpsMeshFacts facts;
  CpsStatus status = cps_mesh_file_facts(mesh, &facts, error);
  if (status == CPS_OK) status = cps_mesh_file_write(out, mesh, error);
  if (status != CPS_OK) return status;
  CpsVec3 d = {facts.upper.x - facts.lower.x, facts.upper.y - facts.lower.y, facts.upper.z - facts.lower.z};
  printf("%s\n", cps_file_name(out));
  cps_mesh_print_facts(mesh, &facts);
  if (isnan(hausdorff)) return CPS_OK;
  printf("hausdorff  %.3g from the input surface, %.2g %% of its longest side\n", hausdorff,
         100.0 * hausdorff / fmax(d.x, fmax(d.y, d.z)));
  return CPS_OK;
}

static int fill(const char* in, const char* out, double size) {
  CpsMeshFile surface, mesh;
  CpsError error;
  double hausdorff;
  if (cps_mesh_file_read(in, &surface, &error) != CPS_OK) return cps_complain("%s", error.text);
  CpsStatus status = cps_mesh_fill(&surface, size, &mesh, &hausdorff, &error);
  cps_mesh_file_free(&surface);
  if (status != CPS_OK) return cps_complain("%s: %s", in, error.text);
  status = keep(out, &mesh, hausdorff, &error);
  cps_mesh_file_free(&mesh);
  return status == CPS_OK ? CPS_EXIT_OK : cps_complain("%s", error.text);
}

// The same with an external mesher, which needs a closed surface.
static int fill_with(CpsMesher mesher, const char* in, const char* out, double size) {
  CpsMeshFile surface, mesh;
  CpsMeshFacts facts;
  CpsError error;
  if (cps_mesh_file_read(in, &surface, &error) != CPS_OK) return cps_complain("%s", error.text);
  surface.tetrahedron_count = 0;
  CpsStatus status = cps_mesh_file_facts(&surface, &facts, &error);
  if (status == CPS_OK && !facts.closed) {
    cps_mesh_file_free(&surface);
    return cps_complain("%s: the surface is not closed: %d edges do not have one triangle in each direction", in,
                        (int)facts.open_edges);
  }
  if (status == CPS_OK) status = cps_mesher_run(mesher, &surface, size, &mesh, &error);
  cps_mesh_file_free(&surface);
  if (status != CPS_OK) return cps_complain("%s: %s", in, error.text);
  status = keep(out, &mesh, NAN, &error);
  cps_mesh_file_free(&mesh);
  return status == CPS_OK ? CPS_EXIT_OK : cps_complain("%s", error.text);
}

static int spread(const char* in, const char* out, double spacing) {
  CpsMeshFile surface, points;
  CpsError error;
  if (cps_mesh_file_read(in, &surface, &error) != CPS_OK) return cps_complain("%s", error.text);
  CpsStatus status = cps_mesh_sample(&surface, spacing, &points, &error);
  cps_mesh_file_free(&surface);
  if (status != CPS_OK) return cps_complain("%s: %s", in, error.text);
  status = cps_mesh_file_write(out, &points, &error);
  if (status == CPS_OK) printf("%s\n%d points with normals\n", cps_file_name(out), (int)points.vertex_count);
  cps_mesh_file_free(&points);
  return status == CPS_OK ? CPS_EXIT_OK : cps_complain("%s", error.text);
}

int cps_cmd_mesh(int argc, char** argv) {
  const char *size_text = NULL, *spacing_text = NULL, *out = NULL, *unit_text = "1m", *with = NULL;
  const CpsOption options[] = {
      {"size", 0, CPS_OPTION_TEXT, &size_text, "LENGTH",
       "length of the longest edges inside: 5mm, or a plain number in file units", 0},
      {"points", 0, CPS_OPTION_TEXT, &spacing_text, "LENGTH",
       "make a point cloud with normals instead, its points at least this far apart", 0},
      {"with", 0, CPS_OPTION_TEXT, &with, "PROGRAM",
       "fill with tetgen or gmsh, which must be installed: the facets of the surface stay as they are", 0},
      {"unit", 0, CPS_OPTION_TEXT, &unit_text, "LENGTH", "length of one file unit, for lengths with a unit [1m]", 0},
      {"output", 'o', CPS_OPTION_TEXT, &out, "FILE",
       "output, in the units of the surface: MSH 4.1 text; of points: PLY text", 0},
      {0},
  };
  const CpsCommandLine line = {
      .name = "mesh",
      .usage = "SURFACE (--size LENGTH [--with PROGRAM] -o FILE.msh | --points LENGTH -o FILE.ply)",
      .summary =
          "Fills a closed triangle surface (OBJ, PLY, VTK, VTU, MSH, Medit) with tetrahedra, ready for `solids:` in a\n"
          "scene. Prints the dihedral angles of the elements and how far the surface moved. With --points: spreads "
          "points with\n"
          "normals over it, as a scanner would, for `points:` of an obstacle or a body.",
      .options = options,
      .examples =
          "  capstan mesh spot.obj --size 5cm -o spot.msh\n  capstan mesh part.ply --unit 1mm --size 2mm -o part.msh\n"
          "  capstan mesh gear.ply --size 2 --with gmsh -o gear.msh\n"
          "  capstan mesh spot.obj --points 4cm -o spot.ply\n",
  };
  int word_count = 0;
  CpsParse parsed = cps_parse(&line, argc, argv, &word_count);
  if (parsed != CPS_PARSE_GO) return parsed == CPS_PARSE_HELP ? CPS_EXIT_OK : CPS_EXIT_BAD_INPUT;
  if (word_count != 1) return cps_complain("mesh needs one surface file; see 'capstan mesh --help'");
  if (!size_text == !spacing_text || !out) {
    return cps_complain("mesh needs -o and one of --size and --points; see 'capstan mesh --help'");
  }
  const char* option = size_text ? "--size" : "--points";
  if (spacing_text) size_text = spacing_text;
  CpsMesher mesher = CPS_MESHER_OWN;
  if (with && spacing_text) return cps_complain("--with goes with --size; see 'capstan mesh --help'");
  if (with && !cps_mesher_find(with, &mesher)) return cps_complain("--with: '%s' is not tetgen or gmsh", with);
  bool metres = false, unused;
  double size = read_length(size_text, &metres), unit = read_length(unit_text, &unused);
  if (!(size > 0.0) || !isfinite(size)) return cps_complain("%s: '%s' is not a length such as 5mm", option, size_text);
  if (!(unit > 0.0) || !isfinite(unit)) return cps_complain("--unit: '%s' is not a length such as 1mm", unit_text);
  if (metres) size /= unit;
  if (with) return fill_with(mesher, argv[0], out, size);
  return (spacing_text ? spread : fill)(argv[0], out, size);
}
