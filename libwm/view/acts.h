// Role: what administrators and the door did: which acts a word of badmin is about, and an act as a
// line. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libwm/model/verbs/audit.h"

namespace wm::view {

/// Which acts a word of badmin is about: qhist, hhist, mbdhist, doorhist, hist; empty: any.
/// @cost O(1)
std::vector<std::string> acts_of(std::string_view word);

/// Is it hist, mbdhist, qhist, hhist, doorhist or audit? @cost O(1)
bool is_history_word(std::string_view word);
/// "Wed Nov 25 19:11:27 2026: hclose <h1> by ann: broken fan". @cost O(text)
std::string act_line(const AuditEntry& entry);

}  // namespace wm::view
