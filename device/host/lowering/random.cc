// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lowers rng_bit_generator with the Threefry-2x32 and Philox-4x32 of Salmon et al. (SC 2011), in the variants that
// XLA's results document, and rng on top of Philox. Every element computes its own block of random words, so elements
// are independent of each other.
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <numbers>

#include "device/host/lowering/loops.h"
#include "device/host/lowering/pattern.h"
#include "device/host/lowering/scalar.h"
#include "ir/stablehlo/stablehlo.h"

namespace opbyop::host {
namespace {

using mlir::RankedTensorType;
using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;
namespace math = mlir::math;
namespace tensor = mlir::tensor;

// Arithmetic on integers of 32 and 64 bits, written as formulas.
class Words {
 public:
  explicit Words(mlir::ImplicitLocOpBuilder& builder) : b(builder) {}

  Value Constant(unsigned width, uint64_t value) {
    return arith::ConstantOp::create(b, mlir::IntegerAttr::get(b.getIntegerType(width), llvm::APInt(width, value)));
  }
  Value Like(Value x, uint64_t value) { return Constant(x.getType().getIntOrFloatBitWidth(), value); }
  Value Plus(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value Plus(Value x, uint64_t y) { return Plus(x, Like(x, y)); }
  Value Times(Value x, Value y) { return arith::MulIOp::create(b, x, y); }
  Value Xor(Value x, Value y) { return arith::XOrIOp::create(b, x, y); }
  Value Or(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value ShiftLeft(Value x, uint64_t by) { return arith::ShLIOp::create(b, x, Like(x, by)); }
  Value ShiftRight(Value x, uint64_t by) { return arith::ShRUIOp::create(b, x, Like(x, by)); }
  Value Rotate(Value x, uint64_t by) { return Or(ShiftLeft(x, by), ShiftRight(x, 32 - by)); }
  Value Wide(Value x) { return arith::ExtUIOp::create(b, b.getI64Type(), x); }
  Value Low(Value x) { return arith::TruncIOp::create(b, b.getI32Type(), x); }
  Value High(Value x) { return Low(ShiftRight(x, 32)); }
  Value Joined(Value low, Value high) { return Or(Wide(low), ShiftLeft(Wide(high), 32)); }
  Value Select(Value condition, Value yes, Value no) { return arith::SelectOp::create(b, condition, yes, no); }
  Value Equal(Value x, uint64_t y) { return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, Like(x, y)); }
  Value Less(Value x, Value y) { return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x, y); }
  Value FromIndex(Value x) { return arith::IndexCastOp::create(b, b.getI64Type(), x); }

