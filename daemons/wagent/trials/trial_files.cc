#include "daemons/wagent/trials/trial_files.h"

#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "daemons/wagent/trials/trial_report.h"

namespace wm::wagent {
namespace {

constexpr std::size_t kMostRead = 4u << 20;  // of a file; of a longer one its end

std::string list_in(const std::string& folder) { return folder + "/val_dict_list.json"; }
std::string lines_in(const std::string& folder) { return folder + "/log/1/evaluation-metrics.txt"; }

std::string stamp_of(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return "-";
  return std::to_string(facts.st_size) + "@" + std::to_string(facts.st_mtim.tv_sec) + "." +
         std::to_string(facts.st_mtim.tv_nsec);
}

std::string end_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) return "";
  auto size = static_cast<std::size_t>(in.tellg());
  in.seekg(static_cast<std::streamoff>(size > kMostRead ? size - kMostRead : 0));
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::string stamp_in(const std::string& folder) {
  return stamp_of(list_in(folder)) + " " + stamp_of(lines_in(folder));
}

std::string report_in(const std::string& folder) {
  return report_of(end_of(list_in(folder)), end_of(lines_in(folder)));
}

}  // namespace wm::wagent
