// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The secret key of a cache of results. Only a process that has the key can add results, and only such results are
// read.
//
//   const Expected<CacheKey> key = OpenCacheKey(folder);
//   const std::string name = HmacSha256Hex(key->secret, text) + ".pack";
//   const Expected<int> fd = OpenTrusted(file, *key, status);
//
// The key is a file in the cache's folder that only its owner may read, created by the first run that writes there. In
// that case only files of the same user are read. For a cache that several users share, OPBYOP_CACHE_KEY names the key
// file instead: then the files of every user who has the key are read. Nothing is read or written through a link.
#ifndef OPBYOP_HARNESS_CACHE_CACHE_KEY_H_
#define OPBYOP_HARNESS_CACHE_CACHE_KEY_H_

#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "support/expected.h"

namespace opbyop::harness {

inline constexpr const char* kCacheKeyVariable = "OPBYOP_CACHE_KEY";

struct CacheKey {
  std::string secret;
  bool shared = false;  // from OPBYOP_CACHE_KEY: files of other users are read too
};

// Returns the key of the cache in `folder` and creates it if it is absent. The error says why the cache cannot be used:
// the folder or its key belongs to another user, others may read the key, or one of them is a link.
Expected<CacheKey> OpenCacheKey(const std::filesystem::path& folder);

// Creates a folder of the cache if it is absent. kNoInput if it is a link or, without a shared key, another user's.
Expected<void> OpenCacheFolder(const std::filesystem::path& folder, const CacheKey& key);

// Opens a regular file and fills `status`. Refuses links and, without a shared key, other users' files.
Expected<int> OpenTrusted(const std::filesystem::path& file, const CacheKey& key, struct stat& status);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_CACHE_CACHE_KEY_H_
