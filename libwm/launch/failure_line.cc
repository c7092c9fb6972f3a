// Which line of what a failed task said, or of what its launcher wrote down, is the reason.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "libwm/base/json.h"
#include "libwm/launch/last_words.h"

namespace wm::launch {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::string_view kTraceback = "Traceback (most recent call last):";
constexpr std::string_view kSummary =
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// "[rank1]: ValueError" of rank 1, or "[default1]:ValueError", without that: newer torch and
/// torchrun's own redirection put it before each line.
std::string_view without_rank(std::string_view line, std::string_view& rank) {
  rank = {};
  auto end = line.find("]:");
  if (!line.starts_with('[') || end == line.npos) return line;
  auto name = line.substr(1, end - 1);
  auto from = name.find_last_not_of("0123456789") + 1;  // 0: digits alone
  bool word = std::ranges::all_of(name.substr(0, from), is_letter);
  if (from == name.size() || !word) return line;  // a bracket of its own
  if (name.starts_with("rank")) rank = name.substr(from);
  auto rest = line.substr(end + 2);
  return rest.starts_with(' ') ? rest.substr(1) : rest;
}

struct Raised {
  std::string_view line, rank;
  bool torchruns = false;  ///< the launcher's own summary
  std::size_t at = 0;      ///< line of its Traceback
};

/// What was raised, in the order in which it was written: behind a Traceback the first line of the
/// same rank that is not indented.
std::vector<Raised> exceptions_in(const Lines& lines) {
  std::vector<Raised> found;
  std::vector<std::pair<std::string_view, std::size_t>> open;  // by rank
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view rank;
    auto line = without_rank(lines[i], rank);
    auto began = std::ranges::find(open, rank, &std::pair<std::string_view, std::size_t>::first);
    if (line.starts_with(kTraceback)) {
      if (began == open.end()) open.emplace_back(rank, i);
      else began->second = i;
    } else if (began != open.end() && !line.empty() && line.front() != ' ' &&
               line.front() != '\t') {
      found.push_back({line, rank, line.starts_with(kSummary), began->second});
      open.erase(began);
    }
  }
  return found;
}

/// The rank that failed first, as the summary from this line on names it: "  rank      : 1
/// (local_rank: 0)".
std::string_view first_failed(std::span<const std::string_view> summary) {
  bool root = false;
  for (auto line : summary) {
    root = root || line.starts_with("Root Cause");
    auto colon = line.find(": ");
    auto from = line.find_first_not_of(' ');
    if (!root || from == line.npos || colon == line.npos || !line.substr(from).starts_with("rank "))
      continue;
    auto value = line.substr(colon + 2);
    return value.substr(0, value.find_first_not_of("0123456789"));
  }
  return {};
}

/// A log line of the launcher's own, or one that only underlines.
bool says_nothing(std::string_view line) {
  if (line.find_first_not_of(" \t\r=-*_") == line.npos) return true;
  return line.find("torch/distributed/") != line.npos ||
         line.find("torch.distributed.elastic") != line.npos;
}

std::string last_that_says(std::span<const std::string_view> lines) {
  for (auto at = lines.rbegin(); at != lines.rend(); ++at)
    if (!says_nothing(*at)) return last_line(*at);
  return "";
}

/// The number that begins at `text`; moves behind it.
std::string_view take_number(std::string_view& text) {
  auto number = text.substr(0, text.find_first_not_of("0123456789"));
  text.remove_prefix(number.size());
  return number;
}

}  // namespace

std::string shared_device_line(std::string_view text) {
  constexpr std::string_view kSaid = "Duplicate GPU detected : rank ", kAnd = " and rank ";
  auto at = text.find(kSaid);
  if (at == text.npos) return "";
  text.remove_prefix(at + kSaid.size());
  auto one = take_number(text);
  if (one.empty() || !text.starts_with(kAnd)) return "";
  text.remove_prefix(kAnd.size());
  auto other = take_number(text);
  if (other.empty()) return "";
  return "ranks " + std::string(one) + " and " + std::string(other) +
         " share one GPU, which NCCL refuses: each needs a GPU of its own (-gpu num=1 without "
         "mode=shared), or gloo";
}

std::string failure_line(std::string_view err) {
  if (auto known = shared_device_line(err); !known.empty()) return known;
  auto lines = lines_of(err);
  auto raised = exceptions_in(lines);
  auto summary = std::ranges::find_if(raised.rbegin(), raised.rend(), &Raised::torchruns);
  if (summary == raised.rend()) {
    auto line = last_that_says(lines);
    return line.empty() ? last_line(err) : line;
  }
  auto rank = first_failed(std::span(lines).subspan(summary->at));
  const Raised* last = nullptr;
  for (const auto& one : raised) {
    if (one.torchruns || one.at >= summary->at) continue;
    bool decides = last == nullptr || one.rank == rank || last->rank != rank || rank.empty();
    if (decides) last = &one;
  }
  if (last != nullptr) return last_line(last->line);
  auto line = last_that_says(std::span(lines).first(summary->at));
  return line.empty() ? last_that_says(lines) : line;
}

std::string error_file_line(std::string_view json) {
  auto whole = json_or_null<SortedJson>(json);
  if (!whole.is_object() || !whole.contains("message")) return "";
  const auto* message = &whole["message"];
  if (message->is_object() && message->contains("message")) message = &(*message)["message"];
  if (!message->is_string()) return "";
  const auto& text = message->get_ref<const std::string&>();
  if (auto known = shared_device_line(text); !known.empty()) return known;
  auto from = text.find_first_not_of(" \t\r\n");
  if (from == text.npos) return "";
  return last_line(std::string_view(text).substr(from, text.find('\n', from) - from));
}

}  // namespace wm::launch
