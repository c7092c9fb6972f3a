// One row an option; what needs others to be told is kept for sbatch_script.cc.
#include "libwm/submit/sbatch_options.h"

#include "libwm/base/hostlist.h"
#include "libwm/base/joined.h"
#include "libwm/submit/sbatch_values.h"

namespace wm::cmd {
namespace {

using Job = SbatchJob;
using Text = std::string_view;
using Value = SbatchOption::Value;

Error bad(Text text, const char* expected) {
  return fail(Code::BadArgument, "'" + std::string(text) + "' is not " + expected);
}

// An option of bsub with this value.
Result<void> say(Job& job, const char* option, std::string value) {
  job.words.insert(job.words.end(), {option, std::move(value)});
  return {};
}

template <std::uint32_t Job::*Field>
Result<void> count(Job& job, Text value) {
  WM_TRY(job.*Field, sbatch_count(value));
  return {};
}

template <std::int64_t Job::*Field>
Result<void> megabytes(Job& job, Text value) {
  WM_TRY(job.*Field, sbatch_megabytes(value));
  return {};
}

template <std::string Job::*Field>
Result<void> text(Job& job, Text value) {
  job.*Field = std::string(value);
  return {};
}

// "2" or "2-4": the fewest that are enough.
Result<void> nodes(Job& job, Text value) {
  WM_TRY(job.nodes, sbatch_count(value.substr(0, value.find('-'))));
  return {};
}

Result<void> time(Job& job, Text value) {
  WM_TRY(auto minutes, sbatch_minutes(value));
  return minutes == 0 ? Result<void>() : say(job, "-W", std::to_string(minutes));
}

Result<void> partition(Job& job, Text value) {
  return say(job, "-q", joined(sbatch_list(value), " "));
}

// "gpu:4", "gpu:a100:4", "a100:4" and "4": how many, of which model.
Result<void> gpus(Job& job, Text value, std::uint32_t Job::*field) {
  auto parts = sbatch_list(value, ':');
  if (parts.empty() || parts.size() > 2) return bad(value, "a number of GPUs, or MODEL:NUMBER");
  auto number = sbatch_count(parts.back());
  if (!number && parts.size() == 2) return bad(value, "a number of GPUs, or MODEL:NUMBER");
  job.*field = number ? *number : 1;
  if (parts.size() == 2 || !number) job.gpu_model = parts.front();
  return {};
}

template <std::uint32_t Job::*Field>
Result<void> gpus_in(Job& job, Text value) {
  return gpus(job, value, Field);
}

Result<void> gres(Job& job, Text value) {
  for (const auto& part : sbatch_list(value)) {
    if (part == "none") continue;
    if (part == "gpu") {
      job.gpus_per_node = 1;
      continue;
    }
    if (!part.starts_with("gpu:")) return bad(part, "gpu, gpu:NUMBER or gpu:MODEL:NUMBER");
    WM_TRY(gpus(job, Text(part).substr(4), &Job::gpus_per_node));
  }
  return {};
}

Result<void> dependency(Job& job, Text value) {
  WM_TRY(auto condition, sbatch_dependency(value));
  return say(job, "-w", condition);
}

Result<void> exclusive(Job& job, Text value) {
  if (!value.empty()) return bad(value, "known: whole hosts are had without a value");
  job.words.emplace_back("-x");
  return {};
}

Result<void> nodelist(Job& job, Text value) {
  WM_TRY(auto hosts, expand_hosts(std::string(value)));
  return say(job, "-m", joined(hosts, " "));
}

Result<void> exclude(Job& job, Text value) {
  WM_TRY(auto hosts, expand_hosts(std::string(value)));
  for (const auto& host : hosts) job.select.push_back("hname!='" + host + "'");
  return {};
}

Result<void> constraint(Job& job, Text value) {
  WM_TRY(auto term, sbatch_constraint(value));
  job.select.push_back(term);
  return {};
}

Result<void> tmp(Job& job, Text value) {
  WM_TRY(auto size, sbatch_megabytes(value));
  job.select.push_back("tmp>=" + std::to_string(size));
  return {};
}

Result<void> mail_type(Job& job, Text value) {
  WM_TRY(job.mail_types, sbatch_mail_types(value));
  return {};
}

// "[R][B]:NAME[@seconds]": B alone is to the script's shell, which has it with all others here.
Result<void> signal(Job& job, Text value) {
  if (auto colon = value.find(':'); colon != value.npos) value.remove_prefix(colon + 1);
  auto at = value.find('@');
  std::uint32_t seconds = 60;
  if (at != value.npos) {
    WM_TRY(seconds, sbatch_count(value.substr(at + 1)));
  }
  job.words.insert(job.words.end(), {"-wa", std::string(value.substr(0, at)), "-wt",
                                     std::to_string((seconds + 59) / 60)});
  return {};
}

// ALL, NONE, or names with ALL among them or not. The job's own variables come behind it.
Result<void> environment(Job& job, Text value) {
  std::string list;
  for (const auto& part : sbatch_list(value)) {
    auto word = part == "ALL" ? "all" : part == "NONE" || part == "NIL" ? "none" : part;
    list += (list.empty() ? "" : ", ") + std::string(word);
  }
  return list.empty() ? bad(value, "ALL, NONE or a list of variables") : say(job, "-env", list);
}

Result<void> open_mode(Job& job, Text value) {
  if (value != "append" && value != "truncate") return bad(value, "append or truncate");
  job.append = value == "append";
  return {};
}

Result<void> quality(Job& job, Text value) {
  if (value != "normal") return say(job, "-app", std::string(value));
  job.ignored.emplace_back("qos=normal");
  return {};
}

Result<void> wrap(Job& job, Text value) {
  job.wrap = std::string(value);
  return {};
}

Result<void> dead_dependency(Job& job, Text value) {
  if (value != "yes" && value != "no") return bad(value, "yes or no");
  if (value == "yes") job.words.emplace_back("-ti");
  return {};
}

Result<void> begin(Job& job, Text value) {
  WM_TRY(auto date, sbatch_date(value));
  return say(job, "-b", date);
}

Result<void> deadline(Job& job, Text value) {
  WM_TRY(auto date, sbatch_date(value));
  return say(job, "-t", date);
}

Result<void> project(Job& job, Text value) { return say(job, "-P", std::string(value)); }
Result<void> folder(Job& job, Text value) { return say(job, "-cwd", std::string(value)); }
Result<void> input(Job& job, Text value) { return say(job, "-i", std::string(value)); }
Result<void> mail_user(Job& job, Text value) { return say(job, "-u", std::string(value)); }
Result<void> comment(Job& job, Text value) { return say(job, "-Jd", std::string(value)); }
Result<void> reservation(Job& job, Text value) { return say(job, "-U", std::string(value)); }
Result<void> priority(Job& job, Text value) { return say(job, "-sp", std::string(value)); }

template <int Which>
Result<void> flag(Job& job, Text) {
  constexpr const char* kFlags[] = {"-r", "-rn", "-H", "-K"};
  job.words.emplace_back(kFlags[Which]);
  return {};
}

// Of no meaning for where and how a job runs here.
Result<void> nothing(Job&, Text) { return {}; }

constexpr SbatchOption kOptions[] = {
    {"job-name", 'J', Value::Needed, text<&Job::name>},
    {"output", 'o', Value::Needed, text<&Job::out>},
    {"error", 'e', Value::Needed, text<&Job::err>},
    {"input", 'i', Value::Needed, input},
    {"open-mode", 0, Value::Needed, open_mode},
    {"nodes", 'N', Value::Needed, nodes},
    {"ntasks", 'n', Value::Needed, count<&Job::tasks>},
    {"ntasks-per-node", 0, Value::Needed, count<&Job::per_node>},
    {"cpus-per-task", 'c', Value::Needed, count<&Job::cpus>},
    {"time", 't', Value::Needed, time},
    {"partition", 'p', Value::Needed, partition},
    {"qos", 'q', Value::Needed, quality},
    {"account", 'A', Value::Needed, project},
    {"array", 'a', Value::Needed, text<&Job::array>},
    {"dependency", 'd', Value::Needed, dependency},
    {"kill-on-invalid-dep", 0, Value::Needed, dead_dependency},
    {"chdir", 'D', Value::Needed, folder},
    {"mem", 0, Value::Needed, megabytes<&Job::mem_mb>},
    {"mem-per-cpu", 0, Value::Needed, megabytes<&Job::mem_per_cpu_mb>},
    {"mem-per-gpu", 0, Value::Needed, megabytes<&Job::mem_per_gpu_mb>},
    {"tmp", 0, Value::Needed, tmp},
    {"gres", 0, Value::Needed, gres},
    {"gpus", 'G', Value::Needed, gpus_in<&Job::gpus>},
    {"gpus-per-node", 0, Value::Needed, gpus_in<&Job::gpus_per_node>},
    {"gpus-per-task", 0, Value::Needed, gpus_in<&Job::gpus_per_task>},
    {"exclusive", 0, Value::Optional, exclusive},
    {"nodelist", 'w', Value::Needed, nodelist},
    {"exclude", 'x', Value::Needed, exclude},
    {"constraint", 'C', Value::Needed, constraint},
    {"mail-type", 0, Value::Needed, mail_type},
    {"mail-user", 0, Value::Needed, mail_user},
    {"requeue", 0, Value::None, flag<0>},
    {"no-requeue", 0, Value::None, flag<1>},
    {"hold", 'H', Value::None, flag<2>},
    {"wait", 'W', Value::None, flag<3>},
    {"signal", 0, Value::Needed, signal},
    {"export", 0, Value::Needed, environment},
    {"begin", 'b', Value::Needed, begin},
    {"deadline", 0, Value::Needed, deadline},
    {"priority", 0, Value::Needed, priority},
    {"reservation", 0, Value::Needed, reservation},
    {"comment", 0, Value::Needed, comment},
    {"wrap", 0, Value::Needed, wrap},
    {"get-user-env", 0, Value::Optional, nothing},
    {"hint", 0, Value::Needed, nothing},
    {"nice", 0, Value::Optional, nothing},
    {"oversubscribe", 's', Value::None, nothing},
    {"parsable", 0, Value::Optional, nothing},
    {"propagate", 0, Value::Optional, nothing},
    {"quiet", 'Q', Value::None, nothing},
    {"time-min", 0, Value::Needed, nothing},
    {"verbose", 'v', Value::None, nothing},
    {"wckey", 0, Value::Needed, nothing},
};

}  // namespace

std::span<const SbatchOption> sbatch_options() { return kOptions; }

}  // namespace wm::cmd
