#include "daemons/wmasterd/rim/suggesters.h"

namespace wm::master {

std::unique_ptr<Suggester> Suggesters::take() {
  std::lock_guard lock(mutex_);
  return idle_ ? std::move(idle_) : std::make_unique<Suggester>(program_);
}

// One stays; a second ends with `one`, after the lock is free again.
void Suggesters::give_back(std::unique_ptr<Suggester> one) {
  std::lock_guard lock(mutex_);
  if (!idle_) std::swap(idle_, one);
}

Result<std::string> Suggesters::ask(const std::string& line, Duration limit) {
  auto one = take();
  auto answer = one->ask(line, limit);
  give_back(std::move(one));
  return answer;
}

}  // namespace wm::master
