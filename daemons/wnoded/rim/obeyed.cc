#include "daemons/wnoded/rim/obeyed.h"

#include <sstream>

#include "libwm/files/whole_file.h"

namespace wm::node {

Result<MasterRank> read_obeyed(const std::string& path) {
  auto text = read_file(path);
  if (!text && text.error().code == Code::NotFound) return MasterRank{};
  if (!text) return text.error();
  std::istringstream in(*text);
  MasterRank master;
  if (in >> master.store >> master.term >> master.seq.value >> master.last_job) return master;
  return fail(Code::Damaged, path + ": not as it was written");
}

Result<void> keep_obeyed(const std::string& path, const MasterRank& master) {
  return replace_file(path,
                      master.store + " " + std::to_string(master.term) + " " +
                          std::to_string(master.seq.value) + " " + std::to_string(master.last_job) +
                          "\n",
                      0600);
}

}  // namespace wm::node
