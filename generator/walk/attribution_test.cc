// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "generator/walk/attribution.h"

#include <gmock/gmock.h>

#include "generator/program/parse_for_test.h"

namespace opbyop::generator {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class AttributionTest : public ParsingTest {
 protected:
  NameStack Of(std::string_view location) {
    auto module = Parse("\"t.op\"() : () -> () " + std::string(location));
    if (!module) return {};
    return ParseLocation(FindOp(*module, "t.op")->getLoc());
  }
};

TEST_F(AttributionTest, ReadsNameStacksOfJax) {
  NameStack stack = Of(R"(loc("jit(bert)/FlaxBertModule/encoder/layer/0/dot_general"("flax/linen/linear.py":287:8)))");
  EXPECT_EQ(stack.op, "dot_general");
  EXPECT_THAT(stack.path, ElementsAre("FlaxBertModule", "encoder", "layer", "0"));
  EXPECT_EQ(stack.place, "flax/linen/linear.py:287:8");
}

TEST_F(AttributionTest, ReadsJaxWithThePrimitiveInFront) {
  NameStack stack = Of(R"(loc("ppermute:"("jit(func)/shmap/ppermute"("f.py":10:8 to :54))))");
  EXPECT_EQ(stack.op, "ppermute");
  EXPECT_THAT(stack.path, ElementsAre("shmap"));
  EXPECT_EQ(stack.place, "f.py:10:8");
}

TEST_F(AttributionTest, ReadsOldJaxWithMainAndParameters) {
  NameStack stack =
      Of(R"(loc("jit(f)/jit(main)/jit(_where)/dot_general[precision=None axes=((1,), (0,))]"("f.py":1:2)))");
  EXPECT_EQ(stack.op, "dot_general");
  EXPECT_THAT(stack.path, ElementsAre("jit(_where)"));
}

TEST_F(AttributionTest, PythonFramesBelowTheNameAreNoModules) {
  NameStack stack =
      Of(R"(loc("jit(f)/Mlp/add"(callsite("Dense.__call__"("flax/linear.py":294:6) at "Mlp"("m.py":12:25)))))");
  EXPECT_EQ(stack.op, "add");
  EXPECT_THAT(stack.path, ElementsAre("Mlp"));
  EXPECT_EQ(stack.place, "flax/linear.py:294:6");
}

TEST_F(AttributionTest, ContinuesACalleesNamesFromTheCallSite) {
  NameStack call = Of(R"x(loc("jit(f)/Mlp/jit(relu)"("m.py":12:17)))x");
  NameStack stack = Inside(call, Of(R"(loc("max"))"));
  EXPECT_EQ(stack.op, "max");
  EXPECT_THAT(stack.path, ElementsAre("Mlp", "jit(relu)"));
  EXPECT_EQ(stack.place, "m.py:12:17");
}

TEST_F(AttributionTest, AnAbsoluteNameOfACalleeIsNotContinued) {
  NameStack call = Of(R"x(loc("jit(f)/jit(main)/Mlp/jit(relu)"("m.py":12:17)))x");
  NameStack stack = Inside(call, Of(R"(loc("jit(f)/jit(main)/Mlp/jit(relu)/max"("m.py":12:17)))"));
  EXPECT_THAT(stack.path, ElementsAre("Mlp", "jit(relu)"));
}

TEST_F(AttributionTest, ReadsNodeMetadataOfPyTorch) {
  constexpr std::string_view kJson =
      R"({\22stack_trace\22: \22File \\\22fixtures/feed_forward.py\\\22, line 17, in forward\\n    x = self.nl1(x)\\n  )"
      R"(File \\\22/opt/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py\\\22, line 134, in forward\22, )"
      R"(\22nn_module_stack\22: \22L__self__,,fixtures.NN;L__self__block.layer1,block.layer1,torch.nn.modules.linear.Linear\22, )"
      R"(\22torch_fn\22: \22linear_1;builtin_function_or_method.linear\22})";
  for (std::string text :
       {std::string(kJson), "<XLA_MLIR_DEBUGINFO_BEGIN>" + std::string(kJson) + "<XLA_MLIR_DEBUGINFO_END>dot.3"}) {
    NameStack stack = Of("loc(\"" + text + "\")");
    EXPECT_EQ(stack.op, "linear");
    EXPECT_THAT(stack.path, ElementsAre("NN[model]", "Linear[block.layer1]"));
    EXPECT_EQ(stack.place, "torch/nn/modules/linear.py:134");
  }
}

TEST_F(AttributionTest, TheOperatorIsPreferredToTheFunctionThatTheModelCalled) {
  for (std::string key :
       {R"(\22target\22: \22torch.ops.aten.addmm.default\22)", R"(\22original_aten\22: \22aten.addmm.default\22)"}) {
    NameStack stack = Of(R"(loc("{\22torch_fn\22: \22linear_1;builtin_function_or_method.linear\22, )" + key + "}\")");
    EXPECT_EQ(stack.op, "aten::addmm");
  }
}

