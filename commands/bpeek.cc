// bpeek: shows what a running job has written so far; -f goes on until it ends. JOBID.task
// is one task of a job that has several.
#include <algorithm>
#include <chrono>
#include <thread>

#include "commands/common/command.h"
#include "libwm/submit/job_names.h"
#include "libwm/submit/selection.h"

namespace wm::cmd::bpeek {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"f", Kind::Flag, "", "Go on until the job ends"},
    {"J", Kind::Text, "name", "The newest job of this name that runs; * at either end is anything"},
    {"q", Kind::Text, "queue", "The newest that runs of this queue"},
    {"m", Kind::Text, "host", "The newest that runs on this host"},
};
constexpr auto kBetweenLooks = std::chrono::milliseconds(300);
constexpr std::uint32_t kStdout = 1, kStderr = 2;

// "12", "12[3]", "12.2", "12[3].2"
Result<ClientPeek> target_of(const std::string& word) {
  ClientPeek peek;
  auto dot = word.find('.');
  std::string job = word.substr(0, dot);
  WM_TRY(auto ids, parse_job_ids({&job, 1}));
  peek.job = ids[0];
  if (dot == std::string::npos) return peek;
  std::string task = word.substr(dot + 1);
  auto number = parse_job_ids({&task, 1});  // a task is a positive number, as a job is
  if (!number || (*number)[0].index != 0)
    return fail(Code::BadArgument, word + ": '" + task + "' is no task");
  peek.task = TaskNumber{(*number)[0].job};
  return peek;
}

// Prints what is there from peek.offset on, moves it; says whether more may come.
Result<bool> print_more(client::Master& from, ClientPeek& peek, bool to_stderr) {
  while (true) {
    WM_TRY(auto reply, from.ask(peek));
    if (reply.bytes.empty()) return reply.running;
    peek.offset += reply.bytes.size();
    if (to_stderr) pass_on(reply.bytes);
    else say(reply.bytes);
  }
}

Result<int> follow(client::Master& from, ClientPeek out, ClientPeek err) {
  bool running = true;
  while (running) {
    WM_TRY(running, print_more(from, out, false));
    WM_TRY(print_more(from, err, true));
    if (running) std::this_thread::sleep_for(kBetweenLooks);
  }
  WM_TRY(print_more(from, out, false));
  WM_TRY(print_more(from, err, true));
  return 0;
}

// Hosts forget what is over: its output is where -o says. @source LSF bpeek (lsf-surface 4)
Result<void> must_not_be_over(client::Master& from, JobId job) {
  JobSelection one;
  one.ids = {job};
  WM_TRY(auto reply, from.ask(JobsRequest{one}));
  bool over = std::all_of(reply.jobs.begin(), reply.jobs.end(),
                          [](const JobView& view) { return is_over(view.job->state); });
  if (reply.jobs.empty() || !over) return {};
  return fail(Code::Conflict, "Job <" + to_string(job) + "> : Already finished.");
}

// Without a number: of what runs and fits the options what was submitted last, of an array the
// element of the highest index. @source LSF bpeek
Result<ClientPeek> newest_that_runs(client::Master& from, const Parsed& options) {
  WM_TRY(auto selection, select_jobs(options));
  selection.running_only = true;
  WM_TRY(auto reply, from.ask(JobsRequest{selection}));
  ClientPeek peek;
  for (const auto& view : reply.jobs) peek.job = std::max(peek.job, view.id);
  if (peek.job == JobId{}) return fail(Code::NotFound, "No running job found");
  return peek;
}

Result<int> run(const Parsed& options) {
  if (options.words.size() > 1) return fail(Code::BadArgument, "bpeek: one job ID is wanted");
  WM_TRY(auto from, master());
  WM_TRY(auto out,
         options.words.empty() ? newest_that_runs(from, options) : target_of(options.words[0]));
  out.stream = kStdout;
  ClientPeek err = out;
  err.stream = kStderr;
  WM_TRY(must_not_be_over(from, out.job));
  if (options.has("f")) {
    WM_TRY(auto first, from.ask(out));
    say("<< output from stdout >>\n" + first.bytes);
    out.offset = first.bytes.size();
    return follow(from, out, err);
  }
  WM_TRY(auto first, from.ask(out));
  say("<< output from stdout >>\n" + first.bytes);
  out.offset = first.bytes.size();
  WM_TRY(print_more(from, out, false));
  say("\n<< output from stderr >>\n");
  WM_TRY(print_more(from, err, false));
  return 0;
}

}  // namespace
}  // namespace wm::cmd::bpeek

int main(int argc, char** argv) {
  using namespace wm::cmd::bpeek;
  return main_of({"bpeek", "bpeek [options] [job_id[[index]][.task]]", kOptions}, argc, argv, run);
}
