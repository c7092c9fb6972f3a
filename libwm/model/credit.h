// Role: which ends of an attempt are the system's own doing. What was drawn until then is given
// back: by budgets at once, in reports as a credit. Values.
#pragma once

#include "libwm/model/reason.h"

namespace wm {

/// Is what an attempt held until such an end not its owner's to pay? Never where its user can bring
/// that end about, as by a file of -o that cannot be made. @cost O(1)
inline bool is_credited(Term term) {
  return term == Term::HostLost || term == Term::ShepherdLost || term == Term::PrologFailed ||
         term == Term::LaunchFailed || term == Term::ConfigGap || term == Term::NotSigned;
}

}  // namespace wm
