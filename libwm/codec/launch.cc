// Field tables of model/node/launch.h. Tags are append-only.
#include "libwm/model/node/launch.h"

#include "libwm/codec/archive.h"
#include "libwm/codec/codec.h"

namespace wm {

WM_FIELDS(LaunchStart) {
  f(1, s.host), f(2, s.argv), f(3, s.env), f(4, s.cwd), f(5, s.pid), f(6, s.terminal);
  f(7, s.no_input), f(8, s.rows), f(9, s.columns), f(403, s.group);
}
WM_FIELDS(LaunchAttach) { f(1, s.task), f(2, s.rows), f(3, s.columns); }
WM_FIELDS(LaunchInput) { f(1, s.bytes); }
WM_FIELDS(LaunchResize) { f(1, s.rows), f(2, s.columns); }
WM_FIELDS(LaunchSignal) { f(1, s.signal); }
WM_FIELDS(LaunchTaken) { f(1, s.bytes); }
WM_FIELDS(LaunchConnect) { f(1, s.address); }
WM_FIELDS(LaunchAsk) { f(1, s.group); }
WM_FIELDS(LaunchUp) { f(1, s.pid); }
WM_FIELDS(LaunchOutput) { f(1, s.stream), f(2, s.bytes); }
WM_FIELDS(LaunchEnded) { f(1, s.status), f(2, s.refused), f(3, s.text); }
WM_FIELDS(LaunchPlaces) { f(1, s.slots); }

}  // namespace wm

WM_CODEC(wm::ToLaunch)
WM_CODEC(wm::FromLaunch)
