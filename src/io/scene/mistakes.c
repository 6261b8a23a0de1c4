#include "io/scene/mistakes.h"

bool cps_mistakes_add(CpsMistakes* mistakes, int32_t before, CpsStatus status, const CpsError* error) {
  if (!mistakes || !mistakes->tell || !error || status == CPS_NO_MEMORY) return false;
  if (mistakes->count > before) return true;
  if (mistakes->count++ == 0) {
    mistakes->status = status;
    mistakes->first = *error;
  }
  mistakes->tell(true, error->text, mistakes->data);
  return true;
}
