# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Deviations of upstream's verifiers from the specification.

ACCEPTED: programs that they accept although the specification forbids them, id of the case -> reason.
VALID_REFUSED: constraints that no program can break there, as no program to which they apply is accepted.
"""

BITCAST = "a further dimension of 1 is taken"
CHANNEL = "global ids are taken without a channel"
COMPARISON = "compare_type is not compared with the elements"
DYNAMIC = "the result of dynamic_conv is not inferred"
FLOATS = "floats of any two widths are taken for one another"
GRID = "the processes in the groups are not compared with the grid"
GROUPS = "the size of the groups is not compared with the shapes"
MIXED = "operands may have different elements"
PAIRS = "the pairs of send and recv are not verified"
PRECISION = "one precision is taken for two operands"
STATE = "the size of the state is not verified"

ACCEPTED: dict[str, str] = {
    "all_gather_C3_71c4b0b4": GRID,
    "all_gather_C3_9322a257": GRID,
    "all_gather_C5_0e2e75a6": CHANNEL,
    "all_gather_C6_59341c4e": GROUPS,
    "all_reduce_C2_2a57be6c": GRID,
    "all_reduce_C2_ca09a740": GRID,
    "all_to_all_C6_7335630e": GRID,
    "all_to_all_C6_feb8af75": GRID,
    "bitcast_convert_C1_6dcb6c0b": BITCAST,
    "compare_C3_8d70bcfd": COMPARISON,
    "compare_C3_9cd66e07": COMPARISON,
    "compare_C3_c5613f8e": COMPARISON,
    "compare_C3_cd811565": COMPARISON,
    "convolution_C24_2ad0c278": PRECISION,
    "dot_general_C11_aeec4280": PRECISION,
    "dot_general_C13_550ef8ac": MIXED,
    "dynamic_conv_C24_a1e791d0": PRECISION,
    "dynamic_conv_C25_520082a4": DYNAMIC,
    "dynamic_conv_C25_ab92f332": DYNAMIC,
    "dynamic_conv_C25_e1a6cda8": DYNAMIC,
    "dynamic_conv_C26_06ddb1c3": DYNAMIC,
    "recv_C1_94da4afb": PAIRS,
    "recv_C2_3e4711af": PAIRS,
    "recv_C3_cd060837": PAIRS,
    "recv_C4_1538132e": PAIRS,
    "reduce_C2_37e65c9c": FLOATS,
    "reduce_scatter_C1_8f64aeaf": GROUPS,
    "reduce_scatter_C4_5f720764": GRID,
    "reduce_scatter_C4_a45c8daf": GRID,
    "reduce_scatter_C8_617d5f76": GROUPS,
    "reduce_window_C3_dfe82964": FLOATS,
    "rng_bit_generator_C2_00380d3c": STATE,
    "rng_bit_generator_C2_9ce6af2d": STATE,
    "rng_bit_generator_C2_bec34260": STATE,
    "scatter_C6_c46f53a3": FLOATS,
    "select_and_scatter_C1_f50c8264": FLOATS,
    "select_and_scatter_C3_192fade3": FLOATS,
    "select_and_scatter_C9_2776ccb4": FLOATS,
    "send_C1_7300d949": PAIRS,
    "send_C2_05b2aeda": PAIRS,
    "send_C3_0903abcd": PAIRS,
    "send_C4_8af27b60": PAIRS,
}

PER_TENSOR = "the kernel of dynamic_conv may not be quantized along an axis"
VALID_REFUSED = {
    "dynamic_conv.C29": PER_TENSOR,
    "dynamic_conv.C30": PER_TENSOR,
}
