# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""PYTHONPATH=packaging python3 -m unittest release.wheel_tag_test"""

from __future__ import annotations

import unittest

from release.wheel_tag import required_versions, tag

READELF = """
Version needs section '.gnu.version_r' contains 3 entries:
  000000: Version: 1  File: libfmt.so.9  Cnt: 1
  0x0010:   Name: GLIBC_9.9  Flags: none  Version: 2
  0x0020: Version: 1  File: libstdc++.so.6  Cnt: 2
  0x0030:   Name: GLIBCXX_3.4.30  Flags: none  Version: 3
  0x0040:   Name: CXXABI_1.3  Flags: none  Version: 4
  0x0050: Version: 1  File: libc.so.6  Cnt: 1
  0x0060:   Name: GLIBC_2.34  Flags: none  Version: 5
  0x0070: Version: 1  File: libLLVM.so.22.1  Cnt: 1
  0x0080:   Name: LLVM_22.1  Flags: none  Version: 6
"""
TABLE = {
    "manylinux_2_34": {"GLIBC": ["2.17", "2.34"], "GLIBCXX": ["3.4.29"], "CXXABI": ["1.3"]},
    "manylinux_2_35": {"GLIBC": ["2.17", "2.34", "2.35"], "GLIBCXX": ["3.4.29", "3.4.30"], "CXXABI": ["1.3"]},
    "manylinux_2_39": {"GLIBC": ["2.17", "2.34", "2.35", "2.39"], "GLIBCXX": ["3.4.29", "3.4.30"], "CXXABI": ["1.3"]},
}


class WheelTagTest(unittest.TestCase):
    def test_only_what_is_asked_of_the_system_counts(self) -> None:
        self.assertEqual(required_versions(READELF), {"GLIBCXX_3.4.30", "CXXABI_1.3", "GLIBC_2.34"})

    def test_the_oldest_system_that_has_all_is_named_and_the_cpp_library_counts_too(self) -> None:
        self.assertEqual(tag({"GLIBC_2.17"}, TABLE), "manylinux_2_34")
        self.assertEqual(tag(required_versions(READELF), TABLE), "manylinux_2_35")

    def test_what_no_system_has_is_named(self) -> None:
        with self.assertRaisesRegex(ValueError, r"no tag of the table has GLIBC_2\.99:"):
            tag({"GLIBC_2.17", "GLIBC_2.99"}, TABLE)
        with self.assertRaisesRegex(ValueError, "OTHER_1"):
            tag({"OTHER_1"}, TABLE)


if __name__ == "__main__":
    unittest.main()
