// Role: how much of its resource a trial gets before it is compared: the levels
// of halving, and what each trial was worth at them. Of this folder only.
// @source successive halving: Jamieson, Talwalkar, AISTATS 2016; Hyperband: Li
// et al., JMLR 18, 2018
#pragma once

#include "libwm/search/task.h"

namespace wm::search {

/// Levels from 0: resource_max / eta^top … resource_max, in whole numbers from
/// 1 on, rising.
std::vector<std::uint32_t> levels_of(const Options& options);
/// The level of a trial that was given `resource`: the nearest.
std::size_t level_of(const std::vector<std::uint32_t>& levels, double resource);

/// Running trials that are not among the best 1/eta of those that got as far:
/// each is looked at on the last level it has passed. Levels are eta apart
/// below the most steps that a trial has ended with, down to those that every
/// trial is left: Grace, else a tenth of the most, at least 10; before one has
/// ended there are none. Where trials have no `reports`, only those that are on the same level
/// now are compared.
/// @source stopping instead of promoting: Li et al. (ASHA), MLSys 2020
std::vector<std::uint32_t> losers(const Search& search, const History& history);

}  // namespace wm::search
