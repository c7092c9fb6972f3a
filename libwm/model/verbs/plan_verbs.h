// Role: what commands and the gateway ask about resource plans: one request struct and one reply
// struct a verb. Rules as verbs.h says. Values only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/model/config/config.h"
#include "libwm/model/verbs/verb_numbers.h"

namespace wm {

/// Anyone.
struct PlansRequest {
  using Reply = struct PlansReply;
  static constexpr Verb kVerb = Verb::Plans;
  std::vector<std::string> paths;
  bool operator==(const PlansRequest&) const = default;
};

/// What a plan has of another's. @units as the plan's
struct PlanLoan {
  std::string from, to;
  std::uint32_t amount = 0;
  bool operator==(const PlanLoan&) const = default;
};

/// Slots (or GPUs, where GPUs are what is short) of a plan and everything below it.
struct PlanView {
  std::string path;
  std::uint32_t shares = 0, owns = 0;
  std::int64_t limit = -1;  ///< -1 = none
  std::uint32_t used = 0, demand = 0, deserved = 0, lent = 0, borrowed = 0;
  PlanConf conf;
  std::vector<PlanLoan> loans;   ///< that it gave or took
  double used_lately = 0;        ///< decayed dominant share of the cluster, seconds
  std::uint32_t weight_now = 0;  ///< shares bent by history, thousandths
  bool gpus = false;             ///< counted in GPUs, else in slots
  bool operator==(const PlanView&) const = default;
};
struct PlansReply {
  std::vector<PlanView> plans;  ///< tree order
  bool operator==(const PlansReply&) const = default;
};

}  // namespace wm
