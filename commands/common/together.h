// Role: several works at once, each in a process of its own. Their output comes out of this one
// by whole lines, so that what they write at the same time stays readable.
//
//   work ─pipes─┐
//   work ─pipes─┼─► whole lines ─► our stdout, stderr
//   work ─pipes─┘
#pragma once

#include <functional>
#include <span>

#include "libwm/base/result.h"

namespace wm::cmd {

/// What a process does, in a child of this one; its exit code.
using Work = std::function<int()>;

/// Does all of it and waits for their ends; the first code that is not 0 counts, of one ended by a
/// signal 128 and its number. Processes left behind by a work that has ended are heard until
/// nothing has come for a while. Signals are passed on to all, and what they write then still comes
/// out; a work that outlives us gets SIGTERM.
/// @thread main   @errors Unavailable: no process or pipe is left for one
Result<int> run_together(std::span<const Work> works);

}  // namespace wm::cmd
