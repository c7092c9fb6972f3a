// Role: the names that ranks of one job publish and look up (MPI_Publish_name, the ports of
// MPI_Comm_accept), kept by the agent of the job's first host. A pure machine.
//
//   Publish ─► kept ─► answered to who looks it up ─► kept, or gone where it was for one reader
//   LookUp of what is not there: answered at once, or kept until it is
//
// Invariant: every question is answered once at most; one that waits, when all its names are there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "libwm/model/node/ranks.h"

namespace wm::ranks {

/// See the head of this file. @thread one
class NameBoard {
 public:
  /// What is answered now, to whom. A name is its publisher's: only the publisher may change it.
  /// @cost O(names asked + questions that wait)
  std::vector<NameAnswer> on(const NameAsk& ask);

 private:
  struct Kept {
    NamedValue value;
    bool once = false;
  };
  bool publish(const NameAsk& ask);
  void take_back(const NameAsk& ask);
  bool has_all(const NameAsk& ask) const;
  NameAnswer look_up(const NameAsk& ask);

  std::map<std::string, Kept> kept_;
  std::vector<NameAsk> waiting_;  // in the order in which they came
};

}  // namespace wm::ranks
