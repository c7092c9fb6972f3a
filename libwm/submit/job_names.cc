// One reader of index lists for both directions.
#include "libwm/submit/job_names.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "libwm/model/elements.h"

namespace wm::cmd {
namespace {

constexpr std::size_t kMaxName = 4094;
constexpr std::uint64_t kMaxIds = 100000;
constexpr std::uint64_t kMaxListed = 50'000'000;  // more are the master's to refuse

bool take_number(std::string_view& text, std::uint32_t& out) {
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (ec != std::errc() || out == 0) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text[0] != c) return false;
  text.remove_prefix(1);
  return true;
}

// "1", "1-10", "1-10:2"
bool take_range(std::string_view& text, IndexRange& range) {
  if (!take_number(text, range.from)) return false;
  range.to = range.from;
  if (!take(text, '-')) return true;
  if (!take_number(text, range.to) || range.to < range.from) return false;
  return !take(text, ':') || take_number(text, range.step);
}

// "1-10:2,20" up to the closing bracket, which is taken too.
bool take_list(std::string_view& text, std::vector<IndexRange>& ranges) {
  do {
    if (!take_range(text, ranges.emplace_back())) return false;
  } while (take(text, ','));
  if (!take(text, ']')) return false;
  if (element_count(ranges) <= kMaxListed) ranges = each_once(std::move(ranges));
  return true;
}

Result<void> add_ids(const std::string& word, std::vector<JobId>& ids) {
  const Error bad = fail(Code::BadArgument, word + ": Illegal job ID.");
  std::string_view text = word;
  JobId id;
  if (!take_number(text, id.job)) return bad;
  if (text.empty()) {
    ids.push_back(id);
    return {};
  }
  std::vector<IndexRange> ranges;
  if (!take(text, '[') || !take_list(text, ranges) || !text.empty()) return bad;
  for (const auto& range : ranges) {
    for (std::uint64_t i = range.from; i <= range.to; i += range.step) {
      if (ids.size() == kMaxIds) return fail(Code::Limit, word + ": more than 100000 jobs named");
      ids.push_back({id.job, static_cast<std::uint32_t>(i)});
    }
  }
  return {};
}

}  // namespace

Result<JobName> parse_job_name(std::string_view text) {
  const std::string given(text);
  JobName result;
  auto open = text.find('[');
  result.name = text.substr(0, open);
  if (text.size() > kMaxName) return fail(Code::Limit, "Bad job name: longer than 4094 characters");
  if (open == std::string_view::npos) return result;
  text.remove_prefix(open + 1);
  const Error bad = fail(Code::BadArgument, given + ": Job array index error");
  if (!take_list(text, result.array)) return bad;
  if (take(text, '%') && !take_number(text, result.limit)) return bad;
  if (!text.empty()) return bad;
  if (result.name.empty()) return fail(Code::BadArgument, given + ": Bad job name");
  return result;
}

Result<std::vector<JobId>> parse_job_ids(std::span<const std::string> words) {
  std::vector<JobId> ids;
  for (const auto& word : words) {
    WM_TRY(add_ids(word, ids));
  }
  return ids;
}

Result<std::string> parse_job_group(const std::string& text) {
  constexpr std::size_t kLongest = 512;
  bool bad = !text.starts_with('/') || text.size() > kLongest || text.find("//") != text.npos ||
             (text.size() > 1 && text.ends_with('/')) ||
             std::any_of(text.begin(), text.end(),
                         [](unsigned char c) { return c <= ' ' || c == 127 || c == ':'; });
  if (bad) return fail(Code::BadArgument, text + ": Bad job group name");
  return text;
}

}  // namespace wm::cmd
