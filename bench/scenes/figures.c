// Draws the figures of docs/scenes and prints its tables: bench-scenes SCENES IMAGES [NAME …]
#include "scenes/charts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Figure {
  const char* name;
  bool (*draw)(const Studio* studio);
} Figure;

static const Figure FIGURES[] = {
    {"ramp", draw_ramp},
    {"grid", draw_ramp_grid},
    {"pinch", draw_pinch},
    {"slide", draw_slide},
    {"tip", draw_tip},
    {"roll", draw_roll},
    {"disc", draw_disc},
    {"puck", draw_puck},
    {"column", draw_column},
    {"triangle", draw_triangle},
    {"wall", draw_wall},
    {"arch", draw_arch},
    {"arch-limit", draw_arch_limit},
    {"cards", draw_cards},
    {"dominoes", draw_dominoes},
    {"heavy", draw_heavy},
    {"loop", draw_loop},
    {"painleve", draw_painleve},
    {"willow", draw_willow},
    {"cantilever", draw_cantilever},
    {"stick-slip", draw_stick_slip},
    {"bend-twist", draw_bend_twist},
    {"orbit", draw_orbit},
    {"capstan", draw_capstan},
    {"plectoneme", draw_plectoneme},
    {"knot", draw_knot},
    {"rope-coil", draw_rope_coil},
    {"settle", draw_settle},
    {"settle-table", draw_settle_table},
    {"cloth-cylinder", draw_cloth_cylinder},
    {"strip-pull", draw_strip_pull},
    {"ball-spin", draw_ball_spin},
    {"stool", draw_stool},
    {"pinch-glass", draw_pinch_glass},
};

static bool is_wanted(const char* name, int count, char** names) {
  for (int i = 0; i < count; ++i) {
    if (strcmp(names[i], name) == 0) return true;
  }
  return count == 0;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: bench-scenes SCENES IMAGES [NAME …]\n");
    return 2;
  }
  Studio studio = {argv[1], argv[2]};
  for (size_t k = 0; k < sizeof FIGURES / sizeof FIGURES[0]; ++k) {
    if (!is_wanted(FIGURES[k].name, argc - 3, argv + 3)) continue;
    printf("%s\n", FIGURES[k].name);
    fflush(stdout);
    if (!FIGURES[k].draw(&studio)) {
      fprintf(stderr, "bench-scenes: could not draw %s\n", FIGURES[k].name);
      return 1;
    }
  }
  return 0;
}
