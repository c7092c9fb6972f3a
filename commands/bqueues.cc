// bqueues: shows queues: priority, state, limits, and the slots of their jobs. Formatting is
// common/queue_fields and common/listing.
#include <algorithm>

#include "commands/common/command.h"
#include "commands/common/listing.h"
#include "libwm/view/queue_fields.h"

namespace wm::cmd::bqueues {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"w", Kind::Flag, "", "Wide: nothing is cut off"},
    {"l", Kind::Flag, "", "Everything about each queue"},
    {"r", Kind::Flag, "", "With -l's: shares and use of the plans, level by level"},
    {"m", Kind::Text, "host", "Queues that may use this host"},
    {"u", Kind::Text, "user", "Queues that this user may use"},
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
    {"alloc", Kind::IgnoredFlag, "", ""},
};

constexpr Listing kListing{"bqueues", "QUEUES",
                           "queue_name priority status max jl_u jl_p jl_h njobs pend run susp rsv",
                           "LSB_BQUEUES_FORMAT"};

bool allows(const std::vector<std::string>& list, const std::optional<std::string>& name) {
  if (!name || list.empty()) return true;
  return std::find(list.begin(), list.end(), *name) != list.end() ||
         std::find(list.begin(), list.end(), "all") != list.end();
}

std::vector<QueueView> selected(const Parsed& options, std::vector<QueueView> queues) {
  auto host = options.first("m"), user = options.first("u");
  std::erase_if(queues, [&](auto& view) {
    return !allows(view.conf.hosts, host) || !allows(view.conf.users, user);
  });
  return queues;
}

Result<std::string> shown(const Parsed& options, std::span<const QueueView> queues,
                          std::span<const PlanView> plans) {
  WM_TRY(auto listing, listed<QueueView>(options, kListing, view::queue_fields(), queues));
  if (listing) return *listing;
  if (!options.has("l") && !options.has("r"))
    return view::queue_table(queues, options.has("w"), !options.has("noheader"));
  std::string text;
  for (const auto& view : queues)
    text += (text.empty() ? "" : std::string(79, '-') + "\n") + view::queue_long_text(view) +
            (options.has("r") ? "\n" + view::share_info(view.conf.name, plans) : "");
  return text;
}

// Names that the cluster does not have, on stderr; the exit code that goes with it.
int exit_code(const Parsed& options, std::span<const QueueView> queues) {
  int code = 0;
  for (const auto& name : options.words) {
    auto known = std::any_of(queues.begin(), queues.end(),
                             [&](auto& view) { return view.conf.name == name; });
    if (known) continue;
    complain(name + ": No such queue\n");
    code = kRefused;
  }
  return code;
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto from, master());
  WM_TRY(auto reply, from.ask(QueuesRequest{options.words}));
  auto queues = selected(options, reply.queues);
  if (options.has("l") || options.has("o") || options.has("json")) {
    WM_TRY(auto config, from.conf());
    for (auto& view : queues) view = view::with_slashes(std::move(view), *config);
  }
  PlansReply plans;
  if (options.has("r")) {
    WM_TRY(plans, from.ask(PlansRequest{}));
  }
  WM_TRY(auto text, shown(options, queues, plans.plans));
  if (!queues.empty() || options.has("json")) say(text);
  return exit_code(options, reply.queues);
}

}  // namespace
}  // namespace wm::cmd::bqueues

int main(int argc, char** argv) {
  using namespace wm::cmd::bqueues;
  return main_of({"bqueues", "bqueues [options] [queue_name ...]", kOptions}, argc, argv, run);
}
