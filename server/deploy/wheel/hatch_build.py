"""Marks the wheel as one of programs for a machine: of any Python, and of the architecture in GSAR_WHEEL_MACHINE."""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class OfPrograms(BuildHookInterface):
    """Sets the tag; wheel.sh adds the least glibc afterwards, as auditwheel finds it."""

    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-linux_{os.environ['GSAR_WHEEL_MACHINE']}"
