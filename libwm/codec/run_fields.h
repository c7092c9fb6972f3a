// Role: field tables of model/run_events.h's values, included by codec/*.cc only. Tags are
// append-only.
#pragma once

#include "libwm/codec/archive.h"
#include "libwm/model/run_events.h"

namespace wm {

WM_FIELDS(RunWords) {
  f(1, s.name), f(2, s.description), f(3, s.note), f(4, s.tags), f(5, s.starred), f(6, s.shelved);
}

}  // namespace wm
