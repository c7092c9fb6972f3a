// Role: rows of one batch behind those of another, as group commits and accounting join them. Of
// this folder only.
#pragma once

#include <iterator>
#include <vector>

namespace wm::store {

template <class Row>
void move_to_end(std::vector<Row>& to, std::vector<Row>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace wm::store
