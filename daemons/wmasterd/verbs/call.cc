#include "daemons/wmasterd/verbs/call.h"

namespace wm::master {

void Call::refuse(const Error& error) const {
  peers_->send(peer_, static_cast<std::uint16_t>(Verb::Failed),
               codec::encode(VerbError{code_of(error.code), error.text}));
}

void Call::send(Result<std::string> bytes) const {
  if (!bytes) return refuse(bytes.error());
  peers_->send(peer_, static_cast<std::uint16_t>(verb_), *std::move(bytes));
}

std::string Call::own_key(const std::string& key) const {
  std::string own;
  for (unsigned shift = 0; shift < 32; shift += 8)
    own += static_cast<char>(caller_.who.uid >> shift & 0xff);
  return own + key;
}

void Call::resend(const std::string& kept) const {
  if (kept.size() < 2) return refuse(fail(Code::Damaged, "the kept reply is damaged"));
  auto type = static_cast<std::uint16_t>(static_cast<unsigned char>(kept[0]) |
                                         static_cast<unsigned char>(kept[1]) << 8);
  peers_->send(peer_, type, kept.substr(2));
}

}  // namespace wm::master
