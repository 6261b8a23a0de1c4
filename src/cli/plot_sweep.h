// Plots of sweeps: a quantity over the first key that varies, one curve for each combination of the others.
#ifndef CAPSTAN_CLI_PLOT_SWEEP_H
#define CAPSTAN_CLI_PLOT_SWEEP_H

#include <stdbool.h>

// Whether a path is a folder that holds a sweep.
bool cps_is_sweep(const char* path);
// Draws `what` (sweep_table.h). Cases that differ in their seed alone are averaged. Returns an exit code.
int cps_plot_sweep(const char* folder, const char* what, const char* output, bool quiet);

#endif
