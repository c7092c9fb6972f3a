// Plumbing, and one log line for every report and for every word that changes an epoch.
#include "daemons/wagent/elastic/elastic_body.h"

#include "libwm/base/clock.h"
#include "libwm/base/log.h"

namespace wm::wagent {
namespace {

constexpr std::chrono::milliseconds kTick{100};

void log_words(const elastic::SendWorker& action) {
  std::uint32_t task = action.task.value;
  if (auto* plan = std::get_if<EpochPlan>(&action.words)) {
    log::info("plan", {{"task", task},
                       {"epoch", plan->epoch.value},
                       {"world", plan->members.size()},
                       {"emergency", plan->emergency ? 1 : 0},
                       {"reason", plan->reason}});
  } else if (auto* gone = std::get_if<EpochWithdrawn>(&action.words)) {
    log::info("withdrawn",
              {{"task", task}, {"epoch", gone->epoch.value}, {"reason", gone->reason}});
  } else if (auto* broken = std::get_if<EpochBroken>(&action.words)) {
    log::info("broken",
              {{"task", task}, {"epoch", broken->epoch.value}, {"reason", broken->reason}});
  } else if (auto* leave = std::get_if<WorkerLeave>(&action.words)) {
    log::info("leave", {{"task", task}, {"reason", leave->reason}});
  } else if (auto* stand = std::get_if<WorkerStand>(&action.words)) {
    log::warn("stand", {{"task", task}, {"stand", stand->stand ? 1 : 0}});
  }
}

}  // namespace

ElasticBody::ElasticBody(boost::asio::io_context& loop, const Settings& settings)
    : settings_(settings),
      timer_(loop),
      workers_(
          loop, wire::key_for(settings.key, "workers"),
          [this](const WorkerSaid& said) { on(said); },
          [this](const TaskGone& gone) { on(NodeToAgent{gone}); }),
      node_(loop, settings.node_socket,
            {[this] { on(elastic::NodeUp{}); },
             [this](const NodeToAgent& words) {
               auto* order = std::get_if<AgentOrder>(&words);
               if (order && launch_) launch_->on_order(*order);
               if (std::get_if<NodeHeartbeat>(&words) && launch_) launch_->open_consoles();
               if (auto* gone = std::get_if<TaskGone>(&words)) workers_.drain(gone->task);
               on(words);
             }}),
      lead_(loop, settings.key,
            {[this](const elastic::FromAgent& from) { on(from); },
             [this] { on(elastic::LeadUp{}); }, [this](const LeadToAgent& words) { on(words); }}) {}

Result<void> ElasticBody::start(LaunchPort* launch, AgentDoors doors) {
  launch_ = launch;
  doors_ = std::move(doors);
  WM_TRY(workers_.listen(settings_.elastic_socket));
  WM_TRY(auto address, lead_.listen(settings_.address));
  log::info("agent_up", {{"job", to_string(settings_.job)}, {"address", address}});
  agent_.emplace(elastic::AgentIdentity{settings_.job, settings_.attempt, settings_.host, address},
                 steady_now());
  node_.start();
  tick();
  return {};
}

void ElasticBody::on(const elastic::AgentEvent& event) {
  for (const auto& action : agent_->on(event, steady_now())) {
    std::visit([this](const auto& a) { act(a); }, action);
  }
}

void ElasticBody::act(const elastic::SendNode& action) {
  auto* up = std::get_if<AgentUp>(&action.report.fact);
  if (up == nullptr) return void(node_.send(action.report));
  auto report = action.report;
  report.fact = AgentUp{up->address, doors_};
  node_.send(report);
}

void ElasticBody::act(const elastic::SendWorker& action) {
  log_words(action);
  workers_.send(action.task, action.words);
}

void ElasticBody::act(const elastic::SendLead& action) { lead_.send_lead(action.words); }
void ElasticBody::act(const elastic::SendAgent& action) {
  lead_.send_agent(action.host, action.words);
}
void ElasticBody::act(const elastic::FollowLead& action) {
  log::info("follow_lead", {{"address", action.address.empty() ? "here" : action.address}});
  lead_.follow(action.address);
}
void ElasticBody::act(const elastic::DropAgent& action) { lead_.drop(action.host); }

void ElasticBody::tick() {
  on(elastic::Tick{});
  timer_.expires_after(kTick);
  timer_.async_wait([this](const auto& error) {
    if (!error) tick();
  });
}

}  // namespace wm::wagent
