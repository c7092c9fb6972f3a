// Role: the PMIx server of one job's ranks on this host: the library's upcalls become handlers
// on our loop, our words its calls. The library is opened only here, so that nothing but the
// agents of such jobs carries it.
//
//   ranks ──PMIx──► libpmix (threads of its own) ──post──► handlers ─► answer_…(ticket)
//
// Invariants: every handler runs from the loop; a ticket is answered at most once. The library
// has one server a process, and its upcalls name none: there is one PmixServer at a time.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/node/ranks.h"
#include "libwm/ranks/rank_map.h"

namespace wm::wagent {

/// Which job, and where in it this host is.
struct PmixPlan {
  std::string name;  ///< of the job's namespace, the same on all hosts
  ranks::RankMap map;
  std::uint32_t here = 0;  ///< place in `map`
  std::string folder;      ///< for the library's files; exists, is the user's
  std::string topology;    ///< hwloc's XML; empty: every rank looks for itself
};

/// See the head of this file. @thread the loop's   @owns the library's server
class PmixServer {
 public:
  using Ticket = std::uint64_t;
  struct Handlers {
    std::function<void(std::uint32_t rank)> on_connected, on_finalized;
    /// `ranks`: sorted, empty for all. Answered by answer_fence.
    std::function<void(std::vector<std::uint32_t> ranks, Ticket, std::string bytes)> on_fence;
    /// These ranks connect or disconnect. Answered by answer_fence.
    std::function<void(std::vector<std::uint32_t> ranks, Ticket, Meeting)> on_meeting;
    /// A rank publishes or looks up; `from` and `number` are open. Answered by answer_names.
    std::function<void(NameAsk ask, Ticket)> on_names;
    /// Data of another host's rank is wanted. Answered by answer_modex.
    std::function<void(std::uint32_t rank, Ticket)> on_modex;
    std::function<void(std::uint32_t rank, std::int32_t status, std::string text)> on_abort;
  };

  /// Opens the library, makes the server and tells it of the job.
  /// @errors NotFound: no library; System: in the library's words   @cost 10 to 30 ms
  static Result<std::unique_ptr<PmixServer>> start(boost::asio::io_context& loop,
                                                   const PmixPlan& plan, Handlers handlers);
  virtual ~PmixServer() = default;

  /// Variables by which this host's rank finds the server. @errors System
  virtual Result<std::vector<std::string>> environment_of(std::uint32_t rank) = 0;
  virtual void answer_fence(Ticket ticket, bool ok, const std::string& bytes) = 0;
  virtual void answer_names(Ticket ticket, const NameAnswer& answer) = 0;
  virtual void answer_modex(Ticket ticket, std::int32_t status, const std::string& bytes) = 0;
  /// Data of a rank of this host, when it has put it there.
  using Fetched = std::function<void(std::int32_t status, std::string bytes)>;
  virtual void fetch(std::uint32_t rank, Fetched done) = 0;
};

}  // namespace wm::wagent
