// Byte tables and names of launcher.h.
#include "libwm/launch/launcher.h"

#include <sys/wait.h>

#include <charconv>

#include "libwm/launch/plain.h"

namespace wm {

WM_PLAIN(Bytes) { f(s.value); }
// mean_mem and max_swap stand at the end of what holds it: records of before end without them.
WM_PLAIN(Usage) { f(s.cpu), f(s.max_mem), f(s.read), f(s.written), f(s.by_cgroup); }
WM_PLAIN(AttemptUse) {
  f(s.cpu), f(s.mem), f(s.max_mem), f(s.mean_mem), f(s.swap), f(s.max_swap), f(s.processes);
  f(s.threads), f(s.pids);
}

}  // namespace wm

namespace wm::launch {

WM_PLAIN(AttemptKey) { f(s.job), f(s.attempt); }
WM_PLAIN(Account) { f(s.uid), f(s.gid), f(s.groups); }
WM_PLAIN(ResourceCap) { f(s.resource), f(s.amount); }
WM_PLAIN(OutputFile) {
  f(s.path), f(s.name), f(s.overwrite), f(s.make_folders), f(s.limit_bytes);
  f(s.at_start), f(s.newest);
}
WM_PLAIN(CharDevice) { f(s.driver), f(s.unit); }
WM_PLAIN(MemoryBinding) { f(s.nodes), f(s.only); }
WM_PLAIN(TaskSpec) {
  f(s.task), f(s.argv), f(s.env), f(s.out), f(s.err), f(s.merge_err), f(s.cpus);
  f(s.memory);
  f(s.in), f(s.folders), f(s.console), f(s.terminal), f(s.rows), f(s.columns);
  f(s.rank_socket), f(s.rank), f(s.tag), f(s.devices), f(s.results);
  f(s.asked_out), f(s.asked_err), f(s.writer), f(s.last_words), f(s.says_why), f(s.report_by);
}
WM_PLAIN(SideCommand) {
  f(s.what), f(s.argv), f(s.env), f(s.privileged), f(s.time_limit), f(s.cwd);
}
WM_PLAIN(UseLimits) { f(s.cpu), f(s.mem), f(s.swap), f(s.processes), f(s.threads); }
WM_PLAIN(Warning) { f(s.lead), f(s.signal), f(s.command); }
WM_PLAIN(JobAct) { f(s.signal), f(s.command); }
WM_PLAIN(Checkpoints) { f(s.period), f(s.command); }
WM_PLAIN(JobActs) { f(s.suspend), f(s.resume), f(s.terminate), f(s.checkpoints); }
WM_PLAIN(SmallFile) { f(s.name), f(s.text), f(s.executable); }
WM_PLAIN(ReportHead) {
  f(s.file), f(s.product), f(s.cluster), f(s.admin), f(s.job_name), f(s.job_text);
  f(s.submit_host), f(s.user), f(s.queue), f(s.home), f(s.cwd), f(s.err_path), f(s.hosts),
      f(s.submitted);
  f(s.requested_mem_bytes), f(s.mail_to), f(s.sendmail), f(s.mailed);
  f(s.mail_at_start), f(s.mail_at_end), f(s.out_path);
}
WM_PLAIN(AttemptSpec) {
  f(s.version), f(s.cluster), f(s.key), f(s.account), f(s.umask), f(s.cwd), f(s.make_cwd);
  f(s.caps), f(s.run_limit), f(s.kill_interval), f(s.kill_grace), f(s.files), f(s.agent_argv);
  f(s.agent_env), f(s.out), f(s.err), f(s.merge_err), f(s.report), f(s.ends_with_last_task),
      f(s.memo), f(s.tasks);
  f(s.limits), f(s.before), f(s.after), f(s.warning), f(s.suspended), f(s.cpu_weight), f(s.cpus);
  f(s.guarded), f(s.stray_grace), f(s.nice), f(s.acts), f(s.before_limit), f(s.after_limit);
  f(s.usage_interval);
  f(s.copies), f(s.copy_limit), f(s.lost_output_fails), f(s.folder_limit), f(s.folder_spool);
}
WM_PLAIN(ExitRecord) {
  f(s.key), f(s.task), f(s.pid), f(s.status), f(s.cause), f(s.text), f(s.started), f(s.ended);
  f(s.usage);
}
WM_PLAIN(StartTasks) { f(s.tasks), f(s.memo), f(s.limits); }
WM_PLAIN(EndTasks) { f(s.tasks), f(s.at_once), f(s.first_signal), f(s.text); }
WM_PLAIN(SignalTasks) { f(s.tasks), f(s.signal); }
WM_PLAIN(Finish) { f(s.text); }
WM_PLAIN(Suspend) { f(s.on); }
WM_PLAIN(LimitRun) { f(s.left); }
WM_PLAIN(WriteAsked) { f(s.task); }
WM_PLAIN(Replacement) { f(s.old), f(s.spec); }
WM_PLAIN(RestartTasks) { f(s.tasks), f(s.files), f(s.grace), f(s.memo), f(s.limits); }
WM_PLAIN(Notice) { f(s.number), f(s.command); }
WM_PLAIN(RunningProcess) { f(s.pid), f(s.start); }
WM_PLAIN(Sweep) { f(s.cluster), f(s.key), f(s.tasks), f(s.kill_grace); }
WM_PLAIN(ReadFile) { f(s.account), f(s.cwd), f(s.file), f(s.offset), f(s.limit_bytes); }
WM_PLAIN(StartAgent) { f(s.argv), f(s.env); }
WM_PLAIN(KeepWarm) { f(s.command), f(s.argv), f(s.env), f(s.after); }
WM_PLAIN(RunningTask) { f(s.task), f(s.pid), f(s.started), f(s.ended); }
// What shepherds of before do not say comes last: they go on under a host daemon of now.
WM_PLAIN(ShepherdUp) {
  f(s.version), f(s.key), f(s.pid), f(s.memo), f(s.tasks);
  if (!f.more()) return;
  f(s.delivers);
  for (auto& task : s.tasks) f(task.start);
}
WM_PLAIN(TaskStarted) {
  f(s.task);
  if (f.more()) f(s.task.start);
}
WM_PLAIN(TaskEnded) {
  f(s.record), f(s.record.report);
  if (f.more()) f(s.record.usage.mean_mem), f(s.record.usage.max_swap);
  if (f.more()) f(s.delivers);
}
WM_PLAIN(Delivered) { f(s.text); }
WM_PLAIN(AttemptEnded) { f(s.record); }
WM_PLAIN(AttemptStuck) { f(s.pids); }
WM_PLAIN(Noticed) { f(s.number), f(s.status); }
WM_PLAIN(ScriptFailed) { f(s.why); }
WM_PLAIN(Used) {
  f(s.cpu), f(s.seen), f(s.mem_peak);
  if (f.more()) f(s.now), f(s.use);
}
WM_PLAIN(FileRead) { f(s.bytes), f(s.size), f(s.trouble); }

namespace {

template <class T>
std::string write(const T& value) {
  PlainWriter f;
  f(value);
  return f.take();
}

template <class T>
Result<T> read(std::string_view bytes, const char* what) {
  Result<T> value{T{}};  // built in place: g++ 12 warns falsely about moving a fresh variant
  PlainReader f(bytes);
  f(*value);
  if (!f.done()) value = fail(Code::Damaged, std::string("damaged ") + what);
  return value;
}

/// Reads a number and the separator after it (0: the end). False: something else is there.
bool number(std::string_view& text, char end, std::uint32_t& value) {
  auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(at - text.data()));
  if (end == 0) return text.empty();
  if (text.empty() || text[0] != end) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string to_string(const AttemptKey& key) {
  return std::to_string(key.job.job) + "-" + std::to_string(key.job.index) + "." +
         std::to_string(key.attempt.value);
}

Result<AttemptKey> parse_attempt_key(std::string_view text) {
  AttemptKey key;
  auto rest = text;
  if (number(rest, '-', key.job.job) && number(rest, '.', key.job.index) &&
      number(rest, 0, key.attempt.value))
    return key;
  return fail(Code::BadArgument, "not an attempt: '" + std::string(text) + "'");
}

std::string attempt_marker(std::string_view cluster, std::string_view node, const AttemptKey& key) {
  return std::string(cluster) + "@" + std::string(node) + ":" + to_string(key.job) + "." +
         std::to_string(key.attempt.value);
}

std::string_view end_cause_name(EndCause cause) {
  static constexpr std::string_view kNames[] = {
      "exited",        "ordered",    "run_limit",       "start_failed",
      "shepherd_lost", "mem_limit",  "cpu_limit",       "process_limit",
      "thread_limit",  "swap_limit", "pre_exec_failed", "prolog_failed",
      "no_folder",     "own_fault",  "output_lost",     "folder_limit"};
  auto i = static_cast<std::size_t>(cause);
  return i < std::size(kNames) ? kNames[i] : "unknown";
}

std::string to_bytes(const ShepherdOrder& order) { return write(order); }
std::string to_bytes(const ShepherdWord& word) { return write(word); }
std::string to_bytes(const ExitRecord& record) {
  PlainWriter f;
  f(record);
  const auto& usage = record.usage;
  bool more = usage.mean_mem.value != 0 || usage.max_swap.value != 0;
  if (!record.report.empty() || more) f(record.report);
  if (more) f(usage.mean_mem), f(usage.max_swap);
  return f.take();
}
Result<ShepherdOrder> order_from_bytes(std::string_view bytes) {
  return read<ShepherdOrder>(bytes, "order to a shepherd");
}
Result<ShepherdWord> word_from_bytes(std::string_view bytes) {
  return read<ShepherdWord>(bytes, "word of a shepherd");
}
Result<ExitRecord> record_from_bytes(std::string_view bytes) {
  Result<ExitRecord> record{ExitRecord{}};
  PlainReader f(bytes);
  f(*record);
  if (f.more()) f(record->report);
  if (f.more()) f(record->usage.mean_mem), f(record->usage.max_swap);
  if (!f.done()) record = fail(Code::Damaged, "damaged exit record");
  // Records made before NoFolder say it in words.
  if (record && record->cause == EndCause::StartFailed &&
      record->text.starts_with("working directory"))
    record->cause = EndCause::NoFolder;
  return record;
}

}  // namespace wm::launch
