// Role: an agent's local connections, with workers and with its host's wnoded: how long their
// frames may be and whom they admit (libwm/elastic/PROTOCOL.md, F-1 and F-3). Used by WorkerPort
// and NodePort.
#pragma once

#include "libwm/frames/stream.h"

namespace wm::wagent {

/// Longest frame either way; a peer that is eight of them behind is given up.
inline constexpr frames::Stream::Limits kLocalLimits{1 << 20, 8 << 20};

/// Is it the job's user, or root, at the other end?
bool is_of_job(const frames::Stream::Peer& peer);

}  // namespace wm::wagent
