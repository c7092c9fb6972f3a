#include "libwm/wire/munge.h"

#include <munge.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>

namespace wm::wire {

namespace {

// Signatures of jobs that are being started: all elements of an array have one.
constexpr std::size_t kVerifiedKept = 256;

struct DestroyContext {
  void operator()(munge_ctx_t ctx) const { munge_ctx_destroy(ctx); }
};
using Context = std::unique_ptr<munge_ctx, DestroyContext>;

struct FreeBuffer {
  void operator()(void* p) const { std::free(p); }
};

class MungeCredentials final : public Credentials {
 public:
  explicit MungeCredentials(std::string socket) : socket_(std::move(socket)) {}

  Result<std::string> encode(std::string_view payload, Duration ttl) override {
    WM_TRY(Context ctx, context());
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(ttl).count();
    munge_ctx_set(ctx.get(), MUNGE_OPT_TTL, static_cast<int>(seconds));
    char* made = nullptr;
    auto err = munge_encode(&made, ctx.get(), payload.data(), static_cast<int>(payload.size()));
    std::unique_ptr<char, FreeBuffer> owner(made);
    if (err != EMUNGE_SUCCESS) return refusal(ctx.get(), err);
    return std::string(made);
  }

  Result<Signed> decode(std::string_view credential) override {
    return read(credential, [](munge_err_t err) { return err == EMUNGE_SUCCESS; });
  }

  // Once a credential: munged logs each time that it is asked for one again as a replay.
  Result<Signed> verify_signature(std::string_view credential) override {
    std::string text(credential);
    if (auto known = verified(text)) return *known;
    WM_TRY(auto found, read(credential, [](munge_err_t err) {
             return err == EMUNGE_SUCCESS || err == EMUNGE_CRED_EXPIRED ||
                    err == EMUNGE_CRED_REWOUND || err == EMUNGE_CRED_REPLAYED;
           }));
    std::scoped_lock lock(mutex_);
    if (verified_.size() >= kVerifiedKept) verified_.clear();
    verified_.emplace(std::move(text), found);
    return found;
  }

 private:
  std::optional<Signed> verified(const std::string& credential) {
    std::scoped_lock lock(mutex_);
    auto at = verified_.find(credential);
    return at == verified_.end() ? std::nullopt : std::optional(at->second);
  }

  Result<Context> context() const {
    Context ctx(munge_ctx_create());
    if (!ctx) return fail(Code::System, "munge: out of memory");
    if (!socket_.empty()) munge_ctx_set(ctx.get(), MUNGE_OPT_SOCKET, socket_.c_str());
    return ctx;
  }

  template <class Accepts>
  Result<Signed> read(std::string_view credential, Accepts accepts) const {
    WM_TRY(Context ctx, context());
    void* bytes = nullptr;
    int length = 0;
    uid_t uid = 0;
    gid_t gid = 0;
    std::string text(credential);  // munge wants it terminated
    auto err = munge_decode(text.c_str(), ctx.get(), &bytes, &length, &uid, &gid);
    std::unique_ptr<void, FreeBuffer> owner(bytes);
    if (!accepts(err)) return refusal(ctx.get(), err);
    return Signed{uid, gid,
                  std::string(static_cast<char*>(bytes), static_cast<std::size_t>(length))};
  }

  Error refusal(munge_ctx_t ctx, munge_err_t err) const {
    const char* words = munge_ctx_strerror(ctx);
    std::string text = words ? words : munge_strerror(err);
    auto where = socket_.empty() ? std::string("the system's socket") : socket_;
    if (err == EMUNGE_SOCKET || err == EMUNGE_TIMEOUT) {
      return fail(Code::Unavailable, "munged does not answer at " + where + ": " + text);
    }
    if (err >= EMUNGE_BAD_CRED) return fail(Code::Denied, "credential refused by munged: " + text);
    return fail(Code::System, "munge at " + where + ": " + text);
  }

  std::string socket_;
  std::mutex mutex_;
  std::map<std::string, Signed> verified_;
};

}  // namespace

std::unique_ptr<Credentials> munge_credentials(const std::string& socket) {
  return std::make_unique<MungeCredentials>(socket);
}

}  // namespace wm::wire
