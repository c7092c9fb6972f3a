// Access lists of folders, as the kernel takes them: a version, then entries in the order of their
// kinds, those of a kind by number. @source acl(5), include/uapi/linux/posix_acl_xattr.h
#include <endian.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cstdint>

#include "libwm/files/own_folder.h"

namespace wm {
namespace {

constexpr const char* kAccessList = "system.posix_acl_access";
constexpr std::uint32_t kListVersion = 2, kNobody = 0xffffffff;
enum Kind : std::uint16_t {
  kOwner = 1,
  kUser = 2,
  kOwnGroup = 4,
  kGroup = 8,
  kMask = 16,
  kOthers = 32
};
constexpr std::uint16_t kNothing = 0, kReadAndPass = 5, kAll = 7;

template <class Number>
void append(std::string& list, Number number) {
  list.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_entry(std::string& list, Kind kind, std::uint16_t may, std::uint32_t whom = kNobody) {
  append(list, htole16(kind));
  append(list, htole16(may));
  append(list, htole32(whom));
}

template <class Id>
void sort_once(std::vector<Id>& ids) {
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
}

}  // namespace

Result<void> OwnFolder::let_read(std::vector<uid_t> users, std::vector<gid_t> groups) const {
  sort_once(users);
  sort_once(groups);
  std::string list;
  append(list, htole32(kListVersion));
  append_entry(list, kOwner, kAll);
  for (auto user : users) append_entry(list, kUser, kReadAndPass, user);
  append_entry(list, kOwnGroup, kNothing);
  for (auto group : groups) append_entry(list, kGroup, kReadAndPass, group);
  if (!users.empty() || !groups.empty()) append_entry(list, kMask, kReadAndPass);
  append_entry(list, kOthers, kNothing);
  if (::fsetxattr(fd_.get(), kAccessList, list.data(), list.size(), 0) == 0) return {};
  return system_error("access list of " + path_);
}

}  // namespace wm
