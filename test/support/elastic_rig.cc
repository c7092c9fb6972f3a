// Asio on one loop; the agents are processes.
#include "test/support/elastic_rig.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <cstdlib>
#include <filesystem>

#include "libwm/base/result.h"
#include "libwm/codec/codec.h"
#include "libwm/model/node/worker_key.h"
#include "test/support/folder.h"

namespace wm::test {

using boost::asio::local::stream_protocol;

// Not in a nameless namespace: ElasticRig::Impl, which has a name for all files, is made of them.

/// One connection that speaks frames; reads for ever, writes synchronously.
class Wire : public std::enable_shared_from_this<Wire> {
 public:
  using OnFrame = std::function<void(const std::string&)>;
  explicit Wire(stream_protocol::socket socket) : socket_(std::move(socket)) {}

  void start(OnFrame on_frame, std::function<void()> on_closed) {
    on_frame_ = std::move(on_frame);
    on_closed_ = std::move(on_closed);
    read_header();
  }
  void send(const std::string& payload) {
    std::string bytes(4, '\0');
    for (int i = 0; i < 4; ++i) bytes[i] = static_cast<char>(payload.size() >> (8 * i));
    boost::system::error_code ignored;
    boost::asio::write(socket_, boost::asio::buffer(bytes + payload), ignored);
  }
  void close() {
    on_frame_ = nullptr;
    on_closed_ = nullptr;
    boost::system::error_code ignored;
    socket_.close(ignored);
  }

 private:
  void read_header() {
    boost::asio::async_read(socket_, boost::asio::buffer(header_),
                            [self = shared_from_this()](auto error, std::size_t) {
                              if (error) return self->lost();
                              std::uint32_t size = 0;
                              for (int i = 3; i >= 0; --i) size = size << 8 | self->header_[i];
                              self->payload_.resize(size);
                              self->read_payload();
                            });
  }
  void read_payload() {
    boost::asio::async_read(socket_, boost::asio::buffer(payload_),
                            [self = shared_from_this()](auto error, std::size_t) {
                              if (error) return self->lost();
                              if (self->on_frame_) self->on_frame_(self->payload_);
                              self->read_header();
                            });
  }
  void lost() {
    if (auto closed = std::exchange(on_closed_, nullptr)) closed();
  }

  stream_protocol::socket socket_;
  OnFrame on_frame_;
  std::function<void()> on_closed_;
  unsigned char header_[4] = {};
  std::string payload_;
};

struct FakeWorker {
  std::shared_ptr<Wire> wire;
  EpochNumber epoch;
  EpochNumber dead;
  EpochNumber connected;
  std::string key;
  bool alive = true;
};

struct FakeNode {
  std::unique_ptr<stream_protocol::acceptor> acceptor;
  std::shared_ptr<Wire> wire;
  pid_t agent = 0;
  std::string address;
};

struct ElasticRig::Impl {
  boost::asio::io_context loop;
  boost::asio::steady_timer beat{loop};
  std::string dir;
  std::map<std::uint32_t, FakeNode> nodes;
  std::map<std::uint32_t, FakeWorker> workers;
  std::map<EpochNumber, EpochPlan> plans;
  std::vector<AgentFact> facts;
  std::vector<TaskGone> gone;
  AgentOrder order;

