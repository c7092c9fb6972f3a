// Role: what a start does about the file `outranked` (libwm/store/core/outranked.h): refuse to run
// beside a newer state, or make durable that an administrator chose this one.
#pragma once

#include <boost/asio/io_context.hpp>
#include <string>

#include "daemons/wmasterd/state/core.h"
#include "libwm/base/result.h"
#include "libwm/store/core/outranked.h"

namespace wm::master {

/// The event that makes this store the one hosts obey: a term above both, job numbers above all
/// that are known; `accounted` is the highest in accounting. Pure.
TakenOver take_over_of(const store::Outranked& words, const MasterRank& own,
                       std::uint32_t accounted);

/// Runs `loop` until a wished take-over is durable. Nothing without the file.
/// @errors Conflict: a newer state was met and nobody decided; Damaged, System: the file;
///         Store: it is not durable
/// @thread the loop's, before it serves
Result<void> settle_outranked(const std::string& state_dir, Core& core,
                              boost::asio::io_context& loop, std::uint32_t accounted);

}  // namespace wm::master
