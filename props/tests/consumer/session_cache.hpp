#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// A user's cache of sessions, which knows nothing of Mayfly. Its first version let sessions live a second too
// long.

struct Session {
  std::string user, id, data;
  std::int64_t written = 0;
  std::int64_t lifetime = 0;  ///< in seconds; 0: as the cache says, -1: for ever
};

template <bool is_late>
class SessionCache {
 public:
  /// 0: nothing ends; -1: what has no lifetime of its own does not end. What has ended does not come back.
  void set_lifetime(std::int64_t lifetime, std::int64_t now) {
    std::erase_if(sessions_, [&](const auto& entry) { return has_ended(entry.second, now); });
    lifetime_ = lifetime;
  }
  std::int64_t lifetime() const { return lifetime_; }

  void put(Session session) { sessions_[{session.user, session.id}] = std::move(session); }
  void remove(const std::string& user, const std::string& id) { sessions_.erase({user, id}); }

  const Session* find(const std::string& user, const std::string& id, std::int64_t now) const {
    const auto found = sessions_.find({user, id});
    return found == sessions_.end() || has_ended(found->second, now) ? nullptr : &found->second;
  }

  std::vector<Session> all(const std::optional<std::string>& user, std::int64_t now) const {
    std::vector<Session> all;
    for (const auto& [key, session] : sessions_)
      if ((!user || *user == session.user) && !has_ended(session, now)) all.push_back(session);
    return all;
  }

 private:
  bool has_ended(const Session& session, std::int64_t now) const {
    const std::int64_t lifetime = session.lifetime != 0 ? session.lifetime : lifetime_;
    return lifetime_ != 0 && lifetime > 0 && session.written + lifetime + (is_late ? 1 : 0) <= now;
  }

  std::int64_t lifetime_ = 0;
  std::map<std::pair<std::string, std::string>, Session> sessions_;
};
