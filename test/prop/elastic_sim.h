// Role: a whole elastic job in virtual time: real Agent machines, and simulated workers, links,
// hosts and master around them. Faults come from a seeded generator; what must never happen is
// checked as it runs (violations), what must come in the end by is_settled().
//
//   master ─ node ─ Agent ─ workers      (hosts 1..n; any of them can be cut off, killed,
//   restarted)
//
// Workers follow PROTOCOL.md: connecting in the background, flags in each all-reduce, a state
// exchange first in every group. A member's death lets each of the others finish or fail on its
// own, as it is inside a real all-reduce. Invariant: same options, same run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "libwm/elastic/agent.h"
#include "libwm/elastic/ledger.h"

namespace wm::sim {

struct ElasticSimOptions {
  std::uint64_t seed = 1;
  std::uint32_t hosts = 4;
  std::uint32_t target = 4;     ///< tasks the master wants at first
  std::uint64_t last_step = 0;  ///< training ends there; 0: never
  Duration faults_for = std::chrono::seconds(15);
  bool cuts = true;  ///< hosts are cut off from one another and from the master
  bool master_falls = true;
};

class ElasticSim {
 public:
  explicit ElasticSim(const ElasticSimOptions& options);
  ~ElasticSim();

  /// Faults for a while, then calm for `calm`.
  void run(Duration calm = std::chrono::seconds(60));

  const std::vector<std::string>& violations() const { return violations_; }
  /// The wanted tasks, and only they, train in one epoch, and have made steps lately.
  bool is_settled() const;
  /// Every task has completed the training or left.
  bool is_complete() const;
  std::uint64_t steps() const { return newest_step_; }
  std::string story() const;

 private:
  struct State {
    bool has = false;
    std::uint64_t step = 0, hash = 0;
    elastic::Cursor cursor;
  };
  struct Offer {
    State state;
    EpochNumber ready;
  };
  struct Round {
    std::map<TaskNumber, Offer> in;
    bool complete = false;
  };
  struct Group {
    EpochPlan plan;
    std::set<TaskNumber> trying, closed;
    bool mesh = false;
    std::map<std::uint64_t, Round> rounds;
  };
  struct Worker {
    TaskNumber task;
    HostId host;
    bool alive = true, ready = false, hung = false, bad = false, done = false, left = false;
    EpochNumber dead, top, epoch;
    bool synced = false, grouped = false;  ///< grouped: came from an older group
    EpochPlan in;
    std::optional<EpochPlan> plan, offered;
    bool plan_ready = false, drop_plan = false;
    State state;
    std::uint64_t round = 0, life = 0;
    bool blocked = false, computing = false, standing = false, parked = false;
    EpochNumber broken;
    bool pause_due = false;
  };
  struct Host {
    HostId id;
    bool up = true, cut = false;
    std::uint32_t incarnation = 0, link = 0;
    std::unique_ptr<elastic::Agent> agent;
    std::string follows;
    bool linked = false;
    MasterSeen seen = MasterSeen::Silent;
  };
  struct Event {
    TimePoint at;
    std::uint64_t number;
    std::function<void()> act;
    bool operator<(const Event& o) const { return std::tie(o.at, o.number) < std::tie(at, number); }
  };

  // time and chance (elastic_sim.cc)
  void after(Duration delay, std::function<void()> act);
  void post(const std::string& channel, Duration delay, std::function<void()> act);
  Duration ms(int low, int high);
  bool chance(double p);
  void violate(const std::string& text);
  void note(const std::string& text);

  // hosts and links (elastic_sim.cc)
  bool reach(HostId a, HostId b) const;
  bool reach_master(HostId h) const;
  void start_agent(HostId h);
  void on_agent(HostId h, const elastic::AgentEvent& event);
  void act(HostId h, const elastic::AgentAction& action);
  void try_link(HostId h);
  void break_link(HostId h);
  void send_lead(HostId h, const AgentToLead& words);
  void send_agent(HostId from, HostId to, const LeadToAgent& words);
  void tick(HostId h, std::uint32_t incarnation);
  void beat();

  // master and faults (elastic_sim_master.cc)
  void master();
  bool refresh_wanted();
  bool refresh_lead();
  void broadcast();
  void heard(HostId h, const AgentReport& report);
  void fault();
  void calm();
  Worker* some_worker();

  // workers (elastic_sim_worker.cc)
  void start_worker(HostId h);
  void say(Worker& w, const FromWorker& words);
  void restate(Worker& w);
  void tell(TaskNumber t, const ToWorker& words);
  void obey(Worker& w, const EpochPlan& plan);
  void obey(Worker& w, const EpochWithdrawn& words);
  void obey(Worker& w, const EpochBroken& words);
  void obey(Worker& w, const WorkerLeave&);
  void obey(Worker& w, const WorkerStand& words);
  void obey(Worker&, const WorkerCheckpoint&) {}
  void try_mesh(EpochNumber e);
  void connected(TaskNumber t, EpochNumber e);
  void drop_plan(Worker& w);
  void leave_unsynced(Worker& w);
  void enter(Worker& w, const EpochPlan& plan, bool grouped);
  void offer(Worker& w);
  void try_complete(EpochNumber e, std::uint64_t round);
  void check_round(const Group& group, const Round& round);
  void deliver(TaskNumber t, EpochNumber e, std::uint64_t round);
  void deliver_sync(Worker& w, const Round& round);
  void deliver_step(Worker& w, const Round& round);
  void compute(Worker& w);
  void computed(TaskNumber t, std::uint64_t life);
  void close_group(Worker& w);
  void disturb(EpochNumber e);
  void fail_soon(TaskNumber t, EpochNumber e, Duration delay);
  void fault_self(Worker& w, EpochNumber e);
  void end_worker(Worker& w, const std::string& reason);
  void progress(TaskNumber t);
  void finish(Worker& w);

  ElasticSimOptions options_;
  std::mt19937_64 rng_;
  TimePoint now_{std::chrono::hours(1)};
  std::priority_queue<Event> events_;
  std::uint64_t event_number_ = 0;
  std::map<std::string, TimePoint> last_on_;
  std::map<HostId, Host> hosts_;
  std::map<TaskNumber, Worker> workers_;
  std::map<EpochNumber, Group> groups_;
  std::vector<std::string> violations_;
  std::vector<std::string> story_;

  bool master_up_ = true, faults_ = true;
  std::uint32_t target_ = 0, next_task_ = 1;
  AgentOrder order_;
  std::map<HostId, std::string> addresses_;
  std::map<HostId, TimePoint> host_heard_;
  std::map<TaskNumber, TimePoint> leaving_since_;
  std::set<TaskNumber> faulty_;
  EpochFormed formed_;
  bool training_over_ = false;

  elastic::Ledger ledger_{997, 5, true};
  EpochNumber newest_round_epoch_;
  std::uint64_t newest_step_ = 0;
  TimePoint step_at_{};
};

}  // namespace wm::sim
