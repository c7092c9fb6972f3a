#include "libwm/submit/pack.h"

#include <algorithm>

#include "libwm/submit/command_words.h"
#include "libwm/submit/directives.h"

namespace wm::cmd {
namespace {

constexpr const char* kAlone[] = {"I",    "Ip",     "Is",  "K",    "is", "f",
                                  "spec", "bundle", "env", "pack", "Zs"};

Result<client::PackJob> job_of(std::string_view line, const Surroundings& here,
                               const LineFilter& filter) {
  WM_TRY(auto words, words_of(line));
  WM_TRY(auto options, parse_options(submit_options(), words, Words::Last));
  for (const char* option : kAlone)
    if (options.has(option))
      return fail(Code::BadArgument, "-" + std::string(option) + " does not go with -pack");
  if (options.words.empty()) return fail(Code::BadArgument, "No command is specified");
  Source source;
  source.command = command_line_of(options.words, Names::OfTheJob);
  if (filter) WM_TRY(filter(source.command, options));
  WM_TRY(auto spec, make_spec(options, source, here));
  spec.queue = asked_queues(options, here).front();
  return client::PackJob{std::move(spec), ""};
}

}  // namespace

std::vector<PackLine> pack_lines(std::string_view text, const Surroundings& here,
                                 const LineFilter& filter) {
  std::vector<PackLine> lines;
  lines.reserve(std::count(text.begin(), text.end(), '\n') + 1);
  for (int number = 1; !text.empty(); ++number) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    auto first = line.find_first_not_of(" \t\r");
    if (first == line.npos || line[first] == '#') continue;
    lines.push_back({number, job_of(line, here, filter)});
  }
  return lines;
}

}  // namespace wm::cmd
