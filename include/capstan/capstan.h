/// @file capstan.h Includes all headers of the library that need no file formats. export.h, fclib.h, frame.h, hair.h,
/// mesh.h, result.h and scene.h are separate (they belong to capstan-io).
#ifndef CAPSTAN_CAPSTAN_H
#define CAPSTAN_CAPSTAN_H

#include "capstan/array.h"
#include "capstan/base.h"
#include "capstan/custom.h"
#include "capstan/fibre.h"
#include "capstan/flow.h"
#include "capstan/generate.h"
#include "capstan/grains.h"
#include "capstan/inverse.h"
#include "capstan/problem.h"
#include "capstan/pull.h"
#include "capstan/shape.h"
#include "capstan/sheet.h"
#include "capstan/solid.h"
#include "capstan/solve.h"
#include "capstan/tie.h"
#include "capstan/vec.h"
#include "capstan/vertex.h"
#include "capstan/world.h"

#endif
