/// @file capstan.h
/// Everything of the library that needs no file formats. fclib.h is separate (it belongs to capstan-io).
#ifndef CAPSTAN_CAPSTAN_H
#define CAPSTAN_CAPSTAN_H

#include "capstan/base.h"
#include "capstan/generate.h"
#include "capstan/problem.h"
#include "capstan/solve.h"

#endif
