#include "libwm/sched/placement/advance.h"

#include <algorithm>
#include <memory>

namespace wm::sched {
namespace {

// Stands for one kept slot: with a CPU, as most tasks take.
const Claim& kept_claim() {
  static const Job job = [] {
    Job kept;
    kept.sealed = std::make_shared<const SealedSpec>();
    return kept;
  }();
  static const Claim claim = [] {
    Claim kept;
    kept.job = &job;
    kept.min = kept.max = 1;
    return kept;
  }();
  return claim;
}

}  // namespace

Advance::Advance(const Claims& claims, WallTime now, Duration grace)
    : claims_(claims), now_(now), grace_(grace) {}

void Advance::occupy_in(Skyline& skyline) const {
  for (const KeptSlots& kept : claims_.kept.all) {
    std::int64_t idle = kept.slots - kept.used;
    Window window{std::max(kept.span.from, now_), kept.span.until};
    if (idle > 0) skyline.occupy(kept_claim(), {kept.room, idle}, window);
  }
}

void Advance::build() {
  skyline_.emplace(claims_.rooms, now_, grace_, &claims_.ends);
  for (const Claim& claim : claims_.all) {
    if (claim.pending() || claim.timed) continue;
    each_end(claim, [&](const Task& task, WallTime at) {
      auto room = static_cast<std::uint32_t>(room_at(claims_.rooms, task.host));
      if (room < claims_.rooms.size())
        skyline_->release(room, *claim.job, task, at > now_ ? at : now_ + grace_);
    });
  }
  occupy_in(*skyline_);
  for (const auto& [claim, share, window] : placed_) skyline_->occupy(*claim, share, window);
}

// What it is sure to be gone after.
Window Advance::window_of(const Claim& claim, When when) const {
  WallTime from = when == When::Now ? now_ : now_ + grace_;
  return window_from(from, claim.proven);
}

std::int64_t Advance::allows(const Places& places, const Claim& claim, std::uint32_t room,
                             When when, std::int64_t most, const TasksByRoom& has) {
  if (!claim.reserved && !claims_.kept.any_in(room)) return most;
  if (claim.reserved) {
    const KeptSlots* kept = claims_.kept.active(claim.spec().reservation, room);
    if (!kept) return 0;
    auto taken = taken_.find({kept->of, room});
    std::int64_t left = kept->slots - kept->used - (taken == taken_.end() ? 0 : taken->second);
    return std::clamp<std::int64_t>(left, 0, most);
  }
  if (!skyline_) build();
  return skyline_->fits(places, claim, room, window_of(claim, when), most, has);
}

void Advance::occupy(const Claim& claim, const Share& share, When when) {
  if (!any()) return;
  if (claim.reserved) {
    if (const auto* kept = claims_.kept.active(claim.spec().reservation, share.room))
      taken_[{kept->of, share.room}] += share.tasks;
    return;
  }
  if (!claims_.kept.any_in(share.room)) return;
  placed_.push_back({&claim, share, window_of(claim, when)});
  if (skyline_) skyline_->occupy(claim, share, placed_.back().window);
}

void Advance::begin() {
  mark_ = placed_.size();
  taken_before_ = taken_;
  if (skyline_) skyline_->begin();
}

// One that was made since is made anew: it knows of what is undone.
void Advance::rollback() {
  bool whole = placed_.size() == mark_;
  placed_.resize(mark_);
  taken_ = taken_before_;
  if (skyline_) skyline_->rollback();
  if (!whole) skyline_.reset();
}

void Advance::commit() {
  if (skyline_) skyline_->commit();
}

}  // namespace wm::sched
