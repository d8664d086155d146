// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/shared_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace opbyop {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using List = SharedList<int>;

TEST(SharedListTest, ConvertsToAVector) {
  const List list = {1, 2, 3};
  const std::vector<int>& items = list;
  EXPECT_THAT(items, ElementsAre(1, 2, 3));
  EXPECT_EQ(list.size(), 3u);
  EXPECT_EQ(list[1], 2);
  EXPECT_EQ(list.front(), 1);
  EXPECT_EQ(list.back(), 3);
  EXPECT_FALSE(list.empty());
}

TEST(SharedListTest, AListWithoutItemsIsEmpty) {
  EXPECT_TRUE(List().empty());
  EXPECT_TRUE(List(std::vector<int>()).empty());
  EXPECT_THAT(List().items(), IsEmpty());
  List list;
  list.Edit();
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list, List());
}

TEST(SharedListTest, AChangeIsSeenByNoOtherOwner) {
  List list = {1, 2};
  const List copy = list;
  list.Edit().push_back(list[0]);
  EXPECT_THAT(list.items(), ElementsAre(1, 2, 1));
  EXPECT_THAT(copy.items(), ElementsAre(1, 2));
  EXPECT_NE(list, copy);
}

TEST(ListPoolTest, EqualListsShareMemory) {
  ListPool<int, std::hash<int>> pool;
  List first = {1, 2}, same = {1, 2}, other = {2, 1}, none;
  for (List* list : {&first, &same, &other, &none}) pool.Share(*list);
  EXPECT_EQ(&first.items(), &same.items());
  EXPECT_NE(&first.items(), &other.items());
  EXPECT_THAT(other.items(), ElementsAre(2, 1));
  EXPECT_TRUE(none.empty());
}

TEST(ListPoolTest, ASharedListIsNotChangedForOtherOwners) {
  ListPool<int, std::hash<int>> pool;
  List first = {1}, second = {1};
  pool.Share(first);
  pool.Share(second);
  first.Edit()[0] = 7;
  EXPECT_THAT(second.items(), ElementsAre(1));
  List third = {1};
  pool.Share(third);
  EXPECT_THAT(third.items(), ElementsAre(1));
}

}  // namespace
}  // namespace opbyop
