// bqueues: shows queues: priority, state, limits, and the slots of their jobs.
#include <algorithm>

#include "commands/common/command.h"
#include "commands/common/listing.h"

namespace wm::cmd {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"w", Kind::Flag, "", "Wide: nothing is cut off"},
    {"l", Kind::Flag, "", "Everything about each queue"},
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
};

std::string status(const QueueView& q) {
  return std::string(q.closed ? "Closed" : "Open") + ":" + (q.inactive ? "Inact" : "Active");
}

std::string number(std::uint64_t n) { return std::to_string(n); }
std::string limit(std::uint64_t n) { return n == 0 ? "-" : std::to_string(n); }

std::string words(const std::vector<std::string>& list, const char* none) {
  std::string text;
  for (const auto& word : list) text += (text.empty() ? "" : " ") + word;
  return text.empty() ? none : text;
}

constexpr Shown<QueueView> kFields[] = {
    {{"queue_name", "qname queue", 15}, [](const QueueView& q) { return q.conf.name; }},
    {{"priority", "prio", 8}, [](const QueueView& q) { return number(q.conf.priority); }},
    {{"status", "stat", 15}, status},
    {{"max", "", 10}, [](const QueueView& q) { return limit(q.conf.max_slots); }},
    {{"jl_u", "jlu", 10}, [](const QueueView& q) { return limit(q.conf.user_slots); }},
    {{"jl_p", "jlp", 10}, [](const QueueView&) { return std::string("-"); }},
    {{"jl_h", "jlh", 10}, [](const QueueView& q) { return limit(q.conf.host_slots); }},
    {{"njobs", "", 10}, [](const QueueView& q) { return number(q.jobs); }},
    {{"pend", "", 10}, [](const QueueView& q) { return number(q.pending); }},
    {{"run", "", 10}, [](const QueueView& q) { return number(q.running); }},
    {{"susp", "", 10}, [](const QueueView& q) { return number(q.suspended); }},
    {{"rsv", "", 10}, [](const QueueView&) { return std::string("0"); }},
    {{"description", "desc", 50}, [](const QueueView& q) { return q.conf.description; }},
    {{"users", "", 20}, [](const QueueView& q) { return words(q.conf.users, "all"); }},
    {{"hosts", "", 20}, [](const QueueView& q) { return words(q.conf.hosts, "all"); }},
    {{"admins", "", 20}, [](const QueueView& q) { return words(q.conf.admins, ""); }},
};

constexpr Listing kListing{"bqueues", "QUEUES",
                           "queue_name priority status max jl_u jl_p jl_h njobs pend run susp rsv"};

std::string row(const QueueView& q, bool wide) {
  auto right = [](const std::string& text, int width) { return fit(text, width, true); };
  auto name = wide && q.conf.name.size() > 15 ? q.conf.name : fit(q.conf.name, 15);
  return name + " " + right(number(q.conf.priority), 3) + "  " + fit(status(q), 14) +
         right(limit(q.conf.max_slots), 5) + right(limit(q.conf.user_slots), 5) + right("-", 5) +
         right(limit(q.conf.host_slots), 5) + right(number(q.jobs), 6) + right(number(q.pending), 6) +
         right(number(q.running), 6) + right(number(q.suspended), 6) + "\n";
}

std::string table(std::span<const QueueView> queues, bool wide) {
  std::string text =
      "QUEUE_NAME      PRIO STATUS          MAX JL/U JL/P JL/H NJOBS  PEND   RUN  SUSP\n";
  for (const auto& queue : queues) text += row(queue, wide);
  return text;
}

std::string long_form(const QueueView& q) {
  std::string text = "\nQUEUE: " + q.conf.name + "\n  -- " + q.conf.description + "\n\nPARAMETERS/STATISTICS\n" +
                     table({&q, 1}, false);
  auto line = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += std::string(name) + "  " + value + "\n";
  };
  if (!q.why.empty()) line("CLOSED:", q.why);
  text += "\n";
  if (q.conf.run_limit.usual.count() > 0) line("DEFAULT RUNLIMIT:", format_duration(q.conf.run_limit.usual));
  if (q.conf.run_limit.max.count() > 0) line("RUNLIMIT:", format_duration(q.conf.run_limit.max));
  if (q.conf.max_tasks > 0) line("TASKLIMIT:", number(q.conf.max_tasks));
  if (q.conf.mem_limit.value > 0) line("MEMLIMIT:", format_bytes(q.conf.mem_limit));
  line("SCHEDULING POLICIES:", std::string("FAIRSHARE") + (q.conf.exclusive ? " EXCLUSIVE" : ""));
  line("USERS:", words(q.conf.users, "all"));
  line("HOSTS:", words(q.conf.hosts, "all"));
  line("ADMINISTRATORS:", words(q.conf.admins, ""));
  line("APPLICATION:", q.conf.app);
  line("PLAN:", q.conf.plan);
  line("RES_REQ:", q.conf.res_req);
  return text;
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto from, master());
  WM_TRY(auto reply, from.queues({options.words}));
  int code = 0;
  for (const auto& name : options.words) {
    bool known = std::any_of(reply.queues.begin(), reply.queues.end(),
                             [&](const QueueView& q) { return q.conf.name == name; });
    if (!known) complain(name + ": No such queue\n");
    if (!known) code = kRefused;
  }
  WM_TRY(auto text, listed<QueueView>(options, kListing, kFields, reply.queues));
  if (!text && options.has("l")) {
    text.emplace();
    for (const auto& queue : reply.queues) *text += long_form(queue);
  }
  say(text ? *text : reply.queues.empty() ? "" : table(reply.queues, options.has("w")));
  return code;
}

}  // namespace
}  // namespace wm::cmd

int main(int argc, char** argv) {
  using namespace wm::cmd;
  return main_of({"bqueues", "bqueues [options] [queue ...]", kOptions}, argc, argv, run);
}
