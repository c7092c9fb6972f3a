#include "libwm/submit/modification.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace wm::cmd {
namespace {

// Of bsub's options these are about the submission itself, or about what is running already.
constexpr std::string_view kOnce[] = {
    "H",  "K", "I",  "Ip",     "Is",   "env",    "L",    "mpi",  "tag",  "nnodes", "f", "i",
    "is", "q", "rn", "resume", "spec", "bundle", "open", "cost", "pack", "a",      "Zs"};

struct Reset {
  Option option;
  void (*undo)(JobSpec&);
};

constexpr Option flag(std::string_view name, std::string_view doc) {
  return {name, Option::Kind::Flag, "", doc};
}

const Reset kResets[] = {
    {flag("arn", "Not elastic"), [](JobSpec& s) { s.elastic = false, s.sizes = {}; }},
    {flag("gpun", "No GPUs"), [](JobSpec& s) { s.asked.gpu.clear(); }},
    {flag("nn", "As many tasks as its profile or queue says"),
     [](JobSpec& s) { s.min_tasks = s.max_tasks = 1, s.default_tasks = s.groups.empty(); }},
    {flag("Rn", "No requirement"), [](JobSpec& s) { s.asked.resreq.clear(); }},
    {flag("Wn", "No run limit but its profile's or queue's"), [](JobSpec& s) { s.run_limit = {}; }},
    {flag("Mn", "No memory limit but its queue's"), [](JobSpec& s) { s.limits.mem = {}; }},
    {flag("mn", "Any hosts"), [](JobSpec& s) { s.asked.hosts.clear(); }},
    {flag("xn", "Not whole hosts"), [](JobSpec& s) { s.exclusive = false; }},
    {flag("rn", "Not started again when its host is lost"),
     [](JobSpec& s) { s.rerunnable = false; }},
    {flag("spn", "No priority of its own"), [](JobSpec& s) { s.user_priority = 0; }},
    {flag("wn", "No condition"), [](JobSpec& s) { s.when.depend.clear(); }},
    {flag("tin", "Not ended for a condition"), [](JobSpec& s) { s.when.orphan_kill = false; }},
    {flag("bn", "No earliest start"), [](JobSpec& s) { s.when.begin = {}; }},
    {flag("tn", "No end date"), [](JobSpec& s) { s.when.deadline = {}; }},
    {flag("on", "No output file"), [](JobSpec& s) { s.files.out.clear(); }},
    {flag("en", "No file for errors"), [](JobSpec& s) { s.files.err.clear(); }},
    {flag("outdirn", "No output directory"), [](JobSpec& s) { s.files.outdir.clear(); }},
    {flag("En", "Nothing before it"), [](JobSpec& s) { s.side.pre.clear(); }},
    {flag("Epn", "Nothing after it"), [](JobSpec& s) { s.side.post.clear(); }},
    {flag("Qn", "No codes that queue it again"), [](JobSpec& s) { s.requeue_exits = {}; }},
    {flag("wan", "No warning"),
     [](JobSpec& s) { s.side.warn_action.clear(), s.side.warn_time = {}; }},
    {flag("Bn", "No mail when it starts"), [](JobSpec& s) { s.mail.at_start = false; }},
    {flag("Nn", "No mailed report"), [](JobSpec& s) { s.mail.at_end = false; }},
    {flag("notifyn", "No notification"), [](JobSpec& s) { s.mail.notify = {}; }},
    {flag("un", "Mail to the owner"), [](JobSpec& s) { s.mail.to.clear(); }},
    {flag("Jdn", "No description"), [](JobSpec& s) { s.description.clear(); }},
    {flag("Un", "Of no reservation"), [](JobSpec& s) { s.reservation.clear(); }},
    {flag("slan", "Of no service class"), [](JobSpec& s) { s.service_class.clear(); }},
    {flag("Wen", "No estimate"), [](JobSpec& s) { s.run_estimate = {}; }},
    {flag("kn", "No checkpoints"), [](JobSpec& s) { s.checkpoint = {}; }},
    {flag("sn", "Stopped when the run window closes"),
     [](JobSpec& s) { s.side.window_signal = 0; }},
};

std::vector<Option> all_options() {
  std::vector<Option> all = {
      {"q", Option::Kind::Text, "queue", "Queue", "The job"},
      {"Z", Option::Kind::Text, "command", "Another command, of a job that is no script"}};
  for (const Option& option : submit_options()) {
    if (std::ranges::find(kOnce, option.name) == std::end(kOnce)) all.push_back(option);
  }
  const auto first = all.size();
  for (const Reset& reset : kResets) all.push_back(reset.option);
  all[first].group = "Taken back";
  all.push_back(flag("sign", "Sign it anew, as it is; also a job that runs"));
  return all;
}

// What -M reserved follows it; what -R says stays.
Result<void> follow_memory(JobSpec& spec, Bytes before) {
  constexpr double kMega = 1 << 20;
  WM_TRY(auto reqs, expr::parse_requirements(std::array{spec.asked.resreq}));
  for (auto& req : reqs)
    std::erase_if(req.rusage, [&](const expr::RusageTerm& term) {
      return term.resource == "mem" && before.value > 0 &&
             term.amount * kMega == static_cast<double>(before.value);
    });
  set_requirements(std::move(reqs), spec);
  return {};
}

// "%5", as in the name of an array.
Result<std::uint32_t> array_limit(const std::string& text) {
  std::uint32_t limit = 0;
  auto [end, ec] = std::from_chars(text.data() + 1, text.data() + text.size(), limit);
  if (ec == std::errc() && end == text.data() + text.size()) return limit;
  return fail(Code::BadArgument, "-J " + text + ": Bad argument, a number is wanted after %");
}

}  // namespace

std::span<const Option> modify_options() {
  static const std::vector<Option> options = all_options();
  return options;
}

Result<void> change_spec(const Parsed& given, const Surroundings& here, JobSpec& spec) {
  if (given.options.empty()) return fail(Code::BadArgument, "bmod: an option is wanted");
  Parsed options = given;
  const Bytes mem = spec.limits.mem;
  for (const Reset& reset : kResets)
    if (options.has(reset.option.name)) reset.undo(spec);
  auto name = options.first("J");
  if (name && name->starts_with('%')) {
    WM_TRY(spec.array_limit, array_limit(*name));
    options.options.erase("J");
  }
  if (auto command = options.first("Z")) {
    if (!spec.program.script_hash.empty())
      return fail(Code::BadArgument, "-Z: the job is a script, which stays as it is");
    spec.program.command = *command;
  }
  const auto array = spec.array;
  const auto limit = spec.array_limit;
  WM_TRY(read_options(options, here, spec));
  if (spec.array.empty()) spec.array = array, spec.array_limit = limit;
  WM_TRY(check_ranks(spec));
  if (auto queue = options.first("q")) spec.queue = *queue;
  if (options.has("R") || options.has("Rn")) return read_requirements(options, here, spec);
  return spec.limits.mem == mem ? Result<void>{} : follow_memory(spec, mem);
}

Result<std::optional<Duration>> run_limit_alone(const Parsed& options) {
  bool alone = options.options.size() == 1 && (options.has("W") || options.has("Wn"));
  if (!alone) return std::optional<Duration>{};
  JobSpec spec;
  WM_TRY(read_options(options, {}, spec));
  return std::optional(spec.run_limit);
}

}  // namespace wm::cmd
