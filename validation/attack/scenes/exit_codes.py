# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests each row of docs/exit-codes.md with each program that can end with its code; nothing may be left behind."""

from __future__ import annotations

from collections.abc import Callable

from fixtures.programs import ROOT
from validation.attack.arena import Arena
from validation.attack.attack import attack
from validation.attack.board import Board, Case, good_cases
from validation.attack.judge import Promise, Seen
from validation.attack.scenes.check import check

MODEL = ROOT / "fixtures/models/ffnn.mlirbc"


def code(number: int, name: str, short: bool = False) -> Callable[[Callable[[Arena], Seen]], None]:
    def enter(act: Callable[[Arena], Seen]) -> None:
        @attack(f"exit.{number}.{name}", f"exit code {number}, and nothing is left", short=short)
        def judged(arena: Arena) -> str:
            return check(act(arena), Promise(codes={number}, complete=False))

    return enter


@code(0, "conformance.all_pass", short=True)
def all_pass(arena: Arena) -> Seen:
    return Board(arena, good_cases(2)).run()


@code(1, "conformance.a_case_fails", short=True)
def a_case_fails(arena: Arena) -> Seen:
    return Board(arena, [*good_cases(2), Case("bad", "target.execute: fails")]).run()


@code(1, "conformance.a_case_is_flaky")
def a_case_is_flaky(arena: Arena) -> Seen:
    return Board(arena, [*good_cases(2), Case("bad", "target.execute: dies_of_sigsegv *1")]).run()


@code(2, "conformance.unknown_option")
def unknown_option(arena: Arena) -> Seen:
    return Board(arena, good_cases(2)).run("--nosuch")


@code(2, "opbyop.unknown_target")
def unknown_target(arena: Arena) -> Seen:
    return arena.run("opbyop", "run", Board(arena, good_cases(1)).folder, "--target=nosuch")


@code(2, "opbyop.unknown_verb")
def unknown_verb(arena: Arena) -> Seen:
    return arena.run("opbyop", "nosuch")


@code(3, "conformance.no_manifest")
def no_manifest(arena: Arena) -> Seen:
    return arena.run("conformance", "--manifest=/no/such/file", "--target=host")


@code(3, "opbyop.no_model")
def no_model(arena: Arena) -> Seen:
    return arena.run("opbyop", "split", "/no/such/model.mlir", "-o", arena.folder / "out")


@code(3, "opbyop.no_run_to_report")
def no_report(arena: Arena) -> Seen:
    return arena.run("opbyop", "report", arena.folder / "nothing", "-o", arena.folder / "out")


@code(4, "conformance.empty_manifest", short=True)
def empty_manifest(arena: Arena) -> Seen:
    return arena.run("conformance", f"--manifest={arena.write('manifest.yaml', '')}", "--target=host")


@code(4, "opbyop.empty_model")
def empty_model(arena: Arena) -> Seen:
    return arena.run("opbyop", "split", arena.write("model.mlir", ""), "-o", arena.folder / "out")


@code(4, "opbyop.truncated_artifact")
def truncated(arena: Arena) -> Seen:
    half = MODEL.read_bytes()[:1000]
    return arena.run("opbyop", "split", arena.write("model.mlirbc", half), "-o", arena.folder / "out")


@code(5, "conformance.manifest_of_a_newer_version")
def newer_manifest(arena: Arena) -> Seen:
    path = arena.write("manifest.yaml", "schema: opbyop-manifest/2\nmodels: []\ncases: []\n")
    return arena.run("conformance", f"--manifest={path}", "--target=host")


@code(5, "opbyop.artifact_of_a_newer_version")
def newer_artifact(arena: Arena) -> Seen:
    newer = MODEL.read_bytes().replace(b"StableHLO_v1.", b"StableHLO_v9.")
    return arena.run("opbyop", "split", arena.write("model.mlirbc", newer), "-o", arena.folder / "out")


@code(6, "opbyop.one_model_of_two", short=True)
def one_of_two(arena: Arena) -> Seen:
    return arena.run("opbyop", "split", MODEL, arena.write("bad.mlir", "nonsense"), "-o", arena.folder / "out")


@code(7, "conformance.no_row_selected", short=True)
def nothing_selected(arena: Arena) -> Seen:
    return Board(arena, good_cases(2)).run("--gtest_filter=nosuch*")


@code(7, "opbyop.no_such_row")
def no_such_row(arena: Arena) -> Seen:
    return arena.run("opbyop", "repro", "nosuch", f"--run={Board(arena, good_cases(1)).folder}")
