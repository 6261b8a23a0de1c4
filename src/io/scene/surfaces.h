// Shapes that need files, formulas or many parts.
#ifndef CAPSTAN_IO_SCENE_SURFACES_H
#define CAPSTAN_IO_SCENE_SURFACES_H

#include "io/scene/internal.h"

CpsStatus cps_scene_hull(CpsReader* reader, const CpsNode* node, CpsShape* shape);
CpsStatus cps_scene_mesh(CpsReader* reader, const CpsNode* node, CpsShape* shape);
CpsStatus cps_scene_cloud(CpsReader* reader, const CpsNode* node, CpsShape* shape);
CpsStatus cps_scene_tube(CpsReader* reader, const CpsNode* node, CpsShape* shape);
CpsStatus cps_scene_container(CpsReader* reader, const CpsNode* node, CpsShape* shape);

#endif
