# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs in a process of its own what a file of --meaning defines in Python: python_call.py FILE.py FOLDER.

FOLDER has request.json, and operand_N.npy if a function is to be called; reply.json and result_N.npy are written there.
reference/meanings/python_file.h says what such a file has. An error is the reply's `error`, in words.
"""

import importlib.util
import inspect
import json
import math
import os
import resource
import sys
import traceback

FILE, FOLDER = sys.argv[1:]
MATRICES = ("triangular", "positive_definite")
KINDS = {"float": ("f", "float64"), "complex": ("cf", "complex128"), "bool": ("b", "bool")}


def load():
    spec = importlib.util.spec_from_file_location("meaning", FILE)
    module = importlib.util.module_from_spec(spec)
    sys.modules["meaning"] = module
    sys.path[0] = os.path.dirname(FILE)  # modules beside the file, not beside this script
    spec.loader.exec_module(module)
    return module


def meanings(module):
    """The functions by the name of their call. A function of the file that states no tolerance is a helper."""
    table = getattr(module, "MEANINGS", {})
    own = {name: value for name, value in vars(module).items() if inspect.isfunction(value)}
    return {**{name: value for name, value in own.items() if hasattr(value, "tolerance")}, **table}


def is_finite(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def is_number(value):
    return is_finite(value) and value >= 0


def describe(name, function):
    if not callable(function):
        raise ValueError(f"{name} is not a function")
    tolerance = getattr(function, "tolerance", None)
    parts = {} if tolerance == "exact" else tolerance
    fits = isinstance(parts, dict) and set(parts) <= {"ulps", "relative", "absolute"}
    if not fits or not all(is_number(part) for part in parts.values()) or (parts == {} and tolerance != "exact"):
        expected = "'exact', or numbers of 'ulps', 'relative' and 'absolute'"
        raise ValueError(f"{name} has no tolerance: expected {name}.tolerance = {expected}")
    seconds = getattr(function, "seconds", 60)
    if not is_number(seconds) or seconds == 0:
        raise ValueError(f"{name}.seconds is {seconds!r}, not a time")
    return {"tolerance": parts, "seconds": seconds, "inputs": demands(name, function)}


def demands(name, function):
    """What the function demands of its operands, each with its number."""
    inputs = getattr(function, "inputs", {})
    parameters = [parameter for parameter in inspect.signature(function).parameters if parameter != "attributes"]
    if not isinstance(inputs, dict):
        raise TypeError(f"{name}.inputs is {inputs!r}, expected a dictionary by the names of operands")
    for parameter, demand in inputs.items():
        if parameter not in parameters:
            raise ValueError(f"{name}.inputs names {parameter!r}, but its operands are {', '.join(parameters)}")
        is_range = isinstance(demand, (list, tuple)) and len(demand) == 2 and all(map(is_finite, demand))
        if demand not in MATRICES and not (is_range and demand[0] <= demand[1]):
            expected = "'triangular', 'positive_definite', or the least and the greatest value"
            raise ValueError(f"{name}.inputs has {demand!r} for {parameter}, expected {expected}")
    return [{"operand": parameters.index(parameter), "demand": demand} for parameter, demand in inputs.items()]


def stored(value, result, number, numpy):
    array = numpy.asarray(value)
    if list(array.shape) != result["shape"]:
        raise ValueError(f"result {number} has shape {list(array.shape)}, expected {result['shape']}")
    kinds, dtype = KINDS.get(result["kind"], ("iu", None))
    if array.dtype.kind not in kinds:
        raise TypeError(f"result {number} is an array of {array.dtype}, expected numbers of kind {result['kind']}")
    if dtype is None:
        dtype = result["dtype"]
        if array.size and not (result["least"] <= int(array.min()) and int(array.max()) <= result["greatest"]):
            raise ValueError(f"result {number} has a number that {result['type']} lacks")
    return numpy.ascontiguousarray(array, dtype=dtype).reshape(array.shape)


def call(request):
    import numpy

    # A function that asks for all memory fails, and not what runs beside it.
    limit = request["most_bytes"]
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    function = meanings(load())[request["name"]]
    operands = [numpy.load(f"{FOLDER}/operand_{i}.npy") for i in range(request["operands"])]
    named = {}
    if "attributes" in inspect.signature(function).parameters:
        named["attributes"] = request["attributes"]
    values = function(*operands, **named)
    wanted = request["results"]
    if not isinstance(values, tuple):
        values = (values,)
    if len(values) != len(wanted):
        raise ValueError(f"{len(values)} results, expected {len(wanted)}")
    for i, (value, result) in enumerate(zip(values, wanted)):
        numpy.save(f"{FOLDER}/result_{i}.npy", stored(value, result, i, numpy))
    return {}


def explain(error):
    """What was raised, and at which line of the file."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE]
    if isinstance(error, SyntaxError) and error.filename == FILE:
        lines = [error.lineno]
    where = f"{FILE}:{lines[-1]}" if lines else FILE
    words = " ".join(str(error).split())
    return f"{where}: {type(error).__name__}{': ' if words else ''}{words[:500]}"


def main():
    # Nobody reads what the file prints.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    with open(f"{FOLDER}/request.json", encoding="utf-8") as file:
        request = json.load(file)
    try:
        if request["describe"]:
            reply = {"meanings": {name: describe(name, value) for name, value in meanings(load()).items()}}
        else:
            reply = call(request)
    except BaseException as error:  # also SystemExit
        reply = {"error": explain(error)}
    with open(f"{FOLDER}/reply.tmp", "w", encoding="utf-8") as file:
        json.dump(reply, file)
    os.rename(f"{FOLDER}/reply.tmp", f"{FOLDER}/reply.json")
    os._exit(0)  # whatever threads or exit handlers the file has


main()
