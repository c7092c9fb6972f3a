// Lines to options, options to what is wanted, that to words of bsub.
#include "libwm/submit/sbatch_script.h"

#include <algorithm>
#include <optional>

#include "libwm/base/joined.h"
#include "libwm/submit/directives.h"
#include "libwm/submit/sbatch_options.h"
#include "libwm/submit/sbatch_values.h"

namespace wm::cmd {
namespace {

constexpr std::string_view kSbatchMark = "#SBATCH";

bool is_mark(std::string_view line) {
  return line.starts_with(kSbatchMark) &&
         (line.size() == kSbatchMark.size() || line[kSbatchMark.size()] == ' ' || line[kSbatchMark.size()] == '\t');
}

// Visits the lines that sbatch reads, until the visit is false.
template <class Visit>
void each_line(std::string_view script, Visit visit) {
  for (int number = 1; !script.empty(); ++number) {
    auto line = script.substr(0, script.find('\n'));
    script.remove_prefix(std::min(line.size() + 1, script.size()));
    auto first = line.find_first_not_of(" \t\r");
    if (first != line.npos && line[first] != '#') return;  // the first command
    if (is_mark(line) && !visit(number, line.substr(kSbatchMark.size()))) return;
  }
}

const SbatchOption* named(std::string_view name) {
  auto all = sbatch_options();
  auto at = std::ranges::find(all, name, &SbatchOption::name);
  return at == all.end() ? nullptr : &*at;
}

const SbatchOption* lettered(char letter) {
  auto all = sbatch_options();
  auto at = std::find_if(all.begin(), all.end(),
                         [&](const auto& one) { return letter != 0 && one.letter == letter; });
  return at == all.end() ? nullptr : &*at;
}

// An option as it was written: "--time", "-t".
struct Found {
  const SbatchOption* option = nullptr;
  std::string spelled;
  std::optional<std::string> value;  ///< attached
};

Result<Found> find_option(const std::string& word) {
  bool is_long = word.starts_with("--"), is_short = !is_long && word.size() > 1 && word[0] == '-';
  if (!is_long && !is_short) return fail(Code::BadArgument, "'" + word + "' is no option");
  auto equals = is_long ? std::min(word.find('='), word.size()) : 2;
  Found found{nullptr, word.substr(0, equals), {}};
  found.option = is_long ? named(found.spelled.substr(2)) : lettered(word[1]);
  if (!found.option)
    return fail(Code::BadArgument, found.spelled +
                                       " is not translated: see FROM SBATCH in bsub(1), "
                                       "and say it in #BSUB lines");
  auto attached = is_long ? equals + 1 : word.size() > 2 && word[2] == '=' ? 3 : 2;
  if (attached < word.size() || (is_long && equals < word.size()))
    found.value = word.substr(attached);
  return found;
}

// The options of one line.
Result<void> take_line(const std::vector<std::string>& words, SbatchJob& job) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    WM_TRY(auto found, find_option(words[i]));
    const auto& option = *found.option;
    if (option.value == SbatchOption::Value::Needed && !found.value) {
      if (i + 1 == words.size())
        return fail(Code::BadArgument, found.spelled + ": its value is missing");
      found.value = words[++i];
    }
    if (auto taken = option.take(job, found.value.value_or("")); !taken)
      return taken.error().within(found.spelled);
  }
  return {};
}

Result<SbatchJob> read_lines(std::string_view script) {
  SbatchJob job;
  Result<void> fine;
  each_line(script, [&](int number, std::string_view line) {
    auto words = words_of(line);
    fine = words ? take_line(*words, job) : words.error();
    if (!fine)
      fine = fail(fine.error().code, "line " + std::to_string(number) + " of the script: #SBATCH " +
                                         fine.error().text);
    return static_cast<bool>(fine);
  });
  if (!fine) return fine.error();
  return job;
}

// How many tasks and slots, on how many hosts.
struct Size {
  std::uint32_t tasks = 1, slots = 1;
  std::uint32_t on_each = 0;  ///< tasks of a host, where that is known
  bool one_host = false;
};

Size size_of(const SbatchJob& job) {
  Size size;
  auto per_node = std::max(1u, job.per_node);
  size.tasks = job.tasks ? job.tasks : std::max(1u, job.nodes) * per_node;
  size.slots = size.tasks * job.cpus;
  size.one_host = job.nodes == 1 || size.tasks == 1;
  if (size.one_host) size.on_each = size.tasks;
  else if (job.per_node) size.on_each = job.per_node;
  else if (job.nodes && size.tasks % job.nodes == 0) size.on_each = size.tasks / job.nodes;
  return size;
}

