// Field tables of model/node/ranks.h. Tags are append-only.
#include "libwm/model/node/ranks.h"

#include "libwm/codec/archive.h"
#include "libwm/codec/codec.h"

namespace wm {

WM_FIELDS(RankHello) { f(1, s.place); }
WM_FIELDS(FenceName) { f(1, s.ranks), f(2, s.number), f(3, s.kind); }
WM_FIELDS(FencePart) { f(1, s.fence), f(2, s.bytes); }
WM_FIELDS(FenceDone) { f(1, s.fence), f(2, s.bytes); }
WM_FIELDS(ModexAsk) { f(1, s.from), f(2, s.number), f(3, s.rank); }
WM_FIELDS(ModexAnswer) { f(1, s.to), f(2, s.number), f(3, s.status), f(4, s.bytes); }
WM_FIELDS(RankLeft) { f(1, s.rank); }
WM_FIELDS(RanksBroken) { f(1, s.why); }
WM_FIELDS(RankOutput) { f(1, s.rank), f(2, s.stream), f(3, s.bytes); }
WM_FIELDS(RankTaken) { f(1, s.rank), f(2, s.bytes); }
WM_FIELDS(RankSilent) { f(1, s.rank); }
WM_FIELDS(NamedValue) { f(1, s.name), f(2, s.type), f(3, s.bytes), f(4, s.owner); }
WM_FIELDS(NameAsk) {
  f(1, s.from), f(2, s.number), f(3, s.what), f(4, s.rank), f(5, s.values), f(6, s.once);
  f(7, s.wait);
}
WM_FIELDS(NameAnswer) { f(1, s.to), f(2, s.number), f(3, s.ok), f(4, s.values); }

}  // namespace wm

WM_CODEC(wm::RankWords)
