// Stands for the viewer's page where Node was missing when the library was built: none.
#include "server/bundle.h"

const CpsBundleFile cps_bundle[1] = {{NULL, NULL, NULL, 0}};
const int cps_bundle_count = 0;
