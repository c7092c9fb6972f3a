// bresize: gives tasks of a running elastic job back, or asks for more. The scheduler decides
// when; it never goes above what is asked for here.
#include <charconv>

#include "commands/common/command.h"
#include "commands/common/job_names.h"

namespace wm::cmd {
namespace {

using Kind = Option::Kind;
using Resize = ResizeRequest::Kind;

constexpr Option kOptions[] = {
    {"c", Kind::Flag, "", "Forget an earlier request first"},
    {"rnc", Kind::Ignored, "", ""},
    {"rncn", Kind::IgnoredFlag, "", ""},
};

Error usage_error(const std::string& text) {
  return fail(Code::BadArgument, "bresize: " + text + "; bresize release|request tasks job_id, or cancel job_id");
}

Result<std::uint32_t> parse_count(std::string_view text) {
  std::uint32_t value = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec == std::errc() && end == text.data() + text.size() && value > 0) return value;
  return usage_error("'" + std::string(text) + "' is not a number of tasks");
}

// "2", "1,3" (the most counts), or "2*hostA hostB": so many tasks, wherever they are.
Result<std::uint32_t> parse_tasks(std::string_view text) {
  if (auto comma = text.find(','); comma != std::string_view::npos) return parse_count(text.substr(comma + 1));
  bool of_hosts = text.find_first_of("* ") != std::string_view::npos;
  if (!of_hosts) return parse_count(text);
  std::uint32_t sum = 0;
  while (!text.empty()) {
    auto word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.empty()) continue;
    auto star = word.find('*');
    std::uint32_t tasks = 1;
    if (star != std::string_view::npos) {
      WM_TRY(tasks, parse_count(word.substr(0, star)));
    }
    sum += tasks;
  }
  return sum;
}

Result<ResizeRequest> request_of(const std::vector<std::string>& words) {
  ResizeRequest request;
  if (words.empty()) return usage_error("nothing asked for");
  bool cancel = words[0] == "cancel";
  if (!cancel && words[0] != "release" && words[0] != "request") return usage_error("'" + words[0] + "' is no verb");
  if (words.size() != (cancel ? 2u : 3u)) return usage_error("wrong number of words");
  request.kind = cancel ? Resize::Cancel : words[0] == "release" ? Resize::Release : Resize::Request;
  if (!cancel) {
    WM_TRY(request.tasks, parse_tasks(words[1]));
  }
  WM_TRY(auto ids, parse_job_ids({&words.back(), 1}));
  if (ids.size() != 1) return usage_error("one job at a time");
  request.job = ids[0];
  return request;
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto request, request_of(options.words));
  WM_TRY(auto to, master());
  if (options.has("c") && request.kind == Resize::Request) {
    ResizeRequest cancel{.job = request.job, .kind = Resize::Cancel};
    WM_TRY(to.resize(cancel));
  }
  WM_TRY(auto reply, to.resize(request));
  say("Job <" + to_string(request.job) + "> may have up to " + std::to_string(reply.cap) + " task(s) now\n");
  return 0;
}

}  // namespace
}  // namespace wm::cmd

int main(int argc, char** argv) {
  using namespace wm::cmd;
  return main_of({"bresize", "bresize release|request tasks job_id | bresize cancel job_id", kOptions}, argc, argv, run);
}
