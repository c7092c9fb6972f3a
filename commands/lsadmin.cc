// lsadmin: of LSF's only the question for the settings, which clients ask; what it administers
// there badmin(1) does here.
#include "commands/common/command.h"
#include "commands/common/lsf_listing.h"

namespace wm::cmd::lsadmin {
namespace {

Result<int> run(const Parsed& options) {
  auto word = [&](std::size_t i) { return i < options.words.size() ? options.words[i] : ""; };
  if (word(0) != "showconf")
    return fail(Code::BadArgument, "lsadmin: '" + word(0) +
                                       "' is no subcommand, showconf lim is; badmin(1) opens and "
                                       "closes hosts and loads the configuration");
  if (word(1) != "lim")
    return fail(Code::BadArgument, "lsadmin showconf: '" + word(1) + "': lim is wanted");
  WM_TRY(auto conf, cluster_conf());
  say(lsf_listing("LIM", conf::lsf_settings(conf, lsf_places())));
  return 0;
}

}  // namespace
}  // namespace wm::cmd::lsadmin

int main(int argc, char** argv) {
  using namespace wm::cmd::lsadmin;
  return main_of({"lsadmin", "lsadmin showconf lim", {}}, argc, argv, run);
}
