// Role: which hosts a job may use at all, whatever is free: its select expression, the hosts
// it asks for, its queue's hosts, GPU model, open or closed. Jobs that ask for the same
// share one answer, so 100,000 alike jobs cost one walk over the hosts. A Request counts what
// each rule removes, for the pending reason. Called by claim_maker.cc and memory.cc.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/sched/capacity/host_capacity.h"
#include "libwm/sched/capacity/layout.h"

namespace wm::sched {

/// Hosts that each rule alone removes, in the order in which the rules are asked.
struct Removed {
  std::uint32_t not_asked = 0;    ///< bsub -m, or the queue's hosts
  std::uint32_t requirement = 0;  ///< select, GPU model, size of the host
  std::uint32_t excluded = 0;     ///< by exit codes of the job's earlier runs there
  std::uint32_t closed = 0;
  std::uint32_t silent = 0;  ///< silent or dead
  std::uint32_t busy = 0;    ///< beyond a load threshold of the queue
};

/// What becomes of a host for a request: the first rule that removes it.
enum class Suits : std::uint8_t { Yes, NotAsked, Lacks, Excluded, Silent, Closed, Busy };

/// One kind of task and where it may go.
struct Request {
  std::shared_ptr<const JobSpec> spec;  ///< of the first job that asked so
  const QueueConf* queue = nullptr;     ///< null: the queue is gone
  std::vector<HostId> excluded;         ///< barred_hosts()
  /// Of LoadedHosts those of its queue; null: none.
  const std::map<HostId, std::string>* busy = nullptr;
  std::vector<std::uint32_t> hosts;  ///< positions in the rooms; open ones, rising or as preferred
  Removed removed;
  std::uint32_t cursor = 0;  ///< hosts before it have no room now
  Placing placing = Placing::Pack;
  UnitRule unit;                      ///< cu[]
  std::vector<std::uint32_t> groups;  ///< same[]: by position in the rooms; empty: no rule
  std::vector<Suits> suits;           ///< by position in the rooms

  /// Do rules bind the hosts of a job to each other? @cost O(1)
  bool binds() const { return unit.any || !groups.empty(); }
  /// Does packing on the fewest hosts decide alone? @cost O(1)
  bool plain() const { return placing == Placing::Pack && !binds(); }
};

/// Puts the request's hosts into the order that `preference` (by room; -m) and order[] ask for, and
/// notes what binds hosts to each other: same[], cu[], the place of its profile or queue.
/// @cost O(hosts log hosts) if they are ordered
void set_layout(Request& request, const Config& config, const std::vector<HostCapacity>& rooms,
                const std::vector<int>& preference);

/// Positions of hosts that changed, rising.
struct HostChanges {
  std::vector<std::uint32_t> any;   ///< in any way: what is used of them, too
  std::vector<std::uint32_t> kind;  ///< of them those that are other hosts now: state, capacity
};

/// The distinct requests of a pass.
class Requests {
 public:
  explicit Requests(const Config& config) : config_(&config) {}

  /// From now on these are loaded. Returns the rooms about which requests have changed their mind.
  /// @cost O(1) where it is the same object, else O(requests of the queues concerned x hosts)
  std::vector<std::uint32_t> set_loaded(std::shared_ptr<const LoadedHosts> loaded,
                                        const std::vector<HostCapacity>& rooms);
  /// The number of the request of a job that asks for `spec`; `excluded`: barred_hosts().
  /// Equal requests get equal numbers. @cost O(log requests), O(hosts) for a new one
  std::uint32_t intern(const JobSpec& spec, const std::vector<HostCapacity>& rooms,
                       const std::vector<HostId>& excluded = {});
  /// Hosts are not what they were. @cost O(requests x changed), and O(hosts log hosts) for
  /// requests that order hosts or bind them to each other
  void refresh(const HostChanges& changes, const std::vector<HostCapacity>& rooms);
  /// @owns valid until the next intern
  Request& operator[](std::uint32_t number) { return requests_[number]; }
  /// Reads one. @owns as above
  const Request& operator[](std::uint32_t number) const { return requests_[number]; }
  /// How many there are. @cost O(1)
  std::size_t size() const { return requests_.size(); }

 private:
  std::optional<std::uint32_t> find(const JobSpec& spec, const std::vector<HostId>& excluded) const;

  const std::map<HostId, std::string>* busy_for(const std::string& queue) const;

  const Config* config_;
  std::shared_ptr<const LoadedHosts> loaded_;
  std::map<std::string, std::uint32_t> numbers_;
  std::vector<Request> requests_;
};

}  // namespace wm::sched
