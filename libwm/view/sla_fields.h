// Role: a service class, or a guarantee, as bsla shows it: one line of fields, or LSF's paragraph.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libwm/model/verbs/verbs.h"
#include "libwm/view/format.h"

namespace wm::view {

/// The jobs of a class by state.
struct SlaJobs {
  std::uint32_t jobs = 0, pending = 0, running = 0, parked = 0, stopped = 0, finished = 0;
};

/// A service class of slas.conf has `priority` and `jobs`; a plan that owns slots is a `plan`.
struct SlaRow {
  std::string name, goal, status, windows, description;
  std::vector<std::string> users;  ///< empty: everybody
  std::optional<std::uint32_t> priority;
  std::optional<SlaJobs> jobs;
  std::optional<PlanView> plan;
};

/// Every field, in the order of `-o all`. @cost O(1)
std::span<const Field<SlaRow>> sla_fields();
/// "SERVICE CLASS NAME:  …" and what follows. @cost O(text)   @source LSF bsla
std::string sla_text(const SlaRow& row);

}  // namespace wm::view
