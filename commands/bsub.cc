// bsub: submits a job. A command, a script file with #BSUB lines, or a script on stdin; the
// specification is made by libwm/submit/submission, signed and sent by libwm/client, and durable
// when this exits 0. -K stays until the end and exits as the job does; -I, -Ip and -Is do so
// with the job's streams here.
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include "commands/common/command.h"
#include "commands/common/interactive.h"
#include "commands/common/submit_filter.h"
#include "commands/common/surroundings.h"
#include "libwm/client/bundle.h"
#include "libwm/client/launch.h"
#include "libwm/client/names.h"
#include "libwm/conf/load.h"
#include "libwm/proc/process.h"
#include "libwm/search/search.h"
#include "libwm/submit/command_words.h"
#include "libwm/submit/directives.h"
#include "libwm/submit/file_copies.h"
#include "libwm/submit/job_environment.h"
#include "libwm/submit/pack.h"
#include "libwm/submit/sbatch_script.h"
#include "libwm/submit/sign_again.h"
#include "libwm/submit/spec_file.h"
#include "libwm/submit/submission.h"
#include "libwm/view/budget_fields.h"
#include "libwm/view/job_fields.h"

namespace wm::cmd::bsub {
namespace {

constexpr std::size_t kMaxScript = 8 << 20;
constexpr int kKilledWhilePending = 126;

Error no_command() { return fail(Code::BadArgument, "No command is specified in the script file"); }

Result<std::string> read_all(std::FILE* in, const std::string& name) {
  std::string text;
  char block[1 << 16];
  while (auto n = std::fread(block, 1, sizeof block, in)) {
    text.append(block, n);
    if (text.size() > kMaxScript) return fail(Code::Limit, name + ": script larger than 8M");
  }
  if (std::ferror(in)) return fail(Code::System, name + ": cannot be read");
  return text;
}

// Enough of a file to tell what it is.
std::string head_of(const std::string& path) {
  constexpr std::size_t kHead = 1 << 16;
  std::string head(kHead, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  return head;
}

// The text of the file named by a single word when it is a script that bsub has to read.
Result<std::string> script_in(const std::vector<std::string>& words) {
  struct stat facts {};
  bool one_file =
      words.size() == 1 && ::stat(words[0].c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
  if (!one_file || environment("LSB_BSUB_PARSE_SCRIPT") == "N") return std::string();
  bool large = static_cast<std::size_t>(facts.st_size) > kMaxScript;
  if (large && !is_script(head_of(words[0]))) return std::string();  // a program
  std::FILE* file = std::fopen(words[0].c_str(), "r");
  if (!file) return fail(Code::System, words[0] + ": cannot be read");
  auto text = read_all(file, words[0]);
  std::fclose(file);
  if (text && !is_script(*text)) return std::string();
  return text;
}

// A script that has arguments is a command: its #BSUB lines are not read, as in LSF.
void warn_of_unread(const std::vector<std::string>& words) {
  struct stat facts {};
  bool file = ::stat(words[0].c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
  if (words.size() == 1 || !file || environment("LSB_BSUB_PARSE_SCRIPT") == "N") return;
  auto head = head_of(words[0]);
  auto found = directives_of(head);
  if (head.find('\0') != head.npos || (found && found->empty())) return;
  complain("bsub: the #BSUB lines of " + words[0] + " are not read, as it has arguments\n");
}

// Has this profile a command of its own? Asked where none is given.
bool has_command_of_its_own(const Parsed& options) {
  auto app = options.first("app");
  if (!app) return false;
  auto config = conf::load(conf_dir(), conf::this_host());
  const auto* profile = config ? config->app(*app) : nullptr;
  return profile != nullptr && !profile->command.empty();
}

// The file that a shell would run for this word.
std::string program_of(const std::string& word) {
  struct stat facts {};
  if (::stat(word.c_str(), &facts) == 0 && S_ISREG(facts.st_mode)) return word;
  std::string folders = word.find('/') == word.npos ? environment("PATH").value_or("") : "";
  for (std::size_t at = 0; at < folders.size();) {
    auto end = std::min(folders.find(':', at), folders.size());
    auto path = folders.substr(at, end - at) + "/" + word;
    if (::access(path.c_str(), X_OK) == 0) return path;
    at = end + 1;
  }
  return word;
}

// -Zs: what is in the file of the command's first word.
Result<std::string> program_text(const std::string& command) {
  auto first = command.find_first_not_of(" \t");
  auto word = command.substr(first, command.find_first_of(" \t", first) - first);
  std::FILE* file = std::fopen(program_of(word).c_str(), "r");
  if (!file) return fail(Code::NotFound, "-Zs " + word + ": " + std::strerror(errno));
  auto text = read_all(file, word);
  std::fclose(file);
  if (!text || text->find('\0') == std::string::npos) return text;
  return fail(Code::BadArgument, "-Zs " + word + ": only scripts are kept, this is a program");
}

// A profile's own command is run where nothing else is said; a script on stdin is something else.
Result<Source> script_on_stdin(const Parsed& options) {
  bool needs_none = has_command_of_its_own(options);
  if (needs_none && ::isatty(0)) return Source{};
  if (::isatty(0)) complain("bsub> ");
  Source source;
  WM_TRY(source.script, read_all(stdin, "stdin"));
  auto run = without_continuations(source.script);
  source.command = first_command_of(run);
  if (needs_none && source.script.find_first_not_of(" \t\n") == std::string::npos) return Source{};
  if (!has_command(run)) return no_command();
  return source;
}

// What -spec names, its options behind those of the command line.
Result<SpecFile> read_spec(Parsed& options) {
  auto path = options.first("spec");
  if (!path) return SpecFile{};
  std::FILE* in = *path == "-" ? stdin : std::fopen(path->c_str(), "r");
  if (!in) return fail(Code::NotFound, "-spec " + *path + ": " + std::strerror(errno));
  auto text = read_all(in, *path);
  if (in != stdin) std::fclose(in);
  if (!text) return text.error();
  WM_TRY(auto file, read_spec_file(*text));
  WM_TRY(auto more, parse_options(submit_options(), file.options, Words::Anywhere));
  append_directives(options, std::move(more));
  return file;
}

Result<Source> find_source(const Parsed& options, const SpecFile& file) {
  if (options.words.empty() && !file.groups.empty()) return Source{};
  if (options.words.empty() && !file.command.empty()) return Source{file.command, ""};
  if (!file.groups.empty())
    return fail(Code::BadArgument, "-spec: its groups have their commands, none is given here");
  if (options.words.empty()) return script_on_stdin(options);
  Source source;
  source.command = command_line_of(options.words);
  WM_TRY(source.script, script_in(options.words));
  warn_of_unread(options.words);
  if (source.command.find_first_not_of(" \t") == std::string::npos) return no_command();
  source.spooled = options.has("Zs") && source.script.empty();
  if (source.spooled) {
    WM_TRY(source.script, program_text(source.command));
  }
  return source;
}

// Of a script without a #BSUB line those of #SBATCH, as sbatch reads them.
Result<std::vector<std::string>> translated_words(Source& source, const Parsed& options,
                                                  Surroundings& here) {
  auto file = options.words.empty() ? std::string() : options.words.front();
  WM_TRY(auto found, sbatch_words(source.script, file, here));
  for (const auto& option : found.ignored)
    complain("bsub: #SBATCH --" + option + " changes nothing here\n");
  if (found.wrap) source = {*found.wrap, ""};
  here.sbatch = std::move(found.settings);
  return std::move(found.words);
}

// The lines among them that are remarks.
Result<std::vector<int>> add_directives(Source& source, Parsed& options, Surroundings& here) {
  if (environment(kTranslated)) drop_slurm_variables(here.environment);
  if (source.spooled) return std::vector<int>{};
  WM_TRY(auto found, script_options(source.script));
  if (found.options.options.empty() && found.remarks.empty() && has_sbatch_lines(source.script)) {
    WM_TRY(auto words, translated_words(source, options, here));
    WM_TRY(found.options, parse_options(submit_options(), words, Words::Anywhere));
    drop_slurm_variables(here.environment);
  }
  append_directives(options, std::move(found.options));
  source.script = without_continuations(source.script);
  return found.remarks;
}

// Behind the job's number, which is what programs read first.
void tell_remarks(const std::vector<int>& lines) {
  for (int line : lines)
    complain("bsub: line " + std::to_string(line) +
             " of the script: no option behind #BSUB, taken for a remark\n");
}

// Here, as far as it can be known before the job has a host.
Result<void> check_shell(const JobSpec& spec) {
  if (spec.program.shell.empty() || ::access(spec.program.shell.c_str(), X_OK) == 0) return {};
  return fail(Code::BadArgument, "-L " + spec.program.shell + ": " + std::strerror(errno));
}

void warn_of_doubt(const Parsed& options, const Surroundings& here) {
  if (auto doubt = doubt_about(options, here); !doubt.empty()) complain(doubt + "\n");
}

// The first of the asked queues that takes the job.
Result<SubmitReply> submit_to(client::Master& master, JobSpec spec, const Source& source,
                              const std::string& env, const Parsed& options,
                              const Surroundings& here) {
  Result<SubmitReply> reply = no_command();
  for (const auto& queue : asked_queues(options, here)) {
    spec.queue = queue;
    reply = submit_signed(master, spec, source.script, env, here);
    bool next =
        !reply && (reply.error().code == Code::NotFound || reply.error().code == Code::Denied);
    if (!next) return reply;
  }
  return reply;
}

Result<std::string> text_of(const std::string& path) {
  std::FILE* in = path == "-" ? stdin : std::fopen(path.c_str(), "r");
  if (!in) return fail(Code::NotFound, "-pack " + path + ": " + std::strerror(errno));
  auto text = read_all(in, path);
  if (in != stdin) std::fclose(in);
  return text;
}

void announce(const SubmitReply& reply, std::string& text) {
  text += "Job <" + std::to_string(reply.job.job) + "> is submitted to " +
          (reply.default_queue ? "default " : "") + "queue <" + reply.queue + ">.\n";
}

// The result of each line, in their order.
Result<int> submit_pack(const Parsed& options, Surroundings here) {
  for (const auto& [name, values] : options.options)
    if (name != "pack")
      return fail(Code::BadArgument, "-" + name + ": options stand in the lines of -pack's file");
  if (!options.words.empty()) return fail(Code::BadArgument, "-pack has the commands in its file");
  WM_TRY(auto conf, cluster_conf());
  here.limit_unit = conf.lsf.limit_unit();
  here.mem_unit = conf.lsf.mem_unit();
  WM_TRY(auto text, text_of(*options.first("pack")));
  LineFilter filter;
  if (!conf.scripts.submit_filter.empty())
    filter = [&](const std::string& command, Parsed& line) {
      return filter_submission(conf.scripts, command, line);
    };
  auto lines = pack_lines(text, here, filter);
  std::vector<client::PackJob> jobs;
  jobs.reserve(lines.size());
  for (auto& line : lines)
    if (line.job) jobs.push_back(std::move(*line.job));
  WM_TRY(auto env, make_environment(options, here));
  WM_TRY(auto to, master());
  WM_TRY(auto reply, pack_signed(to, std::move(jobs), env.block, here));
  std::string said;
  int code = 0;
  auto outcome = reply.items.begin();
  for (const auto& line : lines) {
    auto why = line.job ? std::string() : line.job.error().text;
    if (line.job && outcome == reply.items.end()) why = "the master did not tell of it";
    else if (line.job && outcome->code) why = (outcome++)->text;
    else if (line.job) {
      announce({outcome->job, outcome->text, outcome->default_queue}, said);
      for (const auto& warning : outcome->warnings) complain("bsub: " + warning + "\n");
      ++outcome;
    }
    if (why.empty()) continue;
    complain("bsub: line " + std::to_string(line.number) + ": " + why + ". Job not submitted.\n");
    code = kRefused;
  }
  if (!environment("BSUB_QUIET")) environment("BSUB_STDERR") ? complain(said) : say(said);
  return code;
}

// A folder that the job takes with it; empty: none.
class Bundle {
 public:
  /// @errors as client::stage_bundle
  Result<void> stage(const std::string& folder, const ClusterConf& conf, const Surroundings& here,
                     JobSpec& spec) {
    WM_TRY(auto account, client::find_account(std::to_string(here.who.uid)));
    const auto& root = conf.dirs.results.empty() ? here.home : conf.dirs.results;
    incoming_ = client::incoming_folder(root, account.name);
    WM_TRY(key_, client::stage_bundle(folder, incoming_));
    spec.exec.bundle = key_;
    auto from_here = [&](std::string& file) {  // not in the copy
      if (!file.empty() && file.front() != '/') file = here.cwd + "/" + file;
    };
    from_here(spec.files.in);
    from_here(spec.files.outdir);
    if (!spec.files.outdir.empty()) return {};
    from_here(spec.files.out);
    from_here(spec.files.err);
    return {};
  }
  void drop() const { client::drop_bundle(incoming_, key_); }

 private:
  std::string incoming_, key_;
};

void announce_dates(const JobSpec& spec) {
  if (spec.when.begin != WallTime{})
    complain("Job will be scheduled after " + view::year_time(spec.when.begin) + "\n");
  if (spec.when.deadline != WallTime{})
    complain("Job will be terminated by " + view::year_time(spec.when.deadline) + "\n");
}

void announce(const SubmitReply& reply) {
  if (environment("BSUB_QUIET")) return;
  std::string text;
  announce(reply, text);
  if (environment("BSUB_STDERR")) complain(text);
  else say(text);
}

// What the job may draw, in the queue that it would go to.
Result<int> tell_cost(client::Master& master, JobSpec spec,
                      const std::vector<std::string>& queues) {
  if (!queues.empty()) spec.queue = queues.front();
  WM_TRY(auto reply, master.ask(BudgetsRequest{codec::encode(spec)}));
  say(view::cost_text(reply.budgets));
  bool waits = std::ranges::any_of(reply.budgets, [](const auto& b) { return !b.text.empty(); });
  return waits ? 1 : 0;
}

int exit_code_of(const WaitReply& end) {
  if (end.first_host.empty() && end.state == JobState::Killed) return kKilledWhilePending;
  if (end.state == JobState::Finished) return 0;
  if (WIFSIGNALED(end.exit_status)) return 128 + WTERMSIG(end.exit_status);
  return WEXITSTATUS(end.exit_status) != 0 ? WEXITSTATUS(end.exit_status) : kRefused;
}

// Left to bkill, which waits for a master that is away: interrupted, bsub gives its prompt at once.
[[noreturn]] void end_job(JobId job, int signal) {
  auto bkill = proc::Process::start({{"bkill", std::to_string(job.job)}});
  if (!bkill) complain("bsub: " + bkill.error().text + "; the job still waits\n");
  ::_exit(128 + signal);  // no destructor ends it
}

// As long as it lives, a signal ends the job too: a job with its streams here ends with us, also
// while it waits. A thread takes the signal, for a handler may do next to nothing.
class EndOnSignal {
 public:
  explicit EndOnSignal(JobId job) {
    sigemptyset(&taken_);
    for (int signal : {SIGINT, SIGTERM, SIGHUP, kEnough}) sigaddset(&taken_, signal);
    ::pthread_sigmask(SIG_BLOCK, &taken_, &before_);
    taker_ = std::thread([this, job] {
      int signal = 0;
      if (::sigwait(&taken_, &signal) == 0 && signal != kEnough) end_job(job, signal);
    });
  }
  EndOnSignal(const EndOnSignal&) = delete;
  EndOnSignal& operator=(const EndOnSignal&) = delete;
  ~EndOnSignal() {
    ::pthread_kill(taker_.native_handle(), kEnough);
    taker_.join();
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  static constexpr int kEnough = SIGUSR1;
  sigset_t taken_{}, before_{};
  std::thread taker_;
};

// From the console of one attempt, which may be over by now, to its end.
Result<void> follow(client::Master& master, const AttachRequest& attempt, Streams streams) {
  auto where = find_door(master, attempt);
  if (!where && where.error().code == Code::Conflict) return {};  // it never ran
  if (!where) return where.error();
  complain("<<Starting on " + where->host + ">>\n");
  return follow_console(*where, streams != Streams::Pipes);
}

// Attempt by attempt: a job that was queued again begins another.
Result<int> wait_for(client::Master& master, JobId job, Streams streams) {
  complain("<<Waiting for dispatch ...>>\n");
  Attempt told;
  WaitReply now;
  while (!is_over(now.state)) {
    std::optional<EndOnSignal> ends_with_us;
    if (streams != Streams::Files) ends_with_us.emplace(job);
    WM_TRY(now, master.ask(WaitRequest{job, now.state, now.attempt}));
    ends_with_us.reset();
    if (now.attempt == told) continue;
    if (streams == Streams::Files) {
      told = now.attempt;
      complain("<<Starting on " + now.first_host + ">>\n");
      continue;
    }
    ++told.value;
    auto followed = follow(master, {job, {}, told}, streams);
    if (!followed) complain(followed.error().text + "\n");  // its exit code is still to come
    now = {};  // much may have happened meanwhile: look again
  }
  if (streams == Streams::Files) complain("<<Job is finished>>\n");
  return exit_code_of(now);
}

Result<int> run(const Parsed& given) {
  if (given.has("pack")) return submit_pack(given, surroundings_here());
  Parsed options = given;
  WM_TRY(auto file, read_spec(options));
  WM_TRY(auto source, find_source(options, file));
  auto here = surroundings_here();
  WM_TRY(auto remarks, add_directives(source, options, here));
  auto found = master();
  if (auto conf = cluster_conf()) {
    here.limit_unit = conf->lsf.limit_unit();
    here.mem_unit = conf->lsf.mem_unit();
    WM_TRY(filter_submission(conf->scripts, source.command, options));
  }
  if (found) found->greet();
  WM_TRY(auto spec, make_spec(options, source, here));
  WM_TRY(add_spec_file(std::move(file), spec));
  if (!spec.exec.search.empty()) WM_TRY(search::check(spec.exec.search));
  WM_TRY(check_shell(spec));
  warn_of_doubt(options, here);
  WM_TRY(auto env, make_environment(options, here));
  for (const auto& name : env.unset)
    complain("bsub: -env " + name + ": is not set here, and not in the job\n");
  announce_dates(spec);
  WM_TRY(auto to, std::move(found));
  if (options.has("cost")) return tell_cost(to, spec, asked_queues(options, here));
  if (spec.files.in_spooled) {
    WM_TRY(spec.files.in, spool_input(spec.files.in, here.cwd, here.home));
  }
  Bundle bundle;
  if (auto folder = options.first("bundle")) {
    WM_TRY(auto conf, cluster_conf());
    WM_TRY(bundle.stage(*folder, conf, here, spec));
  }
  const auto streams = spec.console.streams;
  const auto spooled = spec.files.in_spooled ? spec.files.in : "";
  auto reply = submit_to(to, std::move(spec), source, env.block, options, here);
  if (!reply && !spooled.empty()) ::unlink(spooled.c_str());
  if (!reply) bundle.drop();
  if (!reply) return reply.error();
  announce(*reply);
  for (const auto& warning : reply->warnings) complain("bsub: " + warning + "\n");
  tell_remarks(remarks);
  if (options.has("K") || streams != Streams::Files) return wait_for(to, reply->job, streams);
  return 0;
}

}  // namespace
}  // namespace wm::cmd::bsub

int main(int argc, char** argv) {
  using namespace wm::cmd;
  using namespace wm::cmd::bsub;
  const Command command{
      .name = "bsub",
      .synopsis = "bsub [options] command [argument ...] | script_file | < script",
      .options = submit_options(),
      .words = Words::Last,
      .refusal = " Job not submitted.",
      .acts = true};
  return main_of(command, argc, argv, run);
}
