#include "functions/ordering.h"

#include "functions/steps.h"
#include "run/calls/sorting.h"

namespace quern {

Array sorted_places_by(const std::vector<Array>& keys) {
  Array places = sorted_places(keys[0], false);
  for (size_t k = 1; k < keys.size(); ++k) places = steps::picked(places, sorted_places(steps::picked(keys[k], places), false));
  return places;
}

}  // namespace quern
