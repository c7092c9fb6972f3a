// bgive: gives elements of an open array (bsub -open) their data, in order; closes it.
#include <cstdio>
#include <cstring>

#include "commands/common/command.h"
#include "libwm/submit/job_names.h"

namespace wm::cmd::bgive {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"lines", Kind::Flag, "", "Each line of standard input is one element's data"},
    {"close", Kind::Flag, "", "No more will follow: the array is over when its elements are"},
};

// So many go into one request, which is done whole or not at all.
constexpr std::size_t kTogether = 1000, kTogetherBytes = 4u << 20;

Result<std::string> text_of(const std::string& path) {
  std::FILE* in = std::fopen(path.c_str(), "r");
  if (!in) return fail(Code::NotFound, path + ": " + std::strerror(errno));
  std::string text;
  char block[1 << 16];
  while (auto n = std::fread(block, 1, sizeof block, in)) text.append(block, n);
  bool failed = std::ferror(in);
  std::fclose(in);
  if (failed) return fail(Code::System, path + ": cannot be read");
  return text;
}

std::vector<std::string> lines_on_stdin() {
  std::vector<std::string> lines;
  char* line = nullptr;
  std::size_t room = 0;
  for (ssize_t n; (n = ::getline(&line, &room, stdin)) >= 0;) {
    if (n > 0 && line[n - 1] == '\n') --n;
    if (n > 0) lines.emplace_back(line, static_cast<std::size_t>(n));
  }
  std::free(line);
  return lines;
}

Result<std::vector<std::string>> data_of(const Parsed& options) {
  if (options.has("lines")) return lines_on_stdin();
  std::vector<std::string> data;
  for (std::size_t i = 1; i < options.words.size(); ++i) {
    WM_TRY(auto text, text_of(options.words[i]));
    data.push_back(std::move(text));
  }
  return data;
}

Result<GiveReply> give_all(client::Master& to, JobId job, std::vector<std::string> data,
                           bool close) {
  GiveReply all;
  std::size_t at = 0;
  do {
    GiveRequest request{.job = job};
    for (std::size_t bytes = 0; at < data.size() && request.data.size() < kTogether; ++at) {
      bytes += data[at].size();
      if (!request.data.empty() && bytes > kTogetherBytes) break;
      request.data.push_back(std::move(data[at]));
    }
    request.close = close && at == data.size();
    WM_TRY(auto reply, to.ask(request));
    if (all.first == 0) all.first = reply.first;
    all.given = reply.given;
    all.closed = reply.closed;
  } while (at < data.size());
  return all;
}

Result<int> run(const Parsed& options) {
  if (options.words.empty()) return fail(Code::BadArgument, "a job ID is wanted");
  if (options.has("lines") && options.words.size() > 1)
    return fail(Code::BadArgument, "-lines: data comes from files or from standard input");
  WM_TRY(auto ids, parse_job_ids(std::span(options.words).first(1)));
  WM_TRY(auto data, data_of(options));
  WM_TRY(auto to, master());
  WM_TRY(auto reply, give_all(to, ids.at(0), std::move(data), options.has("close")));
  say("Job <" + to_string(ids[0]) + "> has " + std::to_string(reply.given) + " element(s)" +
      (reply.closed ? " and is closed\n" : "; more may follow\n"));
  return 0;
}

}  // namespace
}  // namespace wm::cmd::bgive

int main(int argc, char** argv) {
  using namespace wm::cmd::bgive;
  return main_of({.name = "bgive",
                  .synopsis = "bgive [-lines] [-close] job_id [file ...]",
                  .options = kOptions,
                  .acts = true},
                 argc, argv, run);
}