TEST_F(AttributionTest, ReadsTheClassThatOlderMetadataOfPyTorchNames) {
  for (std::string value :
       {"layer1,torch.nn.modules.linear.Linear", "[('layer1', <class 'torch.nn.modules.linear.Linear'>)]"}) {
    EXPECT_EQ(Of(R"(loc("{\22source_fn_stack\22: \22)" + value + R"(\22}"))").op, "Linear");
  }
}

TEST_F(AttributionTest, ReadsCallSitesOfTensorFlow) {
  NameStack stack = Of(R"(loc(callsite(fused["Relu:", "block/Relu@__inference_f_12"] at "call@__inference_g_3")))");
  EXPECT_EQ(stack.op, "Relu");
  EXPECT_THAT(stack.path, ElementsAre("block"));
}

TEST_F(AttributionTest, PythonFramesAloneNameNoOp) {
  NameStack stack = Of(R"(loc(callsite("Dense.__call__"("flax/linear.py":294:6) at "main"("m.py":1:2))))");
  EXPECT_EQ(stack.op, "");
  EXPECT_EQ(stack.place, "flax/linear.py:294:6");
}

TEST_F(AttributionTest, ReadsTransformedScopesOfJaxAndNamesOfHloWithDashes) {
  NameStack stack = Of(R"(loc("jit(step)/jit(main)/transpose(jvp(Net))/head/dot_general"("m.py":3:4)))");
  EXPECT_EQ(stack.op, "dot_general");
  EXPECT_THAT(stack.path, ElementsAre("transpose(jvp(Net))", "head"));
  EXPECT_EQ(Of(R"(loc("all-reduce.7"))").op, "all-reduce");
}

TEST_F(AttributionTest, ModuleNamesOfPyTorchAreRelativeToTheParent) {
  NameStack stack =
      Of(R"(loc("{\22nn_module_stack\22: \22L__self__,,a.ResNet;L__self__layer4,layer4,b.Sequential;)"
         R"(L__self__layer4.0,layer4.0,c.BasicBlock;L__self__layer4.0.conv1,layer4.0.conv1,d.Conv2d\22}"))");
  EXPECT_THAT(stack.path, ElementsAre("ResNet[model]", "Sequential[layer4]", "BasicBlock[0]", "Conv2d[conv1]"));
  EXPECT_EQ(stack.op, "");
}

TEST_F(AttributionTest, ReadsScopesOfTorchXla) {
  NameStack stack = Of(R"(loc("NN[model]/Linear[layer1]/aten__addmm.5"))");
  EXPECT_EQ(stack.op, "aten::addmm");
  EXPECT_THAT(stack.path, ElementsAre("NN[model]", "Linear[layer1]"));
}

TEST_F(AttributionTest, ReadsScopesOfTtXla) {
  NameStack stack = Of(R"(loc("NN[model]/Linear[fc]/forward(/home/u/net.py:12)/aten__addmm"))");
  EXPECT_EQ(stack.op, "aten::addmm");
  EXPECT_THAT(stack.path, ElementsAre("NN[model]", "Linear[fc]"));
  EXPECT_EQ(stack.place, "net.py:12");
  EXPECT_THAT(Of(R"(loc("NN[model]/Linear[fc]/forward(net.py:12)/"))").path, ElementsAre("NN[model]", "Linear[fc]"));
}

TEST_F(AttributionTest, ReadsFusedScopesOfTensorFlow) {
  NameStack stack = Of(R"(loc(fused["Add:", "scope/sub/add@__inference_f_12"]))");
  EXPECT_EQ(stack.op, "Add");
  EXPECT_THAT(stack.path, ElementsAre("scope", "sub"));
}

TEST_F(AttributionTest, ReadsInstructionNamesOfHlo) {
  NameStack stack = Of(R"(loc("add.12"))");
  EXPECT_EQ(stack.op, "add");
  EXPECT_EQ(stack.place, "");
  EXPECT_EQ(stack.name, "add.12");
}

TEST_F(AttributionTest, AFileAloneGivesOnlyAPlace) {
  NameStack stack = Of(R"(loc("/home/someone/work/model.mlir":3:10))");
  EXPECT_EQ(stack.op, "");
  EXPECT_EQ(stack.place, "model.mlir:3:10");
  EXPECT_EQ(Of("loc(unknown)"), NameStack{});
}

TEST_F(AttributionTest, UntrustedNamesAreKeptShortAndOnOneLine) {
  std::string deep(100000, '(');
  EXPECT_LE(Of("loc(\"" + deep + "\")").op.size(), 210U);
  EXPECT_EQ(Of(R"(loc("a\0Ab"))").op, "a b");
  EXPECT_THAT(Of(R"(loc("{not json"))").path, IsEmpty());
}

TEST(PublicPathTest, HidesFoldersOfTheExportingMachine) {
  EXPECT_EQ(PublicPath("/usr/lib/python3/site-packages/flax/linear.py"), "flax/linear.py");
  EXPECT_EQ(PublicPath("/home/u/net.py"), "net.py");
  EXPECT_EQ(PublicPath("C:\\u\\net.py"), "net.py");
  EXPECT_EQ(PublicPath("../u/net.py"), "net.py");
  EXPECT_EQ(PublicPath("pkg/net.py"), "pkg/net.py");
}

}  // namespace
}  // namespace opbyop::generator