  mlir::ImplicitLocOpBuilder& b;
};

struct Pair {
  Value x, y;
};

// The block for a 64-bit counter.
Pair Threefry(Words& w, Value key, Value counter) {
  constexpr uint64_t kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  Value first = w.Low(key), second = w.High(key);
  Value keys[3] = {first, second, w.Xor(w.Xor(first, second), w.Constant(32, 0x1BD11BDA))};
  Value x = w.Plus(w.Low(counter), keys[0]);
  Value y = w.Plus(w.High(counter), keys[1]);
  for (uint64_t group = 0; group < 5; ++group) {
    for (const uint64_t by : kRotations[group % 2]) {
      x = w.Plus(x, y);
      y = w.Xor(w.Rotate(y, by), x);
    }
    x = w.Plus(x, keys[(group + 1) % 3]);
    y = w.Plus(w.Plus(y, keys[(group + 2) % 3]), group + 1);
  }
  return {x, y};
}

// The block for a 128-bit counter, as two words of 64 bits.
Pair Philox(Words& w, Value key, Pair counter) {
  Value k0 = w.Low(key), k1 = w.High(key);
  Value c[4] = {w.Low(counter.x), w.High(counter.x), w.Low(counter.y), w.High(counter.y)};
  for (int round = 0; round < 10; ++round) {
    Value a = w.Times(w.Wide(c[0]), w.Constant(64, 0xD2511F53));
    Value b = w.Times(w.Wide(c[2]), w.Constant(64, 0xCD9E8D57));
    Value next[4] = {w.Xor(w.Xor(w.High(b), c[1]), k0), w.Low(b), w.Xor(w.Xor(w.High(a), c[3]), k1), w.Low(a)};
    std::copy(std::begin(next), std::end(next), std::begin(c));
    k0 = w.Plus(k0, 0x9E3779B9);
    k1 = w.Plus(k1, 0xBB67AE85);
  }
  return {w.Joined(c[0], c[1]), w.Joined(c[2], c[3])};
}

// The element's index in row-major order, and per dimension.
Value LinearIndex(Words& w, llvm::ArrayRef<int64_t> shape, ValueRange at) {
  Value linear = ConstantIndex(w.b, 0);
  for (auto [size, index] : llvm::zip_equal(shape, at)) {
    linear = arith::AddIOp::create(w.b, arith::MulIOp::create(w.b, linear, ConstantIndex(w.b, size)), index);
  }
  return linear;
}

ValueList IndicesOf(mlir::ImplicitLocOpBuilder& b, int64_t rank) {
  ValueList at;
  for (int64_t i = 0; i < rank; ++i) at.push_back(mlir::linalg::IndexOp::create(b, i));
  return at;
}

// One run of the generator: the key, the words of the counter, and the shape to fill with elements of `bits` bits.
class Generator {
 public:
  Generator(mlir::ImplicitLocOpBuilder& b, Value state, RankedTensorType output, bool threefry)
      : output_(output), bits_(output.getElementTypeBitWidth()), threefry_(threefry) {
    for (int64_t i = 0; i < ShapeOf(state)[0]; ++i) {
      words_.push_back(tensor::ExtractOp::create(b, state, ConstantIndex(b, i)));
    }
    if (threefry_ && bits_ < 64) ChooseSplit();
  }

  Value Output(mlir::ImplicitLocOpBuilder& b) const {
    return Pointwise(b, output_, {}, [&](mlir::ImplicitLocOpBuilder& inner, ValueRange) {
      Words w(inner);
      const ValueList at = IndicesOf(inner, output_.getRank());
      Value word = !threefry_ ? PhiloxWord(w, at) : bits_ == 64 ? ThreefryWord(w, at) : ThreefryHalf(w, at);
      if (word.getType() == output_.getElementType()) return ValueList{word};
      return ValueList{arith::TruncIOp::create(inner, output_.getElementType(), word)};
    });
  }

  Value NextState(mlir::ImplicitLocOpBuilder& b) const {
    Words w(b);
    ValueList next = words_;
    next[1] = w.Plus(words_[1], static_cast<uint64_t>(Blocks()));
    if (next.size() > 2) next[2] = w.Plus(words_[2], w.Wide(w.Less(next[1], words_[1])));
    return tensor::FromElementsOp::create(b, next);
  }

 private:
  // Elements narrower than 64 bits are computed in pairs, one word of a block each. The two elements of a pair are
  // neighbours along the first even dimension, or along the longest one if none is even.
  void ChooseSplit() {
    half_ = llvm::to_vector(output_.getShape());
    if (half_.empty()) return;
    const auto* even = llvm::find_if(half_, [](int64_t size) { return size % 2 == 0; });
    split_ = even != half_.end() ? even - half_.begin() : std::max_element(half_.begin(), half_.end()) - half_.begin();
    half_[split_] = (half_[split_] + 1) / 2;
  }

  int64_t Blocks() const {
    const int64_t count = output_.getNumElements();
    const int64_t per_block = bits_ == 64 ? 2 : 4;
    if (!threefry_) return (count + per_block - 1) / per_block;
    if (bits_ == 64) return count;
    int64_t blocks = 1;
    for (const int64_t size : half_) blocks *= size;
    return blocks;
  }

  Value ThreefryWord(Words& w, ValueRange at) const {
    Value block = w.FromIndex(LinearIndex(w, output_.getShape(), at));
    const Pair words = Threefry(w, words_[0], w.Plus(words_[1], block));
    return w.Joined(words.x, words.y);
  }

