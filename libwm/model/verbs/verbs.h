// Role: what commands and the gateway ask of the master, a file a noun. One request struct and one
// reply struct a verb; a write carries the client's 128-bit request key, so that a retry after a
// lost reply is answered again and never done twice. Values only.
//
// Who may: every verb states it; the session's uid is the caller, never a field.
#pragma once

#include <cstdint>
#include <string>

#include "libwm/model/verbs/admin_verbs.h"
#include "libwm/model/verbs/host_verbs.h"
#include "libwm/model/verbs/job_verbs.h"
#include "libwm/model/verbs/plan_verbs.h"
#include "libwm/model/verbs/queue_verbs.h"
#include "libwm/model/verbs/verb_numbers.h"

namespace wm {

struct VerbError {
  std::uint8_t code = 0;  ///< wm::Code
  std::string text;
  bool operator==(const VerbError&) const = default;
};

}  // namespace wm
