// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A list whose memory equal owners share: 100,000 cases have only some hundred different signatures.
//
//   SharedList<TensorType> inputs = {{{2, 3}, "f32"}};
//   for (const TensorType& type : inputs) ...          // converts to a const std::vector
//   inputs.Edit().push_back(type);                     // from here on it has its own memory
//   ListPool<TensorType, TensorTypeHash> pool;
//   pool.Share(inputs);                                // uses the memory of an equal list, if one was shared before
//
// Copies share their memory. An empty list uses none.
#ifndef OPBYOP_SUPPORT_SHARED_LIST_H_
#define OPBYOP_SUPPORT_SHARED_LIST_H_

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

namespace opbyop {

template <typename T>
class SharedList {
 public:
  using Items = std::vector<T>;
  using value_type = T;
  using const_iterator = typename Items::const_iterator;

  SharedList() = default;
  // NOLINTBEGIN(google-explicit-constructor): it replaces a vector
  SharedList(Items items) : items_(items.empty() ? nullptr : std::make_shared<Items>(std::move(items))) {}
  SharedList(std::initializer_list<T> items) : SharedList(Items(items)) {}
  operator const Items&() const { return items(); }
  // NOLINTEND(google-explicit-constructor)

  const Items& items() const {
    static const Items kNone;
    return items_ ? *items_ : kNone;
  }
  const_iterator begin() const { return items().begin(); }
  const_iterator end() const { return items().end(); }
  size_t size() const { return items().size(); }
  bool empty() const { return items().empty(); }
  const T& operator[](size_t i) const { return items()[i]; }
  const T& at(size_t i) const { return items().at(i); }
  const T& front() const { return items().front(); }
  const T& back() const { return items().back(); }

  // Returns a list that may be changed; no other owner sees the changes.
  Items& Edit() {
    if (!items_ || items_.use_count() > 1) items_ = std::make_shared<Items>(items());
    return *items_;
  }

  friend bool operator==(const SharedList& a, const SharedList& b) {
    return a.items_ == b.items_ || a.items() == b.items();
  }

 private:
  std::shared_ptr<Items> items_;
};

// Remembers shared lists for as long as it lives. `Hash` is the hash of an item.
template <typename T, typename Hash>
class ListPool {
 public:
  void Share(SharedList<T>& list) {
    if (list.empty()) return;
    list = *known_.insert(list).first;
  }

 private:
  struct ListHash {
    size_t operator()(const SharedList<T>& list) const {
      size_t hash = list.size();
      for (const T& item : list) hash = hash * 1'000'003 + Hash()(item);
      return hash;
    }
  };
  std::unordered_set<SharedList<T>, ListHash> known_;
};

}  // namespace opbyop

#endif  // OPBYOP_SUPPORT_SHARED_LIST_H_