  Value ThreefryHalf(Words& w, ValueList at) const {
    Value second = ScalarConstant(w.b, w.b.getI1Type(), 0);
    if (!at.empty()) {
      Value two = ConstantIndex(w.b, 2);
      Value part = arith::RemUIOp::create(w.b, at[split_], two);
      second = arith::CmpIOp::create(w.b, arith::CmpIPredicate::ne, part, ConstantIndex(w.b, 0));
      at[split_] = arith::DivUIOp::create(w.b, at[split_], two);
    }
    Value block = w.FromIndex(LinearIndex(w, half_, at));
    const Pair words = Threefry(w, words_[0], w.Plus(words_[1], block));
    return w.Select(second, words.y, words.x);
  }

  // If the state has two words, the key is used as the upper half of the counter.
  Value PhiloxWord(Words& w, ValueRange at) const {
    const uint64_t per_block = bits_ == 64 ? 2 : 4;
    Value linear = w.FromIndex(LinearIndex(w, output_.getShape(), at));
    Value low = w.Plus(words_[1], arith::DivUIOp::create(w.b, linear, w.Constant(64, per_block)));
    Value high = words_.size() > 2 ? words_[2] : words_[0];
    high = w.Plus(high, w.Wide(w.Less(low, words_[1])));
    const Pair block = Philox(w, words_[0], {low, high});
    Value place = arith::RemUIOp::create(w.b, linear, w.Constant(64, per_block));
    if (bits_ == 64) return w.Select(w.Equal(place, 0), block.x, block.y);
    Value word = w.Select(w.Less(place, w.Constant(64, 2)), block.x, block.y);
    Value odd = arith::TruncIOp::create(w.b, w.b.getI1Type(), place);
    return w.Select(odd, w.High(word), w.Low(word));
  }

  RankedTensorType output_;
  unsigned bits_;
  bool threefry_;
  ValueList words_;
  llvm::SmallVector<int64_t> half_;  // number of blocks along each dimension
  int64_t split_ = 0;
};

class RngBitGeneratorPattern : public HostPattern<stablehlo::RngBitGeneratorOp> {
 public:
  using HostPattern::HostPattern;

  mlir::LogicalResult matchAndRewrite(stablehlo::RngBitGeneratorOp op, OpAdaptor adaptor,
                                      mlir::ConversionPatternRewriter& rewriter) const override {
    RankedTensorType state = ResultType(op, 0);
    RankedTensorType output = ResultType(op, 1);
    if (!state || !output) return mlir::failure();
    if (!state.getElementType().isInteger(64) || state.getRank() != 1 || state.getDimSize(0) < 2) {
      return Refuse(op, "its state is no vector of at least two words of 64 bits");
    }
    if (!mlir::isa<mlir::IntegerType>(ElementOf(op.getOutput().getType())) || output.getElementTypeBitWidth() > 64) {
      return Refuse(op, "random bits of a type that is no integer are not defined");
    }
    const bool two_words = state.getDimSize(0) == 2;
    const auto algorithm = op.getRngAlgorithm();
    const bool threefry =
        algorithm == stablehlo::RngAlgorithm::THREE_FRY || (algorithm == stablehlo::RngAlgorithm::DEFAULT && two_words);
    if (threefry && !two_words) return Refuse(op, "Threefry takes a state of two words");
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    const Generator generator(b, adaptor.getInitialState(), output, threefry);
    rewriter.replaceOp(op, {generator.NextState(b), generator.Output(b)});
    return mlir::success();
  }
};

// Numbers are drawn from Philox. The key is the op's position among the module's rng ops, so they are the same in every
// run.
class RngPattern : public ValuePattern<stablehlo::RngOp> {
 public:
  using ValuePattern::ValuePattern;

  Value Lower(stablehlo::RngOp op, OpAdaptor adaptor, mlir::ImplicitLocOpBuilder& b,
              RankedTensorType type) const override {
    mlir::Type element = ElementOf(op.getType());
    const bool normal = op.getRngDistribution() == stablehlo::RngDistribution::NORMAL;
    if (normal && !mlir::isa<mlir::FloatType>(element)) {
      return Refuse(op, "a normal distribution of numbers that are not floats is not defined");
    }
    Value from = ScalarOf(b, adaptor.getA());
    Value to = ScalarOf(b, adaptor.getB());
    const uint64_t key = PlaceOf(op);
    Value result = Pointwise(b, type, {}, [&](mlir::ImplicitLocOpBuilder& inner, ValueRange) {
      Words w(inner);
      Value linear = w.FromIndex(LinearIndex(w, type.getShape(), IndicesOf(inner, type.getRank())));
      const Pair bits = Philox(w, w.Constant(64, key), {linear, w.Constant(64, 0)});
      if (normal) return ValueList{Normal(w, bits, from, to, element)};
      if (mlir::isa<mlir::FloatType>(element)) return ValueList{UniformFloat(w, bits.x, from, to, element)};
      if (IsBool(element)) return ValueList{w.Equal(w.ShiftRight(bits.x, 63), 1)};
      return ValueList{UniformInteger(w, bits.x, from, to)};
    });
    return result;
  }

