#include "daemons/wnoded/mps.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "libwm/base/joined.h"
#include "libwm/base/log.h"

namespace wm::node {
namespace {

constexpr auto kStartLimit = std::chrono::seconds(20);

// "1001 GPU-a GPU-b": kept by the shepherd over a restart.
std::string memo_of(const MpsKey& key) { return std::to_string(key.uid) + " " + joined(key.uuids); }

MpsKey key_of(const std::string& memo) {
  std::istringstream in(memo);
  MpsKey key;
  in >> key.uid;
  for (std::string uuid; in >> uuid;) key.uuids.push_back(uuid);
  return key;
}

}  // namespace

std::string Mps::folder(const launch::AttemptKey& key) const {
  return host_.run + "/" + to_string(key) + ".d";
}

std::map<MpsKey, Mps::Daemon>::iterator Mps::find(const launch::AttemptKey& key) {
  return std::find_if(daemons_.begin(), daemons_.end(),
                      [&](const auto& entry) { return entry.second.key == key; });
}

launch::AttemptSpec Mps::spec(const MpsKey& key, const Daemon& daemon,
                              const launch::Account& account, Duration grace) const {
  launch::AttemptSpec spec;
  spec.cluster = host_.cluster;
  spec.key = daemon.key;
  spec.account = account;
  spec.cwd = "/";
  spec.kill_interval = spec.kill_grace = grace;
  spec.files = {{"uuids", joined(key.uuids, "\n") + "\n", false}};  // makes the folder
  spec.memo = memo_of(key);
  auto place = folder(daemon.key);
  launch::TaskSpec task;
  task.task = {1};
  task.argv = {host_.mps_program, "-f"};
  task.env = {"CUDA_MPS_LOG_DIRECTORY=" + place, "CUDA_MPS_PIPE_DIRECTORY=" + place,
              "CUDA_VISIBLE_DEVICES=" + joined(key.uuids, ","),
              "PATH=/usr/local/bin:/usr/bin:/bin"};
  task.env.push_back(std::string(launch::kAttemptVariable) + "=" +
                     launch::attempt_marker(host_.cluster, host_.name, daemon.key));
  task.env.insert(task.env.end(), host_.passed_on.begin(), host_.passed_on.end());
  task.out = {{.path = place + "/said", .name = {}, .limit_bytes = 1 << 20}};
  task.merge_err = true;
  spec.tasks = {task};
  return spec;
}

Mps::Stand Mps::need(const MpsKey& key, const launch::Account& account, Duration grace) {
  auto [at, fresh] = daemons_.try_emplace(key);
  auto& daemon = at->second;
  if (fresh) {
    daemon.key = {{0, ++last_}, {1}};
    daemon.since = env_.mono();
    log::info("mps_start", {{"uid", key.uid}, {"gpus", joined(key.uuids, ",")}});
    env_.launcher().start(spec(key, daemon, account, grace));
  }
  if (daemon.stage == Stage::Ready) return Stand::Ready;
  return daemon.stage == Stage::Failed ? Stand::Failed : Stand::Starting;
}

/// True: it is not starting any more.
bool Mps::look(Daemon& daemon) {
  if (env_.exists(folder(daemon.key) + "/control")) {
    daemon.stage = Stage::Ready;
  } else if (env_.mono() - daemon.since > kStartLimit) {
    daemon.stage = Stage::Failed;
    env_.launcher().tell(daemon.key, launch::Finish{"it does not become ready"});
  }
  return daemon.stage != Stage::Starting;
}

bool Mps::on_tick(const std::set<MpsKey>& wanted) {
  bool changed = std::exchange(changed_, false);
  for (auto at = daemons_.begin(); at != daemons_.end();) {
    auto& daemon = at->second;
    bool is_wanted = wanted.contains(at->first);
    if (is_wanted && daemon.stage == Stage::Starting) changed = look(daemon) || changed;
    bool ends = !is_wanted && (daemon.stage == Stage::Starting || daemon.stage == Stage::Ready);
    if (ends) {  // it keeps its GPUs held until its shepherd says that it is gone
      daemon.stage = Stage::Ending;
      env_.launcher().tell(daemon.key, launch::Finish{"no task needs it"});
    }
    if (!is_wanted && daemon.stage == Stage::Failed) at = daemons_.erase(at);
    else ++at;
  }
  return changed;
}

std::set<std::string> Mps::held() const {
  std::set<std::string> held;
  for (const auto& [key, daemon] : daemons_)
    if (daemon.stage != Stage::Failed) held.insert(key.uuids.begin(), key.uuids.end());
  return held;
}

std::vector<std::string> Mps::variables(const MpsKey& key, const TaskRequest& request) const {
  auto at = daemons_.find(key);
  if (at == daemons_.end()) return {};
  auto place = folder(at->second.key);
  std::vector<std::string> made{"CUDA_MPS_LOG_DIRECTORY=" + place,
                                "CUDA_MPS_PIPE_DIRECTORY=" + place};
  if (!request.gpu_shared || request.gpu_mem == Bytes{0}) return made;
  std::string limits;  // by the client's own count of its devices
  for (std::size_t i = 0; i < key.uuids.size(); ++i)
    limits += (i ? "," : "") + std::to_string(i) + "=" +
              std::to_string(request.gpu_mem.value >> 20) + "M";
  made.push_back("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=" + limits);
  return made;
}

void Mps::adopt(const launch::ShepherdUp& word) {
  last_ = std::max(last_, word.key.job.index);
  auto& daemon = daemons_[key_of(word.memo)];
  daemon.key = word.key;
  daemon.since = env_.mono();
}

void Mps::on_word(const launch::AttemptKey& key, const launch::ShepherdWord& word) {
  if (!std::holds_alternative<launch::AttemptEnded>(word)) return;
  auto at = find(key);
  if (at == daemons_.end()) return;
  changed_ = true;
  if (at->second.stage == Stage::Ending) {
    daemons_.erase(at);
    return;
  }
  const auto& record = std::get<launch::AttemptEnded>(word).record;
  log::warn("mps_ended", {{"gpus", joined(at->first.uuids, ",")}, {"why", record.text}});
  at->second.stage = Stage::Failed;
}

void Mps::on_shepherd_lost(const launch::AttemptKey& key, Duration grace) {
  if (find(key) != daemons_.end()) env_.launcher().sweep({host_.cluster, key, {}, grace});
}

}  // namespace wm::node
