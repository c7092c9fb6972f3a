// Role: field tables of tokens that are revoked: part of the snapshot (cluster.cc) and of what
// doors are answered (token_verbs.cc). @cost O(entries)
#pragma once

#include "libwm/codec/archive.h"
#include "libwm/model/verbs/token_verbs.h"

namespace wm {

WM_FIELDS(Revocations::OfUser) { f(1, s.before), f(2, s.until); }
WM_FIELDS(Revocations) { f(1, s.ids), f(2, s.users), f(3, s.changed); }

}  // namespace wm
