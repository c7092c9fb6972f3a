// bpost: leaves a message at a job, with a small file if wanted.
#include <charconv>
#include <fstream>
#include <iterator>

#include "commands/common/command.h"
#include "libwm/submit/job_names.h"

namespace wm::cmd::bpost {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"i", Kind::Number, "index", "Which of the job's messages, 0 to 127; 0 without it"},
    {"d", Kind::Text, "text", "The message"},
    {"a", Kind::Text, "file", "Attach this file"},
    {"N", Kind::Ignored, "", ""},
};

Result<std::uint32_t> index_of(const Parsed& options) {
  std::uint32_t index = 0;
  auto text = options.first("i");
  if (!text) return index;
  auto [end, ec] = std::from_chars(text->data(), text->data() + text->size(), index);
  if (ec == std::errc() && end == text->data() + text->size()) return index;
  return fail(Code::BadArgument, "-i " + *text + ": Bad argument, a number is wanted");
}

Result<void> attach(const std::string& path, JobNote& note) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(Code::NotFound, path + ": cannot be read");
  std::istreambuf_iterator<char> at(file), end;
  for (; at != end && note.data.size() <= kMostNoteData; ++at) note.data += *at;
  if (note.data.size() > kMostNoteData)
    return fail(Code::Limit, path + ": a file of at most " + std::to_string(kMostNoteData) +
                                 " bytes can be attached");
  note.file = path.substr(path.rfind('/') + 1);
  return {};
}

Result<int> run(const Parsed& options) {
  if (options.words.size() != 1) return fail(Code::BadArgument, "bpost: one job ID is wanted");
  WM_TRY(auto ids, parse_job_ids(options.words));
  if (ids.size() != 1) return fail(Code::BadArgument, "bpost: one job ID is wanted");
  if (!options.has("d") && !options.has("a"))
    return fail(Code::BadArgument, "bpost: -d or -a is wanted");
  PostRequest request;
  request.job = ids.front();
  WM_TRY(request.note.index, index_of(options));
  request.note.text = options.first("d").value_or("");
  if (auto path = options.first("a")) WM_TRY(attach(*path, request.note));
  WM_TRY(auto to, master());
  WM_TRY(auto reply, to.ask(request));
  say("Message of index " + std::to_string(reply.index) + " is posted to job <" +
      to_string(request.job) + ">\n");
  return 0;
}

}  // namespace
}  // namespace wm::cmd::bpost

int main(int argc, char** argv) {
  using namespace wm::cmd::bpost;
  return main_of({.name = "bpost",
                  .synopsis = "bpost [-i index] [-d text] [-a file] job_id[[index]]",
                  .options = kOptions,
                  .acts = true},
                 argc, argv, run);
}
