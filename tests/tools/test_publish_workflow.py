"""A repository publishes itself: the workflow's steps, on bare clones of it."""

import os
import re
import subprocess
import sys

import pytest
import yaml

from tools import publish

WORKFLOW = publish.ROOT / ".github/workflows/publish.yml"
KEPT = "tools course_utils/__init__.py course_utils/kit notebooks Makefile README.md"
KEPT = [*KEPT.split(), "CITATION.cff", "pyproject.toml", ".gitignore"]


def workflow():
    """Return the workflow; YAML 1.1 reads the key "on" as True."""
    return yaml.safe_load(WORKFLOW.read_text("utf-8"))


def call(*command, **options):
    """Run a command and return what it printed; its errors fail the test."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def git(folder, *words):
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    return call("git", *identity, *words, cwd=folder)


class Host:
    """A place with bare repositories, where a push runs the workflow's steps."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, repository):
        return self.folder / f"{repository}.git"

    def create(self, repository, source):
        """Copy a repository, as a first push or a fork does."""
        self.path(repository).parent.mkdir(exist_ok=True)
        git(self.folder, "clone", "-q", "--bare", source, self.path(repository))

    def run(self, repository):
        """Check out the branch, and run the steps one after the other."""
        checkout = self.folder / "runner" / repository
        git(self.folder, "clone", "-q", self.path(repository), checkout)
        variables = {"GITHUB_REPOSITORY": repository, "GITHUB_REF_NAME": "main"}
        variables["PYTHON"] = sys.executable
        for step in workflow()["jobs"]["publish"]["steps"]:
            if "run" in step:
                command = ["bash", "-e", "-o", "pipefail", "-c", step["run"]]
                call(*command, cwd=checkout, env=os.environ | variables)
        status = git(checkout, "status", "--porcelain")
        assert status == "", "the steps commit all that they change"
        call("rm", "-r", checkout)

    def commits(self, repository):
        return int(git(self.path(repository), "rev-list", "--count", "main"))

    def text(self, repository, path):
        return git(self.path(repository), "show", f"main:{path}")


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """A host with one repository, pushed without an address, and a fork of it."""
    folder = tmp_path_factory.mktemp("host")
    course = folder / "course"
    git(folder, "init", "-q", "-b", "main", course)
    kept = call("git", "ls-files", "-z", *KEPT, cwd=publish.ROOT).split("\0")
    for name in filter(None, kept):
        if (publish.ROOT / name).is_file():  # not one that is being removed
            (course / name).parent.mkdir(parents=True, exist_ok=True)
            (course / name).write_bytes((publish.ROOT / name).read_bytes())
    project = course / "pyproject.toml"
    unset = publish.Release("", publish.read(course).version, "")
    project.write_text(publish.project_text(project.read_text("utf-8"), unset))
    publish.main([], root=course)
    git(course, "add", ".")
    git(course, "commit", "-qm", "first")
    found = Host(folder)
    found.create("someone/attention", course)
    return found


def addresses(host, repository):
    """Return what the files of a repository point to on its host."""
    lesson = host.text(repository, "notebooks/further/08_what_attention_sees.ipynb")
    texts = [lesson]
    for path in ("README.md", "CITATION.cff", "pyproject.toml"):
        texts.append(host.text(repository, path))
    found = re.findall(r"(?:github\.com|/github)/([\w-]+/[\w-]+)", "\n".join(texts))
    assert len(found) >= 6  # badge, set-up cell, clone, citation, and twice the project
    return set(found)


def test_after_the_first_push_it_points_to_itself_and_a_fork_to_the_fork(host):
    here, fork = "someone/attention", "another/fork"
    host.run(here)
    assert addresses(host, here) == {here}
    assert host.commits(here) == 2
    host.run(here)
    assert host.commits(here) == 2, "a second run changes nothing"
    host.create(fork, host.path(here))
    host.run(fork)
    assert addresses(host, fork) == {fork}
    host.run(fork)
    assert host.commits(fork) == 3 and host.commits(here) == 2
    log = git(host.path(fork), "log", "-1", "--format=%s")
    assert log == f"Point to {fork}"
    checkout = host.folder / "checked"
    git(host.folder, "clone", "-q", host.path(fork), checkout)
    call("make", "-s", "badges", cwd=checkout)
    assert git(checkout, "status", "--porcelain") == ""


def test_the_workflow_may_push_and_waits_for_the_default_branch():
    found = workflow()
    assert found["permissions"] == {"contents": "write"}
    assert "default_branch" in found["jobs"]["publish"]["if"]
    assert set(found[True]) == {"push", "workflow_dispatch"}
    assert "secrets." not in WORKFLOW.read_text("utf-8")  # the workflow's own token
