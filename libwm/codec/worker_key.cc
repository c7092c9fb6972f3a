// Field table of model/node/worker_key.h. Its tag lies above those of the words it stands beside.
#include "libwm/model/node/worker_key.h"

#include "libwm/codec/archive.h"
#include "libwm/codec/codec.h"

namespace wm {

WM_FIELDS(WorkerKey) { f(340, s.key); }

}  // namespace wm

WM_CODEC(wm::WorkerKey)