// The span[] that keeps a task's CPUs on one host, and the tasks on as many as were asked for.
std::string span_of(const SbatchJob& job, const Size& size) {
  if (size.slots == 1) return "";
  if (size.one_host) return "span[hosts=1]";
  if (size.on_each) return "span[ptile=" + std::to_string(size.on_each * job.cpus) + "]";
  if (job.cpus > 1 && !job.nodes) return "span[block=" + std::to_string(job.cpus) + "]";
  return "";
}

void say(SbatchWords& out, const char* option, const std::string& value) {
  out.words.insert(out.words.end(), {option, value});
}

// GPUs of each host, 0: none, or they are of each task.
Result<std::uint32_t> gpus_of_host(const SbatchJob& job, const Size& size) {
  if (job.gpus_per_node) return job.gpus_per_node;
  if (job.gpus_per_task && size.on_each) return job.gpus_per_task * size.on_each;
  if (job.gpus_per_task && job.cpus > 1)
    return fail(Code::BadArgument, "--gpus-per-task with --cpus-per-task wants --ntasks-per-node");
  if (!job.gpus) return 0;
  std::uint32_t hosts = size.one_host ? 1 : size.on_each ? size.tasks / size.on_each : job.nodes;
  if (hosts == 0 && job.gpus == size.tasks && job.cpus == 1) return 0;
  if (hosts == 0 || job.gpus % hosts != 0)
    return fail(Code::BadArgument, "--gpus=" + std::to_string(job.gpus) +
                                       " is divided by nothing: --gpus-per-node says it");
  return job.gpus / hosts;
}

Result<void> say_gpus(const SbatchJob& job, const Size& size, SbatchWords& out) {
  if (!job.gpus && !job.gpus_per_node && !job.gpus_per_task) return {};
  WM_TRY(auto of_host, gpus_of_host(job, size));
  auto number = of_host ? std::to_string(of_host) + "/host"
                        : std::to_string(std::max(1u, job.gpus_per_task)) + "/task";
  say(out, "-gpu", "num=" + number + (job.gpu_model.empty() ? "" : ":gmodel=" + job.gpu_model));
  return {};
}

// --mem is of a host, --mem-per-cpu of a slot; what a host may use is known where it has all tasks.
Result<std::string> memory_of(const SbatchJob& job, const Size& size, SbatchWords& out) {
  auto of_host = job.mem_mb;
  if (job.mem_per_gpu_mb) {
    WM_TRY(auto gpus, gpus_of_host(job, size));
    if (gpus == 0) return fail(Code::BadArgument, "--mem-per-gpu wants --gpus-per-node");
    of_host = job.mem_per_gpu_mb * gpus;
  }
  if (job.mem_per_cpu_mb && size.on_each) of_host = job.mem_per_cpu_mb * size.on_each * job.cpus;
  if (of_host) {
    say(out, "-M", std::to_string(of_host) + "M");
    return "rusage[mem=" + std::to_string(of_host) + "M/host]";
  }
  if (!job.mem_per_cpu_mb) return std::string();
  return "rusage[mem=" + std::to_string(job.mem_per_cpu_mb) + "M/task]";
}

Result<void> say_size(const SbatchJob& job, SbatchWords& out) {
  const Size size = size_of(job);
  if (size.slots > 1) say(out, "-n", std::to_string(size.slots));
  auto span = span_of(job, size);
  if (span.empty() && job.nodes > 1) say(out, "-nnodes", std::to_string(job.nodes));
  WM_TRY(say_gpus(job, size, out));
  WM_TRY(auto memory, memory_of(job, size, out));
  std::vector<std::string> parts;
  if (!job.select.empty()) parts.push_back("select[" + joined(job.select, " && ") + "]");
  for (const auto& part : {memory, span})
    if (!part.empty()) parts.push_back(part);
  if (!parts.empty()) say(out, "-R", joined(parts, " "));
  return {};
}

// Patterns of Slurm's file names as bsub's; a number behind % is a width, which is not kept.
struct Patterns {
  std::string name;
  bool array = false, from_zero = false;

  std::string of(char letter) const {
    const char* index = from_zero ? "%Z" : "%I";
    switch (letter) {
      case 'j':
      case 'J': return array ? std::string("%J_") + index : "%J";
      case 'A': return "%J";
      case 'a': return index;
      case 'x': return name;
      case 'N': return "%H";
      case 'u': return "%U";
      case '%': return "%%";
      case 'n':
      case 't':
      case 's': return "0";  // of the first task on the first node
      default: return std::string("%") + letter;
    }
  }
  std::string filled(std::string_view path) const {
    std::string made;
    for (std::size_t i = 0; i < path.size(); ++i) {
      auto end = path[i] == '%' ? path.find_first_not_of("0123456789", i + 1) : path.npos;
      if (end == path.npos) {
        made += path[i];
        continue;
      }
      made += of(path[end]);
      i = end;
    }
    return made;
  }
};

