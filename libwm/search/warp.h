// Role: values of trials made fit for a Gaussian process: what is far above the
// best is drawn together by as much as makes them look normal, and failures
// count as the worst. Of this folder only.
// @source warped targets: Snelson, Rasmussen, Ghahramani, NeurIPS 2003; HEBO:
// Cowen-Rivers et al.,
//         JAIR 74, 2022
#pragma once

#include <vector>

namespace wm::search {

/// Mean 0 and deviation 1, in the order of `values`, which are finite and not
/// empty.
std::vector<double> warped(const std::vector<double>& values);

}  // namespace wm::search
