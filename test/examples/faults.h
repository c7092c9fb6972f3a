// Role: a Backend that ends this process by SIGKILL at a chosen point, so that tests see every
// awkward one. $TEST_KILL = WHERE:NUMBER:
//
//   before | inside | after   the sum that makes step NUMBER
//   connect | switch | switched   epoch NUMBER or a later one: while connecting to it, before
//                                 its first collective, between that and its first step
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "libwm/trainer/groups/group.h"

namespace example {

/// `backend` itself when $TEST_KILL is not set, else with the fault planted. `step`: number of
/// the step that the next sum makes, 0 when it makes none. @thread any
std::shared_ptr<wm::groups::Backend> with_faults(std::shared_ptr<wm::groups::Backend> backend,
                                                 std::function<std::uint64_t()> step);

}  // namespace example
