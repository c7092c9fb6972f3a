// lsid: which product and release this is, as LSF's clients look for it, copyright and
// licence, and which cluster and master answer: six lines, of which programs count the last two
// from the end.
#include "commands/common/command.h"
#include "libwm/conf/lsf_conf.h"

namespace wm::cmd::lsid {
namespace {

Result<int> run(const Parsed&) {
  WM_TRY(auto conf, cluster_conf());
  say(conf::lsid_banner(conf, WM_VERSION) +
      "\nCopyright the authors of WM.\nLicensed under the Apache License, Version 2.0.\n\n");
  WM_TRY(auto to, client::Master::of(conf));
  WM_TRY(auto here, to.ask(PingRequest{}));
  say("My cluster name is " + here.cluster + "\nMy master name is " + here.master + "\n");
  return 0;
}

}  // namespace
}  // namespace wm::cmd::lsid

int main(int argc, char** argv) {
  using namespace wm::cmd::lsid;
  return main_of({"lsid", "lsid [-h | -V]", {}}, argc, argv, run);
}
