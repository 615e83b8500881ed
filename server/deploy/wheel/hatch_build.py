"""Tags the wheel for any Python and for the architecture in GSAR_WHEEL_MACHINE."""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class OfPrograms(BuildHookInterface):
    """Sets the tag. wheel.sh adds the minimum glibc version from auditwheel."""

    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-linux_{os.environ['GSAR_WHEEL_MACHINE']}"
