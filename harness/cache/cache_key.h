// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The key without which nobody can add to a cache of results, and what a cache believes.
//
//   const Expected<CacheKey> key = OpenCacheKey(folder);
//   const std::string name = HmacSha256Hex(key->secret, text) + ".pack";
//   const Expected<int> fd = OpenTrusted(file, *key, status);
//
// The key is a file in the cache's folder that its owner alone may read, made by the first run that writes there; then
// only files of the same user count. Or it is the file that OPBYOP_CACHE_KEY names, for a cache that several users
// share: then whoever has the key is believed. Nothing is read or written through a link.
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
  bool shared = false;  // of OPBYOP_CACHE_KEY: files of other users count too
};

// Returns the key of the cache in `folder`, which is made if it is absent. An error says why the cache cannot be used:
// the folder or its key belongs to another user, others may read the key, or one of them is a link.
Expected<CacheKey> OpenCacheKey(const std::filesystem::path& folder);

// Makes a folder of the cache, or finds it: kNoInput where it is a link or, without a shared key, another user's.
Expected<void> OpenCacheFolder(const std::filesystem::path& folder, const CacheKey& key);

// A regular file that is no link and, without a shared key, this user's: its descriptor, and what it is.
Expected<int> OpenTrusted(const std::filesystem::path& file, const CacheKey& key, struct stat& status);

}  // namespace opbyop::harness

#endif  // OPBYOP_HARNESS_CACHE_CACHE_KEY_H_
