// Role: the key that the agents of an elastic job give to its workers, so that these know each
// other on connections that anybody on their machines can open. Stands beside the words of
// elastic.h on link 2 (libwm/elastic/PROTOCOL.md, F-4); who does not know it hears nothing.
#pragma once

#include <string>

namespace wm {

/// Agent to worker, right after its hello. The same for all workers of the attempt.
struct WorkerKey {
  std::string key;  ///< @shape [32] bytes; empty: these were other words
  bool operator==(const WorkerKey&) const = default;
};

}  // namespace wm
