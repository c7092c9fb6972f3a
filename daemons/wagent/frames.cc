#include "daemons/wagent/frames.h"

#include <unistd.h>

namespace wm::wagent {

bool is_of_job(const frames::Stream::Peer& peer) {
  return peer.uid == ::geteuid() || peer.uid == 0;
}

}  // namespace wm::wagent
