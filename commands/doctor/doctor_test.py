# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests `opbyop doctor` for targets that run, targets without their device, and targets that are not installed.

python3 -m unittest commands.doctor.doctor_test
"""

from __future__ import annotations

from fixtures.programs import BAD_INPUT, BIN, NO_INPUT, ROOT, USAGE, ProgramTest

MOCK = """schema: opbyop-target/1
name: {name}
worker: ["{{bin}}/mock_worker", --target, "--hello={hello}"]
device: {{kind: mock}}
stages: [{{name: lower}}, {{name: load}}, {{name: execute}}]
{more}
"""


class DoctorTest(ProgramTest):
    def target(self, name: str, hello: str = "", more: str = "") -> str:
        file = self.folder / f"{name}.yaml"
        file.write_text(MOCK.format(name=name, hello=hello, more=more))
        return str(file)

    def test_a_target_that_runs_is_one_line_with_its_version(self):
        file = self.target("chip")
        self.assertEqual(self.opbyop("doctor", "--target", file, code=0).stdout, f"{file}  runs           mock 1.0\n")

    def test_a_target_without_its_device_compiles_and_says_what_it_needs(self):
        file = self.target("chip", "no-device", "install: a board in the slot\npackages: [no-such-package]")
        done = self.opbyop("doctor", "--target", file, code=0)
        lines = [line.removeprefix(file).strip() for line in done.stdout.splitlines()]
        self.assertEqual(lines[0], "compiles only  no device /dev/mock0")
        self.assertIn("needs: a board in the slot", lines)
        self.assertIn("install: apt-get install no-such-package", lines)

    def test_a_target_whose_worker_lacks_something_cannot_run(self):
        file = self.target("chip", "exit", "requirements: chip/requirements.txt")
        done = self.opbyop("doctor", "--target", self.target("other"), "--target", file, code=NO_INPUT)
        self.assertIn("not installed  libfoo.so: cannot open shared object file", done.stdout)
        self.assertIn("install: python3 -m pip install -r chip/requirements.txt", done.stdout)

    def test_the_command_that_installs_a_target_is_shown_once(self):
        file = self.folder / "chip.yaml"
        file.write_text(
            "schema: opbyop-target/1\nname: chip\nrequirements: chip/requirements.txt\ndevice: {kind: mock}\n"
            'worker: [sh, -c, "echo no module chip: try it, ./dev setup --target chip installs it >&2; exit 3"]\n'
            "stages: [{name: lower}, {name: load}, {name: execute}]\n"
        )
        done = self.opbyop("doctor", "--target", file, code=NO_INPUT)
        self.assertEqual(
            [line.removeprefix(str(file)).strip() for line in done.stdout.splitlines()],
            ["not installed  no module chip", "install: python3 -m pip install -r chip/requirements.txt"],
        )

    def test_a_program_that_is_not_in_path_is_named(self):
        file = self.folder / "tool.yaml"
        file.write_text(
            'schema: opbyop-target/1\nname: tool\nworker: ["{bin}/opbyop-worker", "--target={file}"]\n'
            "device: {kind: none}\nstages: [{name: lower, command: [no-such-compiler]}]\n"
        )
        done = self.opbyop("doctor", "--target", file, code=NO_INPUT)
        self.assertIn("no-such-compiler not found in PATH", done.stdout)

    def test_a_plugin_is_examined_by_its_path(self):
        plugin = self.folder / "chip.so"
        done = self.opbyop("doctor", f"--target=pjrt:{plugin}", code=NO_INPUT)
        self.assertIn(f"no PJRT plugin {plugin}", done.stderr)
        plugin.write_text("no library")
        done = self.opbyop("doctor", f"--target=pjrt:{plugin}", code=NO_INPUT)
        self.assertRegex(done.stdout, rf"^pjrt:{plugin}  not installed  .*the plugin cannot be opened")
        fixture = BIN / "pjrt_fixture.so"
        done = self.opbyop("doctor", f"--target=pjrt:{fixture}", code=0)
        self.assertRegex(done.stdout, rf"^pjrt:{fixture}  runs  ")

    def test_options_of_a_topology_are_not_those_of_a_client(self):
        file = self.folder / "chip.yaml"
        text = (
            'schema: opbyop-target/1\nname: chip\nworker: ["{bin}/opbyop-pjrt-worker", "--target={file}"]\n'
            f"device: {{kind: pjrt}}\nplugin: {BIN / 'pjrt_fixture.so'}\ntopology: 'fixture:1x1'\n"
            "topology_options: {refused: 4x4}\n"
            "stages: [{name: parse}, {name: compile}, {name: load}, {name: execute}]\n"
        )
        file.write_text(text)
        self.assertIn("  runs  ", self.opbyop("doctor", f"--target={file}", code=0).stdout)
        file.write_text(text + "options: {fault: 'devices:none'}\n")
        done = self.opbyop("doctor", f"--target={file}", code=NO_INPUT)
        self.assertIn("knows no topology 'fixture:1x1': INVALID_ARGUMENT", done.stdout)
        self.assertIn("has no option `refused`", done.stdout)

    def test_all_targets_are_listed_and_none_of_them_is_an_error(self):
        done = self.opbyop("doctor", code=0)
        for file in (ROOT / "manifests/targets").glob("*.yaml"):
            self.assertRegex(done.stdout, rf"(?m)^{file.stem} +(runs|compiles only|not installed) ")
        self.assertNotIn("needs:", done.stdout, "hardware is no offer")
        for line in done.stdout.splitlines():
            self.assertLessEqual(line.count("setup --target"), 1)
        self.assertIn("--target NAME says what else", done.stdout)

    def test_bad_names_and_files_have_the_usual_errors(self):
        self.assertIn("nosuch", self.opbyop("doctor", "--target=nosuch", code=USAGE).stderr)
        self.assertIn(
            "misspelt", self.opbyop("doctor", "--target", self.target("a", more="colour: red"), code=BAD_INPUT).stderr
        )
