"""A build tree that students share: when it can be used, and which programs a student builds."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from unittest import mock

from support import ROOT, FolderTest, built_tree, needs_tree

from cli.checking.answer_build import build_parts
from cli.checking.check import check_exercise
from cli.checking.shared_tree import OWN_PROGRAMS, VARIABLE, SharedTree, shared_tree
from cli.errors import WorkbookError
from cli.workbook import Workbook

CHAPTER = "ch3_transpose"
FILES = {
    "CMakeLists.txt": "set(tree_version 4)\n",
    f"chapters/{CHAPTER}/CMakeLists.txt": f"add_chapter({CHAPTER}\n  EXERCISES ex2_swizzled)\n",
    f"chapters/{CHAPTER}/ex2_swizzled.cu": "// starter\n",
    f"chapters/{CHAPTER}/01_naive.cu": "// a stage\n",
    f"chapters/{CHAPTER}/02_localmem.cu": "// a stage\n",
    f"chapters/{CHAPTER}/transpose.h": "void transpose();\n",
    f"tests/{CHAPTER}/transpose_test.cpp": "// tests\n",
}


class SharedTreeTest(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        self.shared, self.student = self.folder / "shared", self.folder / "student"
        for root in (self.shared, self.student):
            for name, text in FILES.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
        (self.shared / "build/bin").mkdir(parents=True)
        self.cache(self.shared)
        for name in ("naive", "localmem"):
            (self.shared / f"build/bin/{CHAPTER}_{name}").write_text("")

    def cache(self, home: Path) -> None:
        lines = f"WORKBOOK_ACTIVE_BACKEND:INTERNAL=simulator\nWORKBOOK_CHAPTERS:STRING={CHAPTER}\n"
        lines += f"CMAKE_HOME_DIRECTORY:INTERNAL={home}\nCMAKE_CACHEFILE_DIR:INTERNAL={home}/build\n"
        (self.shared / "build/CMakeCache.txt").write_text(lines)

    def tree(self, chapter: str = CHAPTER) -> SharedTree | None:
        with mock.patch.dict(os.environ, {VARIABLE: str(self.shared)}):
            return shared_tree(Workbook(self.student), chapter)

    def test_a_stage_is_the_shared_one_and_an_exercise_the_students(self) -> None:
        tree = self.tree()
        self.assertEqual(tree.program(f"{CHAPTER}_naive"), self.shared / f"build/bin/{CHAPTER}_naive")
        self.assertEqual(tree.program("ch3_ex2_inspect"), self.student / OWN_PROGRAMS / "ch3_ex2_inspect")

    def test_an_edited_stage_is_the_students(self) -> None:
        (self.student / f"chapters/{CHAPTER}/01_naive.cu").write_text("// my experiment\n")
        tree = self.tree()
        with mock.patch.object(SharedTree, "_build_own") as built:
            tree.build(CHAPTER, [f"{CHAPTER}_naive", f"{CHAPTER}_localmem"])
        self.assertEqual([call.args[1] for call in built.call_args_list], [f"{CHAPTER}_naive"])
        self.assertEqual(tree.program(f"{CHAPTER}_naive").parent, self.student / OWN_PROGRAMS)

    def test_another_header_is_named_with_what_to_do(self) -> None:
        (self.student / f"chapters/{CHAPTER}/transpose.h").write_text("void transpose(int);\n")
        with self.assertRaisesRegex(WorkbookError, "(?s)transpose.h is not .*/workbook update.*unset WORK"):
            self.tree()

    def test_trees_that_cannot_be_used_are_explained(self) -> None:
        with self.assertRaisesRegex(WorkbookError, "built without ch4_reduction. Ask its owner"):
            self.tree("ch4_reduction")
        self.cache(Path("/elsewhere"))
        with self.assertRaisesRegex(WorkbookError, "was built as /elsewhere: use that path"):
            self.tree()
        self.cache(self.shared)
        with (self.shared / "build/CMakeCache.txt").open("a") as cache:
            cache.write("Python3_EXECUTABLE:FILEPATH=/root/secret/python3\n")
        with self.assertRaisesRegex(WorkbookError, "built with /root/secret/python3. You cannot start that program"):
            self.tree()
        shutil.rmtree(self.shared / "build")
        with self.assertRaisesRegex(WorkbookError, "has no build tree of the simulator that you can read"):
            self.tree()

    def test_a_program_that_is_missing_is_named(self) -> None:
        with self.assertRaisesRegex(WorkbookError, f"bin/{CHAPTER}_naive_inspect was not built. Ask the owner"):
            self.tree().program(f"{CHAPTER}_naive_inspect")

    def test_without_the_variable_nothing_is_shared(self) -> None:
        with mock.patch.dict(os.environ, {VARIABLE: ""}):
            self.assertIsNone(shared_tree(Workbook(self.student), CHAPTER))

    @needs_tree
    def test_an_exercise_is_built_with_the_objects_of_the_tree(self) -> None:
        built = built_tree()
        exercise = Workbook(ROOT).catalogue.find_program("ch3_ex2")
        build_parts(exercise, built, ["cuda_simulator_plain"])
        shutil.rmtree(self.student)
        shutil.copytree(ROOT / "chapters", self.student / "chapters")
        for name in ("common", "tests"):
            (self.student / name).symlink_to(ROOT / name)
        shutil.copytree(ROOT / f"solutions/{CHAPTER}", self.student / f"solutions/{CHAPTER}")
        answer = self.student / f"chapters/{CHAPTER}/ex2_swizzled.cu"
        shutil.copyfile(ROOT / f"solutions/{CHAPTER}/ex2_swizzled.cu", answer)
        own = Workbook(self.student)
        tree = SharedTree(own, ROOT)
        tree.folder = built.folder
        result = check_exercise(own.catalogue.find_program("ch3_ex2"), own, tree)
        self.assertTrue(result.passed, result)
        tree.build("ch3_ex2")
        ran = subprocess.run([tree.program("ch3_ex2"), "--check", "--rows", "33", "--cols", "5"], check=False)
        self.assertEqual((ran.returncode, tree.program("ch3_ex2").parent), (0, self.student / OWN_PROGRAMS))