  std::uint32_t host_of(std::uint32_t task) const {
    return 1 + (task - 1) % static_cast<std::uint32_t>(nodes.size());
  }
  std::string path(std::uint32_t host, const char* what) const {
    return dir + "/" + std::to_string(host) + "." + what;
  }
  void tell_node(std::uint32_t host, const NodeToAgent& words) {
    if (nodes[host].wire) nodes[host].wire->send(codec::encode(words));
  }
  void accept(std::uint32_t host);
  void heard(std::uint32_t host, const AgentReport& report);
  void beats();
  void spawn(std::uint32_t host);
  void connect(std::uint32_t task);
  void say(std::uint32_t task, const FromWorker& words) {
    if (workers[task].wire) workers[task].wire->send(codec::encode(words));
  }
  void obey(std::uint32_t task, const ToWorker& words);
  void try_switch(EpochNumber epoch);
};

void ElasticRig::Impl::accept(std::uint32_t host) {
  nodes[host].acceptor->async_accept([this, host](auto error, stream_protocol::socket socket) {
    if (error) return;
    auto wire = std::make_shared<Wire>(std::move(socket));
    nodes[host].wire = wire;
    wire->start(
        [this, host](const std::string& bytes) {
          if (auto report = codec::decode<AgentReport>(bytes)) heard(host, *report);
        },
        [] {});
    if (order.lead) tell_node(host, order);
    for (const auto& g : gone) {
      if (host_of(g.task.value) == host) tell_node(host, g);
    }
    accept(host);
  });
}

void ElasticRig::Impl::heard(std::uint32_t host, const AgentReport& report) {
  facts.push_back(report.fact);
  if (auto* up = std::get_if<AgentUp>(&report.fact)) nodes[host].address = up->address;
}

void ElasticRig::Impl::beats() {
  for (auto& [host, node] : nodes) tell_node(host, NodeHeartbeat{MasterSeen::Heard});
  beat.expires_after(std::chrono::milliseconds(200));
  beat.async_wait([this](auto error) {
    if (!error) beats();
  });
}

void ElasticRig::Impl::spawn(std::uint32_t host) {
  const char* build = std::getenv("B");
  std::string program = std::string(build != nullptr ? build : "build") + "/sbin/wagent";
  std::vector<std::string> env = {"WM_ELASTIC_SOCKET=" + path(host, "worker"),
                                  "WM_NODE_SOCKET=" + path(host, "node"),
                                  "WM_AGENT_JOB=7",
                                  "WM_AGENT_ATTEMPT=1",
                                  "WM_AGENT_HOST=" + std::to_string(host),
                                  "WM_AGENT_ADDRESS=127.0.0.1",
                                  "WM_AGENT_KEY=" + std::string(64, 'a')};
  std::vector<char*> envp;
  for (auto& e : env) envp.push_back(e.data());
  envp.push_back(nullptr);
  char* argv[] = {program.data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 2, path(host, "log").c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  WM_CHECK(posix_spawn(&nodes[host].agent, program.c_str(), &files, nullptr, argv, envp.data()) ==
           0);
  posix_spawn_file_actions_destroy(&files);
}

void ElasticRig::Impl::connect(std::uint32_t task) {
  auto& worker = workers[task];
  if (!worker.alive) return;
  stream_protocol::socket socket(loop);
  boost::system::error_code error;
  socket.connect({path(host_of(task), "worker")}, error);
  if (error) {
    auto timer = std::make_shared<boost::asio::steady_timer>(loop, std::chrono::milliseconds(50));
    timer->async_wait([this, task, timer](auto) { connect(task); });
    return;
  }
  worker.wire = std::make_shared<Wire>(std::move(socket));
  worker.wire->start(
      [this, task](const std::string& bytes) {
        auto given = codec::decode<WorkerKey>(bytes);
        if (given && !given->key.empty()) workers[task].key = given->key;
        if (auto words = codec::decode<ToWorker>(bytes)) obey(task, *words);
      },
      [this, task] { connect(task); });
  say(task, WorkerHello{1, TaskNumber{task}, static_cast<std::int32_t>(getpid()), 0});
  say(task, WorkerReady{"127.0.0.1:" + std::to_string(10000 + task)});
  if (worker.epoch) say(task, WorkerSwitched{worker.epoch, 0, Duration(1), true});
}

void ElasticRig::Impl::obey(std::uint32_t task, const ToWorker& words) {
  auto& worker = workers[task];
  if (auto* plan = std::get_if<EpochPlan>(&words)) {
    if (plan->epoch <= std::max({worker.dead, worker.epoch, worker.connected})) return;
    plans[plan->epoch] = *plan;
    worker.connected = plan->epoch;
    say(task, WorkerConnected{plan->epoch});
    try_switch(plan->epoch);
  } else if (auto* broken = std::get_if<EpochBroken>(&words)) {
    worker.dead = std::max(worker.dead, broken->epoch);
    worker.epoch = {};
    say(task, WorkerFaulted{broken->epoch, 0, "obeyed"});
  } else if (auto* withdrawn = std::get_if<EpochWithdrawn>(&words)) {
    worker.dead = std::max(worker.dead, withdrawn->epoch);
  } else if (std::holds_alternative<WorkerLeave>(words)) {
    worker.alive = false;
  }
}

void ElasticRig::Impl::try_switch(EpochNumber epoch) {
  const EpochPlan plan = plans[epoch];
  for (auto m : plan.members) {
    auto& w = workers[m.value];
    if (!w.alive || w.connected != epoch || w.dead >= epoch) return;
  }
  for (auto& [task, worker] : workers) {
    bool member = std::ranges::find(plan.members, TaskNumber{task}) != plan.members.end();
    if (member) {
      worker.epoch = epoch;
      say(task, WorkerSwitched{epoch, 0, Duration(1), true});
    } else if (worker.alive && worker.epoch && worker.connected == epoch) {
      say(task, WorkerLeft{worker.epoch});
      worker.alive = false;
    }
  }
}

ElasticRig::ElasticRig(int hosts) : impl_(std::make_unique<Impl>()) {
  impl_->dir = made_folder();
  for (int k = 1; k <= hosts; ++k) impl_->nodes[k];
  for (auto& [host, node] : impl_->nodes) {
    node.acceptor = std::make_unique<stream_protocol::acceptor>(
        impl_->loop, stream_protocol::endpoint(impl_->path(host, "node")));
    impl_->accept(host);
    impl_->spawn(host);
  }
  impl_->beats();
}

ElasticRig::~ElasticRig() {
  for (auto& [host, node] : impl_->nodes) kill_agent(host);
  std::error_code none;
  std::filesystem::remove_all(impl_->dir, none);
}

bool ElasticRig::run_until(const std::function<bool()>& done, Duration limit) {
  auto end = std::chrono::steady_clock::now() + limit;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    impl_->loop.restart();
    impl_->loop.run_one_for(std::chrono::milliseconds(50));
  }
  return true;
}

bool ElasticRig::agents_up() const {
  return std::ranges::all_of(impl_->nodes, [](auto& n) { return !n.second.address.empty(); });
}

void ElasticRig::order(std::uint32_t lead, std::uint32_t lead_host,
                       const std::vector<std::uint32_t>& tasks,
                       const std::vector<std::uint32_t>& leaving) {
  auto& order = impl_->order;
  order.job = {7, 0};
  order.attempt = Attempt{1};
  order.lead = LeadNumber{lead};
  order.lead_host = HostId{lead_host};
  order.lead_address = impl_->nodes[lead_host].address;
  ++order.generation;
  order.tasks.clear();
  for (auto t : tasks) {
    bool leaves = std::ranges::find(leaving, t) != leaving.end();
    order.tasks.push_back({TaskNumber{t}, HostId{impl_->host_of(t)}, leaves});
  }
  order.start_window = std::chrono::seconds(2);
  order.connect_limit = std::chrono::seconds(5);
  order.hang_limit = std::chrono::seconds(30);
  order.last_epoch = formed().epoch;
  for (auto& [host, node] : impl_->nodes) impl_->tell_node(host, order);
}

void ElasticRig::start_worker(std::uint32_t task) { impl_->connect(task); }

void ElasticRig::kill_worker(std::uint32_t task) {
  auto& worker = impl_->workers[task];
  worker.alive = false;
  if (worker.wire) worker.wire->close();
  impl_->gone.push_back({TaskNumber{task}, "signal 9"});
  impl_->tell_node(impl_->host_of(task), impl_->gone.back());
}

void ElasticRig::break_worker_link(std::uint32_t task) {
  impl_->workers[task].wire->close();
  impl_->connect(task);
}

void ElasticRig::break_node_link(std::uint32_t host) { impl_->nodes[host].wire->close(); }

void ElasticRig::kill_agent(std::uint32_t host) {
  pid_t& agent = impl_->nodes[host].agent;
  if (agent == 0) return;
  ::kill(agent, SIGKILL);
  ::waitpid(agent, nullptr, 0);
  agent = 0;
  impl_->nodes[host].address.clear();
}

void ElasticRig::start_agent(std::uint32_t host) { impl_->spawn(host); }

EpochFormed ElasticRig::formed() const {
  EpochFormed newest;
  for (const auto& fact : impl_->facts) {
    auto* formed = std::get_if<EpochFormed>(&fact);
    if (formed != nullptr && formed->epoch > newest.epoch) newest = *formed;
  }
  return newest;
}

std::vector<TaskNumber> ElasticRig::faulty() const {
  std::vector<TaskNumber> tasks;
  for (const auto& fact : impl_->facts) {
    if (auto* faulty = std::get_if<TaskFaulty>(&fact)) tasks.push_back(faulty->task);
  }
  return tasks;
}

EpochNumber ElasticRig::epoch_of(std::uint32_t task) const {
  auto at = impl_->workers.find(task);
  return at == impl_->workers.end() ? EpochNumber{} : at->second.epoch;
}

EpochNumber ElasticRig::planned_for(std::uint32_t task) const {
  auto at = impl_->workers.find(task);
  return at == impl_->workers.end() ? EpochNumber{} : at->second.connected;
}

std::string ElasticRig::key_of(std::uint32_t task) const { return impl_->workers[task].key; }

std::string ElasticRig::socket_of(std::uint32_t host) const { return impl_->path(host, "worker"); }

}  // namespace wm::test
