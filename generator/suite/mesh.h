// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The programs of a suite for several devices: ops whose tensors a mesh divides in each way that their sharding rules
// allow, and collectives over each form of their groups.
//
//   Expected<MeshSuite> suite = MakeMeshSuite(*suite, folder, {.rows = 2, .columns = 4}, Level::kSmoke, "*", sink);
//   suite->result.manifest.suite->level;   // "mesh-2x4"
//   WriteFile("docs/mesh-coverage.md", MeshPage(*suite, *made));
#ifndef OPBYOP_GENERATOR_SUITE_MESH_H_
#define OPBYOP_GENERATOR_SUITE_MESH_H_

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "generator/split/splitter.h"
#include "generator/suite/combine.h"
#include "generator/suite/mesh_ways.h"
#include "generator/suite/recipe.h"
#include "support/expected.h"

namespace opbyop::generator {

inline constexpr std::string_view kMeshSchema = "opbyop-mesh/1";
// The mesh of the page and of the lock.
inline constexpr Mesh kUsualMesh = {.rows = 2, .columns = 4};

struct MeshSuite {
  struct Cell {
    size_t programs = 0;
    std::string reason;  // why there are none
  };
  SplitResult result;
  Mesh mesh;
  std::map<std::string, std::map<Way, Cell>> sharded;                // by full name of the op
  std::map<std::string, std::map<std::string, size_t>> collectives;  // programs by op and form of its groups
  std::map<std::string, std::string> never;                          // why an op has no program, by full name
};

// Makes the programs of the ops that match the glob. `folder` has the recipes, pairs/ and mesh/; `sink` is that of the
// Splitter. At level smoke each way of a recipe has one program, of another element type than the way before it, and
// the ways that combine have all of them.
Expected<MeshSuite> MakeMeshSuite(const Suite& suite, const std::filesystem::path& folder, const Mesh& mesh,
                                  Level level, const std::string& ops, CaseSink sink);

// A Markdown page: the programs of every op of the suite by way, or why there are none. Deterministic.
std::string MeshPage(const Suite& suite, const MeshSuite& made);

}  // namespace opbyop::generator

#endif  // OPBYOP_GENERATOR_SUITE_MESH_H_
