#include "libwm/submit/file_copies.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <vector>

namespace wm::cmd {
namespace {

Error trouble(const std::string& what) {
  return fail(Code::System, what + ": " + std::strerror(errno));
}

bool copy_all(int from, int to) {
  std::array<char, 65536> block;
  for (;;) {
    auto n = ::read(from, block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;
    for (ssize_t at = 0; at < n;) {
      auto written = ::write(to, block.data() + at, static_cast<std::size_t>(n - at));
      if (written < 0 && errno != EINTR) return false;
      if (written > 0) at += written;
    }
  }
}

}  // namespace

Result<FileCopy> parse_file_copy(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  auto bad = [&](const char* why) {
    return fail(Code::BadArgument, "-f \"" + text + "\": Bad argument, " + why);
  };
  if (words.size() < 2 || words.size() > 3)
    return bad("\"local_file operator [remote_file]\" is wanted");
  const auto& op = words[1];
  FileCopy copy{.local = words[0], .remote = words.size() == 3 ? words[2] : words[0]};
  copy.before = op == ">" || op == "><" || op == "<>";
  copy.after = op == "<" || op == "<<" || op == "><" || op == "<>";
  copy.append = op == "<<";
  if (!copy.before && !copy.after) return bad("the operator is one of > < << ><");
  return copy;
}

Result<std::string> spool_input(const std::string& file, const std::string& cwd,
                                const std::string& home) {
  auto source = file.starts_with('/') ? file : cwd + "/" + file;
  int from = ::open(source.c_str(), O_RDONLY | O_CLOEXEC);
  if (from < 0) return trouble("-is " + file);
  auto folder = home + "/.lsbatch";
  ::mkdir(folder.c_str(), 0700);
  auto path = folder + "/in.XXXXXX";
  int to = ::mkstemp(path.data());
  if (to < 0) {
    auto error = trouble("-is " + file + ": " + folder);
    ::close(from);
    return error;
  }
  bool good = copy_all(from, to);
  auto error = trouble("-is " + file);
  ::close(from);
  good = ::close(to) == 0 && good;
  if (good) return path;
  ::unlink(path.c_str());
  return error;
}

}  // namespace wm::cmd
