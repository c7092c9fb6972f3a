#include "libwm/store/sqlite/copy.h"

#include <filesystem>

#include "libwm/store/sqlite/schema.h"
#include "libwm/store/sqlite/sqlite.h"

namespace wm::store {
namespace {

Result<void> copy_and_check(const std::string& from, const std::string& to) {
  WM_TRY(auto source, Connection::open({.path = from, .read_only = true}));
  {
    auto copy = source->use("VACUUM INTO ?");
    copy.bind_text(to);
    WM_TRY(copy.run());
  }
  WM_TRY(auto made, Connection::open({.path = to, .read_only = true}));
  return check_sound(*made);
}

}  // namespace

Result<void> copy_database(const std::string& from, const std::string& to) {
  std::error_code ignored;
  if (std::filesystem::exists(to, ignored)) return fail(Code::Conflict, to + ": it is there");
  auto done = copy_and_check(from, to);
  if (!done) std::filesystem::remove(to, ignored);
  return done;
}

}  // namespace wm::store
