// Role: the numbers of what commands and the gateway ask of the master: requests and replies are in
// verbs.h and its neighbours.
#pragma once

#include <cstdint>

namespace wm {

/// Frame types between a client and the master. Append-only. The reply has the same type;
/// a failure has type Failed with a VerbError.
enum class Verb : std::uint16_t {
  Failed = 100,
  Submit = 101,
  Kill = 102,
  Release = 103,  ///< bresume of a held job; also bstop of a pending one
  Resize = 104,
  Jobs = 105,
  Queues = 106,
  Hosts = 107,
  Plans = 108,
  History = 109,
  Peek = 110,
  Admin = 111,
  Wait = 112,  ///< bsub -K: answered when the job's state changes
  Ping = 113,
  State = 140,   ///< badmin snapshot
  Move = 141,    ///< btop, bbot
  Switch = 142,  ///< bswitch
  Spec = 143,    ///< bmod: what is to be changed,
  Modify = 144,  ///< and what it is to be
  Limit = 145,   ///< bmod -W
  Attach = 114,
  Account = 120,       ///< bacct
  Requeue = 260,       ///< brequeue
  Watch = 390,         ///< bjobs --watch
  Await = 391,         ///< bwait
  Budgets = 420,       ///< bplans -b, bsub -cost
  Give = 400,          ///< elements of an open array
  Revoke = 470,        ///< badmin token-revoke, log-off at the web door
  Revoked = 471,       ///< which tokens are revoked, and from when on others
  Note = 472,          ///< what happened at the web door
  Pack = 500,          ///< bsub -pack
  Audit = 501,         ///< badmin hist, audit
  Reserve = 520,       ///< brsvadd, brsvmod, brsvdel
  Reservations = 521,  ///< brsvs
  Group = 522,         ///< bgadd, bgmod, bgdel
  Groups = 523,        ///< bjgroup
  Post = 524,          ///< bpost
  Notes = 525,         ///< bread
  RunNow = 526,        ///< brun
  Migrate = 527,       ///< bmig
  Conf = 528,          ///< bugroup, bmgroup, bapp, blimits
  Perfmon = 529,       ///< badmin perfmon
  Runs = 580,          ///< what has run: pages, REST, dlicmd
  DeleteRuns = 581,    ///< its owner's
  DescribeRun = 582,   ///< names, tags, notes
  Archive = 583,       ///< badmin archive
};

}  // namespace wm
