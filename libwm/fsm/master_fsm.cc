// An administrator has chosen this master's state over a newer one that is lost.
#include <algorithm>

#include "libwm/fsm/edit.h"

namespace wm::fsm {

void apply_to(Cluster& c, const TakenOver& e, WallTime, Touched&) {
  c.term = std::max(c.term, e.term);
  c.lost = {c.last_job, std::max(c.last_job, e.last_job)};
  c.last_job = c.lost.to;
}

}  // namespace wm::fsm
