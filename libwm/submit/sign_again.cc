#include "libwm/submit/sign_again.h"

#include <utility>

#include "libwm/submit/stated.h"

namespace wm::cmd {
namespace {

// What `spec` is to be in the next round. Adds what is changed to `said`.
Result<void> prepare(const std::vector<OptionChange>& instead, PolicyRound round,
                     const Surroundings& here, JobSpec& spec, std::string& said) {
  auto text = change_text(instead);
  if (round >= kMostRounds)
    return fail(Code::Denied, "submit_policy wants other options each time, now " + text);
  auto taken = take_options(instead, here, spec);
  if (!taken) return taken.error().within("submit_policy wants " + text);
  said += (said.empty() ? "" : ", then ") + text;
  return {};
}

std::string warning(const std::string& changed) {
  return "submit_policy of this cluster has it with " + changed;
}

/// Items that have no result yet: what is sent, and where in the first pack it stands.
struct Items {
  std::vector<client::PackJob> jobs;
  std::vector<std::size_t> places;
  std::vector<std::string> changed;  // by place
};

// Results into `all`; returns those that are to be sent again.
Items next_items(PackReply reply, Items sent, PolicyRound round, const Surroundings& here,
                 PackReply& all) {
  Items next;
  next.changed = std::move(sent.changed);
  for (std::size_t i = 0; i < sent.places.size() && i < reply.items.size(); ++i) {
    auto at = sent.places[i];
    auto instead = std::exchange(reply.items[i].instead, {});
    all.items[at] = std::move(reply.items[i]);
    if (instead.empty()) continue;
    auto ready = prepare(instead, round, here, sent.jobs[i].spec, next.changed[at]);
    if (!ready) {
      all.items[at] = {};
      all.items[at].code = static_cast<std::uint8_t>(ready.error().code);
      all.items[at].text = ready.error().text;
      continue;
    }
    next.jobs.push_back(std::move(sent.jobs[i]));
    next.places.push_back(at);
  }
  return next;
}

}  // namespace

Result<SubmitReply> submit_signed(client::Master& to, JobSpec spec, const std::string& script,
                                  const std::string& env, const Surroundings& here) {
  std::string changed;
  for (PolicyRound round = 1;; ++round) {
    WM_TRY(auto reply, to.submit(spec, script, env, round));
    if (reply.instead.empty()) {
      if (!changed.empty()) reply.warnings.push_back(warning(changed));
      return reply;
    }
    WM_TRY(prepare(reply.instead, round, here, spec, changed));
  }
}

Result<PackReply> pack_signed(client::Master& to, std::vector<client::PackJob> jobs,
                              const std::string& env, const Surroundings& here) {
  PackReply all;
  Items items{std::move(jobs), {}, {}};
  all.items.resize(items.jobs.size());
  items.changed.resize(items.jobs.size());
  for (std::size_t i = 0; i < items.jobs.size(); ++i) items.places.push_back(i);
  for (PolicyRound round = 1; !items.jobs.empty(); ++round) {
    auto reply = to.pack(items.jobs, env, round);
    // What a later round cannot send was not submitted; the earlier ones are, and are told.
    if (!reply && round == 1) return reply.error();
    if (!reply) {
      for (auto at : items.places) {
        all.items[at].code = static_cast<std::uint8_t>(reply.error().code);
        all.items[at].text = reply.error().text;
      }
      break;
    }
    items = next_items(*std::move(reply), std::move(items), round, here, all);
  }
  for (std::size_t i = 0; i < all.items.size(); ++i)
    if (all.items[i].code == 0 && !items.changed[i].empty())
      all.items[i].warnings.push_back(warning(items.changed[i]));
  return all;
}

Result<Modified> modify_signed(client::Master& to, JobId job, std::uint32_t revision, JobSpec spec,
                               const Surroundings& here) {
  std::string changed;
  for (PolicyRound round = 1;; ++round) {
    WM_TRY(auto reply, to.modify(job, revision, spec, round));
    if (reply.instead.empty())
      return Modified{std::move(reply), changed.empty() ? "" : warning(changed)};
    WM_TRY(prepare(reply.instead, round, here, spec, changed));
  }
}

}  // namespace wm::cmd
