#include "libwm/conf/files.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "libwm/conf/ini.h"

namespace wm::conf {
namespace {

Error cannot_read(const std::string& path, int error) {
  return fail(Code::System, path + ": " + std::strerror(error));
}

Result<std::string> read_all(int file, const std::string& path) {
  struct stat found {};
  if (::fstat(file, &found) != 0) return cannot_read(path, errno);
  // A pipe or a device would block the reader, or give nothing and pass for an empty file.
  if (!S_ISREG(found.st_mode)) return fail(Code::System, path + ": not a regular file");
  std::string text;
  char block[16384];
  for (;;) {
    auto got = ::read(file, block, sizeof(block));
    if (got > 0) text.append(block, static_cast<std::size_t>(got));
    else if (got == 0) return text;
    else if (errno != EINTR) return cannot_read(path, errno);
  }
}

// Only what has no entry in the directory is absent: a file that is there and cannot be read,
// or a link that leads nowhere, would otherwise count as "nothing configured".
Result<std::string> read_text(const std::string& path) {
  struct stat entry {};
  if (::lstat(path.c_str(), &entry) != 0) {
    if (errno == ENOENT) return std::string();
    return cannot_read(path, errno);
  }
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return cannot_read(path, errno);
  auto text = read_all(file, path);
  ::close(file);
  return text;
}

std::string below(const std::string& dir, const std::string& name) {
  return name.starts_with('/') ? name : dir + "/" + name;
}

// What a pattern finds, by name, as the pattern has it: relative to the directory or absolute.
std::vector<std::string> found_by(const std::string& dir, const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> names;
  auto prefix = pattern.starts_with('/') ? std::size_t{0} : dir.size() + 1;
  if (::glob(below(dir, pattern).c_str(), GLOB_ERR, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i)
      names.push_back(std::string(found.gl_pathv[i]).substr(prefix));
  ::globfree(&found);
  return names;
}

// What the lines before the first section include.
std::vector<std::string> included(const std::string& file, const std::string& text) {
  Problems told_later;
  std::vector<std::string> patterns;
  for (const auto& section : read_ini(file, text, told_later).sections)
    for (const auto& entry : section.entries)
      if (section.name.empty() && entry.key == "include") patterns.push_back(entry.value);
  return patterns;
}

bool is_pattern(const std::string& name) { return name.find_first_of("*?[") != name.npos; }

// Names of the parts of a file with this text, in order.
std::vector<std::string> parts_of(const std::string& dir, const std::string& file,
                                  const std::string& text) {
  std::vector<std::string> parts;
  auto patterns = included(file, text);
  patterns.push_back(file + ".d/*.conf");
  for (const auto& pattern : patterns) {
    if (!is_pattern(pattern)) parts.push_back(pattern);
    else
      for (auto& name : found_by(dir, pattern)) parts.push_back(std::move(name));
  }
  return parts;
}

}  // namespace

std::string part_key(const std::string& file, const std::string& part) { return file + ">" + part; }

Result<void> read_file(const std::string& dir, const std::string& file, Texts& texts) {
  WM_TRY(texts[file], read_text(below(dir, file)));
  return read_parts(dir, file, texts);
}

Result<void> read_parts(const std::string& dir, const std::string& file, Texts& texts) {
  for (const auto& part : parts_of(dir, file, texts[file])) {
    auto path = below(dir, part);
    if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT)
      return fail(Code::NotFound, path + ": no such file, but " + file + " includes it");
    WM_TRY(texts[part_key(file, part)], read_text(path));
  }
  return {};
}

std::vector<std::string> files_read(const std::string& dir) {
  std::vector<std::string> files;
  for (auto name : file_names()) {
    std::string file(name);
    files.push_back(below(dir, file));
    files.push_back(below(dir, file + ".d"));
    auto text = read_text(files[files.size() - 2]);
    if (!text) continue;
    for (const auto& part : parts_of(dir, file, *text)) files.push_back(below(dir, part));
  }
  return files;
}

Result<void> check_directory(const std::string& dir) {
  std::error_code ec;
  if (std::filesystem::is_directory(dir, ec)) return {};
  if (ec && ec != std::errc::no_such_file_or_directory) return cannot_read(dir, ec.value());
  return fail(Code::NotFound, dir + ": no such configuration directory");
}

}  // namespace wm::conf
