// Role: rows of one batch behind those of another, as group commits and accounting join them.
// Values only.
#pragma once

#include <iterator>
#include <vector>

namespace wm::store {

/// The rows of `from` stand behind those of `to`, and are moved from. @cost O(rows of `from`)
template <class Row>
void move_to_end(std::vector<Row>& to, std::vector<Row>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace wm::store
