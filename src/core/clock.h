// Clocks: CPU time of the process and wall-clock time, in seconds.
#ifndef CAPSTAN_CORE_CLOCK_H
#define CAPSTAN_CORE_CLOCK_H

double cps_clock_cpu(void);
double cps_clock_wall(void);

#endif
