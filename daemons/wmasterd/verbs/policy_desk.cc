#include "daemons/wmasterd/verbs/policy_desk.h"

#include <memory>
#include <utility>

#include "libwm/base/log.h"

namespace wm::master {
namespace {

constexpr const char* kKinds[] = {"accepted", "refused", "options", "failed"};

std::string joined(std::vector<std::string>& lines) {
  std::string all;
  for (const auto& line : lines) all += line;
  return all;
}

}  // namespace

Result<void> PolicyDesk::ask(const SubmitPolicyConf& conf, std::uint32_t uid, std::size_t bytes,
                             std::vector<std::string> lines, Then then) {
  for (const auto& line : lines) bytes += line.size();
  auto own = accounts_.find(uid);
  bool full = bytes_ + bytes > kMostWaiting && bytes_ > 0;
  bool own_full = own != accounts_.end() && own->second.bytes + bytes > kMostWaitingOfOne;
  if (full || own_full)
    return fail(Code::Unavailable, std::string("too many submissions") +
                                       (own_full ? " of yours" : "") +
                                       " wait for submit_policy: try again");
  auto& account = accounts_[uid];
  account.waits.push_back({conf, bytes, std::move(lines), std::move(then)});
  account.bytes += bytes;
  bytes_ += bytes;
  begin_next();
  return {};
}

// The next account in turn that has one.
void PolicyDesk::begin_next() {
  for (;;) {
    auto next = accounts_.end();
    for (auto it = accounts_.begin(); it != accounts_.end(); ++it) {
      if (it->second.waits.empty()) continue;
      if (next == accounts_.end()) next = it;
      if (it->first <= last_) continue;
      next = it;
      break;
    }
    if (next == accounts_.end()) return;
    if (running_ >= next->second.waits.front().conf.at_once) return;
    last_ = next->first;
    auto request = std::move(next->second.waits.front());
    next->second.waits.pop_front();
    begin(next->first, std::move(request));
  }
}

void PolicyDesk::begin(std::uint32_t uid, Waiting request) {
  ++running_;
  PolicyQuestion question{request.conf.command, request.conf.limit, joined(request.lines)};
  auto kept = std::make_shared<Waiting>(std::move(request));
  auto done = [this, uid, kept, begun = clock_.mono()](const Result<std::string>& said) {
    counts_.runs.add(std::chrono::duration<double>(clock_.mono() - begun).count());
    auto verdicts = judged(*kept, said);
    end(uid, kept->bytes);
    kept->then(std::move(verdicts));
  };
  if (asker_) return asker_(std::move(question), std::move(done));
  clock_.after({}, [done] { done(fail(Code::Unavailable, "nothing here can run it")); });
}

void PolicyDesk::end(std::uint32_t uid, std::size_t bytes) {
  --running_;
  bytes_ -= bytes;
  auto account = accounts_.find(uid);
  account->second.bytes -= bytes;
  if (account->second.waits.empty() && account->second.bytes == 0) accounts_.erase(account);
  begin_next();
}

std::vector<Verdict> PolicyDesk::judged(const Waiting& request, const Result<std::string>& said) {
  const auto wanted = request.lines.size();
  auto verdicts =
      said ? read_verdicts(*said, wanted)
           : std::vector<Verdict>(wanted, {Verdict::Kind::Failed, said.error().text, {}});
  const bool accepts = request.conf.failure == "accept";
  bool told = false;
  for (auto& verdict : verdicts) {
    ++counts_.verdicts[kKinds[static_cast<std::size_t>(verdict.kind)]];
    if (verdict.kind != Verdict::Kind::Failed) continue;
    if (!std::exchange(told, true))
      log::error("submit_policy_failed", {{"command", request.conf.command},
                                          {"why", verdict.words},
                                          {"jobs", wanted},
                                          {"accepted", accepts ? "yes" : "no"}});
    if (accepts) verdict = {};
  }
  return verdicts;
}

}  // namespace wm::master
