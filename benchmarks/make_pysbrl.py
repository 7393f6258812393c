"""Make an environment for pysbrl, which needs NumPy below 1.24 and the GNU Scientific Library.

Everything goes into one folder (.bench beside the Makefile): a virtual environment, and,
where the library's headers are not installed, the three Debian packages that hold them,
unpacked there and not installed. Nothing else on the machine is changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / ".bench"
BUILD = ("numpy==1.23.5", "pyfim>=6.28", "setuptools<70", "wheel")
PYSBRL = "pysbrl==0.4.1"
PYTHONS = ("python3.11", "python3.10", "python3.9", "python3.8")  # NumPy 1.23 has wheels for
GSL_PACKAGES = ("libgsl-dev", "libgsl27", "libgslcblas0")


class CannotMakeError(Exception):
    """Why there is no pysbrl here."""


def pysbrl_environment(folder: Path = FOLDER) -> tuple[Path, dict[str, str]]:
    """The Python that has pysbrl, and the environment variables to run it with."""
    python = folder / "pysbrl" / "bin" / "python"
    libraries = [str(path) for path in (folder / "gsl").glob("usr/lib/*")]
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": os.pathsep.join([*libraries, os.environ.get("LD_LIBRARY_PATH", "")]),
        "OMP_NUM_THREADS": "1",
    }
    environment.pop("PYTHONPATH", None)  # our own packages are not for that Python
    if not python.exists() or not _runs([str(python), "-c", "import pysbrl"], environment):
        _make(folder, environment)
        libraries = [str(path) for path in (folder / "gsl").glob("usr/lib/*")]
        environment["LD_LIBRARY_PATH"] = os.pathsep.join(libraries)
        _call([str(python), "-c", "import pysbrl"], environment)
    return python, environment


def _make(folder: Path, environment: Mapping[str, str]) -> None:
    print(f"  making an environment for pysbrl in {folder.name}/ ...", flush=True)
    folder.mkdir(exist_ok=True)
    flags = _gsl_flags(folder / "gsl", environment)
    target = folder / "pysbrl"
    shutil.rmtree(target, ignore_errors=True)
    _call([_old_enough_python(), "-m", "venv", str(target)], environment)
    pip = [str(target / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet"]
    _call([*pip, "install", *BUILD], environment)
    # no cache: a wheel built elsewhere may want a library that is not here
    _call(
        [*pip, "install", "--no-build-isolation", "--no-cache-dir", PYSBRL],
        {**environment, **flags},
    )


def _old_enough_python() -> str:
    running = [sys.executable] if sys.version_info < (3, 12) else []
    for candidate in [*running, *(shutil.which(name) for name in PYTHONS)]:
        if candidate and _runs([candidate, "-c", "import venv, ensurepip"], os.environ):
            return candidate
    raise CannotMakeError("it needs Python 3.8 to 3.11, and none is installed")


def _gsl_flags(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Compiler settings that find the GNU Scientific Library, fetched if need be."""
    if any(Path(p, "gsl/gsl_rng.h").exists() for p in ("/usr/include", "/usr/local/include")):
        return {}
    if not (folder / "usr").exists():
        if not (shutil.which("apt-get") and shutil.which("dpkg")):
            raise CannotMakeError("it needs the GNU Scientific Library with its headers (libgsl)")
        folder.mkdir(exist_ok=True)
        _call(["apt-get", "download", "-qq", *GSL_PACKAGES], environment, folder)
        for package in folder.glob("*.deb"):
            _call(["dpkg", "-x", str(package), str(folder)], environment)
    libraries = " ".join(f"-L{path}" for path in (folder / "usr/lib").iterdir())
    return {"CFLAGS": f"-I{folder / 'usr/include'}", "LDFLAGS": libraries}


def _runs(command: Sequence[str], environment: Mapping[str, str]) -> bool:
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    return done.returncode == 0


def _call(
    command: Sequence[str], environment: Mapping[str, str], folder: Path | None = None
) -> None:
    """Run a step; its own last words are the reason when it fails."""
    try:
        done = subprocess.run(
            command, env=environment, cwd=folder, capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise CannotMakeError(str(error)) from error
    if done.returncode != 0:
        words = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        errors = [line for line in words if "error" in line.lower()]
        reason = (errors or words or [f"exit code {done.returncode}"])[-1]
        raise CannotMakeError(f"{Path(command[0]).name} {command[1]}: {reason}")


def main() -> None:
    try:
        python, _ = pysbrl_environment()
    except CannotMakeError as error:
        sys.exit(f"no environment for pysbrl: {error}")
    print(f"pysbrl runs with {os.path.relpath(python)} ({sysconfig.get_platform()})")


if __name__ == "__main__":
    main()
