#include "daemons/wnoded/master_session.h"

#include <functional>
#include <utility>

#include "libwm/codec/codec.h"

namespace wm::node {
namespace {

using std::chrono::milliseconds;

/// A master that has said nothing for so long is silent.
constexpr Duration kSilent = milliseconds(1500);
/// A restored store is minutes old at least: what is kept of the obeyed need not be newer than
/// this.
constexpr Duration kKeepEvery = std::chrono::seconds(10);

// Within a tenth of `pause`, different for each host and each time: hosts that came to a new master
// together do not go on reporting together.
Duration about(Duration pause, const std::string& host, std::uint64_t beat) {
  auto permille = 900 + std::hash<std::string>()(host + "." + std::to_string(beat)) % 201;
  return pause * static_cast<std::int64_t>(permille) / 1000;
}

}  // namespace

MasterSession::MasterSession(Env& env, HostRegister card) : env_(env), card_(std::move(card)) {
  card_.takes_changes = card_.recalls = true;
}

void MasterSession::on_open(std::vector<GpuReport> gpus, std::vector<AttemptStatus> attempts) {
  open_ = true;
  master_down_ = false;
  heard_ = env_.mono();
  auto words = card_;
  words.gpus = std::move(gpus);
  words.attempts = std::move(attempts);
  env_.send(NodeVerb::Register, codec::encode(words));
  facts_.each([this](const HostFact& fact) { env_.send(NodeVerb::Fact, codec::encode(fact)); });
}

void MasterSession::on_lost(bool down) {
  open_ = false;
  master_down_ = down;
}

MasterSeen MasterSession::seen() const {
  if (open_) return env_.mono() - heard_ < kSilent ? MasterSeen::Heard : MasterSeen::Silent;
  return master_down_ ? MasterSeen::Down : MasterSeen::Silent;
}

Result<void> MasterSession::follow(const MasterRank& master) {
  if (!may_obey(card_.obeyed, master))
    return fail(Code::Denied,
                "the master's state is older than what this host has obeyed: " + to_string(master) +
                    " against " + to_string(card_.obeyed) + "; see badmin take-over");
  obey(master, true);
  return {};
}

void MasterSession::on_rank(const MasterRank& master) {
  if (may_obey(card_.obeyed, master)) obey(master, false);
}

void MasterSession::obey(const MasterRank& master, bool at_once) {
  if (master.store.empty() || master == card_.obeyed) return;
  card_.obeyed = master;
  if (!at_once && env_.mono() - obeyed_kept_ < kKeepEvery) return;
  obeyed_kept_ = env_.mono();
  env_.keep_obeyed(master);
}

void MasterSession::beat(Duration pause, HostHeartbeat words) {
  auto now = env_.mono();
  if (!open_ || now - beat_ < about(pause, card_.name, beats_)) return;
  beat_ = now;
  ++beats_;
  words.mem = card_.capacity.mem;
  env_.send(NodeVerb::Heartbeat, codec::encode(words));
}

void MasterSession::tell(Fact fact) {
  auto numbered = facts_.add(std::move(fact));
  if (open_) env_.send(NodeVerb::Fact, codec::encode(numbered));
}

void MasterSession::pass_on(Fact fact) {
  if (open_) env_.send(NodeVerb::Fact, codec::encode(HostFact{0, std::move(fact)}));
}

}  // namespace wm::node
