# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Fills misbehaviour.TABLE, for the worker and for the attacks."""

from __future__ import annotations

from validation.attack.hostile import deaths, fields, order, outputs, raw_bytes, rights, spoilers, texts
from validation.attack.hostile.misbehaviour import TABLE

MODULES = (deaths, fields, order, outputs, raw_bytes, rights, spoilers, texts)

__all__ = ["MODULES", "TABLE"]
