// resize_words: verbs, then counts, then the whole.
#include "commands/common/resize_words.h"

#include <charconv>
#include <optional>

#include "libwm/submit/job_names.h"

namespace wm::cmd {
namespace {

using ResizeKind = ResizeRequest::Kind;

Error usage_error(const std::string& text) {
  return fail(Code::BadArgument,
              "bresize: " + text +
                  "; bresize release|request tasks job_id, group=tasks job_id, or cancel job_id");
}

std::optional<ResizeKind> kind_of(const std::string& word) {
  if (word == "release") return ResizeKind::Release;
  if (word == "request") return ResizeKind::Request;
  if (word == "cancel") return ResizeKind::Cancel;
  return std::nullopt;
}

Result<std::uint32_t> parse_count(std::string_view text) {
  std::uint32_t value = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec == std::errc() && end == text.data() + text.size() && value > 0) return value;
  return usage_error("'" + std::string(text) + "' is not a number of tasks");
}

// "2*hostA hostB": so many tasks, wherever they are.
Result<std::uint32_t> count_on_hosts(std::string_view text) {
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

Result<std::uint32_t> parse_tasks(std::string_view text, bool names_hosts) {
  if (names_hosts) return count_on_hosts(text);
  auto comma = text.find(',');
  if (comma == std::string_view::npos) return parse_count(text);
  WM_TRY(auto least, parse_count(text.substr(0, comma)));
  WM_TRY(auto most, parse_count(text.substr(comma + 1)));
  if (least > most)
    return usage_error("'" + std::string(text) + "': the first number is the smaller");
  return most;
}

// "worker=3"
Result<ResizeWish> parse_group_size(std::span<const std::string> words) {
  if (words.size() != 2) return usage_error("group=tasks goes with one job_id");
  auto equals = words[0].find('=');
  ResizeWish wish;
  wish.request.kind = ResizeKind::Set;
  wish.request.group = words[0].substr(0, equals);
  auto tasks = words[0].substr(equals + 1);
  if (tasks != "0") {
    WM_TRY(wish.request.tasks, parse_count(tasks));
  }
  WM_TRY(auto ids, parse_job_ids(words.last(1)));
  if (ids.size() != 1) return usage_error("one job at a time");
  wish.request.job = ids[0];
  return wish;
}

}  // namespace

Result<ResizeWish> parse_resize(std::span<const std::string> words) {
  if (words.empty()) return usage_error("nothing asked for");
  if (words[0].find('=') != std::string::npos) return parse_group_size(words);
  auto kind = kind_of(words[0]);
  if (!kind) return usage_error("'" + words[0] + "' is no verb");
  if (words.size() != (*kind == ResizeKind::Cancel ? 2U : 3U))
    return usage_error("wrong number of words");
  ResizeWish wish;
  wish.request.kind = *kind;
  if (*kind != ResizeKind::Cancel) {
    wish.names_hosts = words[1].find_first_of("* ") != std::string::npos;
    WM_TRY(wish.request.tasks, parse_tasks(words[1], wish.names_hosts));
  }
  WM_TRY(auto ids, parse_job_ids(words.last(1)));
  if (ids.size() != 1) return usage_error("one job at a time");
  wish.request.job = ids[0];
  return wish;
}

}  // namespace wm::cmd