void say_files(const SbatchJob& job, const Patterns& patterns, SbatchWords& out) {
  auto usual = patterns.array ? "slurm-%A_%a.out" : "slurm-%j.out";
  say(out, job.append ? "-o" : "-oo", patterns.filled(job.out.empty() ? usual : job.out));
  if (!job.err.empty() && job.err != job.out)
    say(out, job.append ? "-e" : "-eo", patterns.filled(job.err));
}

// A name of bsub's has no brackets, which are an array's there.
std::string job_name(const SbatchJob& job, const std::string& usual) {
  auto name = !job.name.empty() ? job.name : job.wrap ? "wrap" : usual.substr(usual.rfind('/') + 1);
  for (char& c : name)
    if (c == '[' || c == ']' || c == '%') c = '_';
  return name;
}

void set(SbatchWords& out, const std::string& name, const std::string& value) {
  out.settings.push_back(name + "=" + value);
}

void set_array(const SbatchJob& job, SbatchWords& out) {
  std::int64_t least = -1, most = 0, count = 0, step = 1;
  for (const auto& part : sbatch_list(job.array.substr(0, job.array.find('%')))) {
    auto colon = std::min(part.find(':'), part.size());
    auto bounds = sbatch_list(part.substr(0, colon), '-');
    auto from = std::stoll(bounds.front()), to = std::stoll(bounds.back());
    step = colon < part.size() ? std::max(1LL, std::stoll(part.substr(colon + 1))) : 1;
    least = least < 0 ? from : std::min<std::int64_t>(least, from);
    most = std::max<std::int64_t>(most, to);
    count += (to - from) / step + 1;
  }
  set(out, "SLURM_ARRAY_TASK_MIN", std::to_string(least));
  set(out, "SLURM_ARRAY_TASK_MAX", std::to_string(most));
  set(out, "SLURM_ARRAY_TASK_STEP", std::to_string(step));
  set(out, "SLURM_ARRAY_TASK_COUNT", std::to_string(count));
}

void set_variables(const SbatchJob& job, const Surroundings& here, bool from_zero,
                   SbatchWords& out) {
  const Size size = size_of(job);
  set(out, kTranslated, from_zero ? "1" : "0");
  set(out, "SLURM_NTASKS", std::to_string(size.tasks));
  set(out, "SLURM_NPROCS", std::to_string(size.tasks));
  if (job.cpus > 1) set(out, "SLURM_CPUS_PER_TASK", std::to_string(job.cpus));
  if (size.on_each) set(out, "SLURM_NTASKS_PER_NODE", std::to_string(size.on_each));
  if (job.mem_mb) set(out, "SLURM_MEM_PER_NODE", std::to_string(job.mem_mb));
  if (job.mem_per_cpu_mb) set(out, "SLURM_MEM_PER_CPU", std::to_string(job.mem_per_cpu_mb));
  set(out, "SLURM_SUBMIT_DIR", here.cwd);
  set(out, "SLURM_SUBMIT_HOST", here.host);
  if (!job.array.empty()) set_array(job, out);
}

Result<std::string> array_of(const SbatchJob& job, bool from_zero) {
  WM_TRY(auto moved, sbatch_array_from_one(job.array));
  if (from_zero) return moved;
  return job.array;
}

}  // namespace

bool has_sbatch_lines(std::string_view script) {
  bool found = false;
  each_line(script, [&](int, std::string_view) {
    found = true;
    return false;
  });
  return found;
}

Result<SbatchWords> sbatch_words(std::string_view script, const std::string& file,
                                 const Surroundings& here) {
  WM_TRY(auto job, read_lines(script));
  SbatchWords out;
  out.wrap = job.wrap;
  out.ignored = job.ignored;
  bool from_zero = sbatch_counts_from_zero(job.array);
  auto name = job_name(job, file.empty() ? "sbatch" : file);
  if (job.array.empty()) {
    say(out, "-J", name);
  } else {
    auto indices = array_of(job, from_zero);
    if (!indices) return indices.error().within("#SBATCH --array");
    auto limit = std::min(indices->find('%'), indices->size());
    say(out, "-J", name + "[" + indices->substr(0, limit) + "]" + indices->substr(limit));
  }
  say_files(job, {name, !job.array.empty(), from_zero}, out);
  if (auto sized = say_size(job, out); !sized) return sized.error().within("#SBATCH");
  if (!job.mail_types.empty()) say(out, "-notify", job.mail_types);
  out.words.insert(out.words.end(), job.words.begin(), job.words.end());
  set_variables(job, here, from_zero, out);
  return out;
}

void drop_slurm_variables(std::vector<std::string>& environment) {
  auto is_theirs = [](const std::string& entry) {
    return entry.starts_with("SLURM_") || entry.starts_with("SLURMD_") ||
           entry.starts_with(std::string(kTranslated) + "=");
  };
  std::erase_if(environment, is_theirs);
}

}  // namespace wm::cmd