 private:
  static uint64_t PlaceOf(stablehlo::RngOp op) {
    uint64_t place = 0;
    op->getParentOfType<mlir::ModuleOp>().walk([&](stablehlo::RngOp other) {
      if (other == op) return mlir::WalkResult::interrupt();
      ++place;
      return mlir::WalkResult::advance();
    });
    return place;
  }

  // A multiple of 2^-53 (f64) or 2^-24 in [0, 1).
  static Value Unit(Words& w, Value bits, mlir::Type type) {
    const unsigned digits = type.isF64() ? 53 : 24;
    Value integer = w.ShiftRight(bits, 64 - digits);
    Value number = arith::UIToFPOp::create(w.b, type, integer);
    return arith::MulFOp::create(w.b, number, ScalarConstant(w.b, type, std::ldexp(1.0, -static_cast<int>(digits))));
  }

  static Value UniformFloat(Words& w, Value bits, Value from, Value to, mlir::Type element) {
    mlir::Type wide = AccumulatorOf(element);
    Value low = EmitConvert(w.b, from, element, wide);
    Value high = EmitConvert(w.b, to, element, wide);
    Value range = arith::SubFOp::create(w.b, high, low);
    Value offset = arith::MulFOp::create(w.b, range, Unit(w, bits, wide));
    Value number = EmitConvert(w.b, arith::AddFOp::create(w.b, low, offset), wide, element);
    // A number that rounds up to the open end is replaced by the start.
    Value inside = arith::CmpFOp::create(w.b, arith::CmpFPredicate::OLT, EmitConvert(w.b, number, element, wide), high);
    return w.Select(inside, number, from);
  }

  // The method of Box and Muller; each number has 64 bits of its own.
  static Value Normal(Words& w, Pair bits, Value mean, Value deviation, mlir::Type element) {
    mlir::Type wide = AccumulatorOf(element);
    Value minus = arith::NegFOp::create(w.b, Unit(w, bits.x, wide));
    Value log = math::Log1pOp::create(w.b, minus);
    Value radius = math::SqrtOp::create(w.b, arith::MulFOp::create(w.b, log, ScalarConstant(w.b, wide, -2)));
    Value turn = ScalarConstant(w.b, wide, 2 * std::numbers::pi);
    Value angle = math::CosOp::create(w.b, arith::MulFOp::create(w.b, turn, Unit(w, bits.y, wide)));
    Value standard = arith::MulFOp::create(w.b, radius, angle);
    Value scaled = arith::MulFOp::create(w.b, EmitConvert(w.b, deviation, element, wide), standard);
    Value number = arith::AddFOp::create(w.b, EmitConvert(w.b, mean, element, wide), scaled);
    return EmitConvert(w.b, number, wide, element);
  }

  // from + floor(bits * range / 2^64)
  static Value UniformInteger(Words& w, Value bits, Value from, Value to) {
    const unsigned width = from.getType().getIntOrFloatBitWidth();
    Value range = arith::SubIOp::create(w.b, to, from);
    if (width < 64) range = w.Wide(range);
    Value step = arith::MulUIExtendedOp::create(w.b, bits, range).getHigh();
    if (width < 64) step = arith::TruncIOp::create(w.b, from.getType(), step);
    return w.Plus(from, step);
  }
};

}  // namespace

void PopulateRandom(const HostTypes& types, mlir::RewritePatternSet& patterns, Refusals* refusals) {
  patterns.add<RngBitGeneratorPattern, RngPattern>(types, patterns.getContext(), refusals);
}

}  // namespace opbyop::host
