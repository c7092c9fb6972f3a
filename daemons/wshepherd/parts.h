// Role: what a shepherd consists of: the attempt, what acts beside its tasks, and in which order.
// orders.h says what wnoded's orders ask of them, shepherd.h when they act.
#pragma once

#include <array>

#include "daemons/wshepherd/acts.h"
#include "daemons/wshepherd/around.h"
#include "daemons/wshepherd/at_run_limit.h"
#include "daemons/wshepherd/copiers.h"
#include "daemons/wshepherd/delivery.h"
#include "daemons/wshepherd/folder_watch.h"
#include "daemons/wshepherd/launched_part.h"
#include "daemons/wshepherd/rank_watch.h"
#include "daemons/wshepherd/records.h"
#include "daemons/wshepherd/successors.h"
#include "daemons/wshepherd/tellers.h"
#include "daemons/wshepherd/trial_words.h"

namespace wm::shepherd {

/// Each refers to those before it. @thread the shepherd's
struct Parts {
  Parts(const Env& env, Place place, launch::AttemptSpec spec)
      : attempt{env, std::move(place), std::move(spec)} {}
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  Attempt attempt;
  Folder folder{attempt};
  Records records{attempt};
  Strays strays{attempt};
  Enders enders{attempt, strays};
  SideCommands sides{attempt};
  UseWatch use{attempt, enders, strays, sides};
  FolderWatch folder_watch{attempt, folder, enders, sides};
  Reporter reporter{attempt, use};
  Copiers copiers{attempt, folder};
  Tellers tellers{attempt};
  TrialWords trial_words{attempt};
  Warm warm{attempt, folder};
  Starter starter{attempt, warm};
  Successors successors{attempt, enders, starter};
  Acts acts{attempt, sides};
  RunLimit run_limit;
  Around around{attempt, sides, starter, run_limit, reporter};
  Agent agent{attempt, folder};
  Delivery delivery{attempt, sides, reporter, agent};
  RankWatch ranks{attempt};
  LaunchedPart launched{attempt, agent};
  AtRunLimit at_run_limit{attempt, run_limit, sides, acts, enders};

  /// In the order in which they act: what others have used is looked at when these have acted.
  const std::array<Behaviour*, 16> behaviours{
      &sides, &at_run_limit, &acts,         &enders,  &agent,   &launched,    &strays,   &warm,
      &ranks, &use,          &folder_watch, &copiers, &tellers, &trial_words, &reporter, &delivery};
};

}  // namespace wm::shepherd
