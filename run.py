"""Install Veridesk beside this file and run it. It needs Python and nothing else.

    python3 run.py                  open the pages in a browser
    python3 run.py test [...]       run the tests; further words go to pytest
    python3 run.py COMMAND [...]    run any other command, such as: verify "CLAIM" --file notes.pdf

The first call installs the packages in .venv. A later call installs only changed requirements. After an interrupted
installation the next call begins anew. Older Pythons must be able to parse this file, to say that they are too old.
"""

import errno
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
VENV = HERE / ".venv"
PYTHON = VENV / "bin" / "python"
APP, TESTS = "requirements.txt", "requirements-dev.txt"
DONE, BEGUN, LOG = VENV / "installed.txt", VENV / "installing", VENV / "install.log"
OLDEST = (3, 11)
CPU_TORCH = "https://download.pytorch.org/whl/cpu"
LEAST_DISK = 200 * 2**20
NO_NETWORK = "NewConnectionError|NameResolutionError|ConnectTimeout|ProxyError|Temporary failure in name"
MAC = sys.platform == "darwin"
PYTHON_LINE = "open https://www.python.org/downloads" if MAC else "sudo apt-get install python3.11 python3.11-venv"
COMPILER_LINE = "xcode-select --install" if MAC else "sudo apt-get install g++ python3-dev"
AGAIN = "python3 run.py"


class Trouble(Exception):
    """A sentence on what hinders an installation, and the line to type."""

    def __init__(self, sentence: str, line: str) -> None:
        super().__init__(f"{sentence} Type: {line}")


def main(words: list) -> int:
    if sys.platform == "win32":
        raise Trouble("Veridesk runs on Linux and macOS. On Windows, run it in the Linux of WSL.", "wsl --install")
    if sys.version_info < OLDEST:
        found = ".".join(map(str, sys.version_info[:2]))
        raise Trouble(f"Veridesk needs Python 3.11 or later, and this is {found}.", PYTHON_LINE)
    if words[:1] == ["test"]:
        install(TESTS)
        os.chdir(HERE)
        # The tests keep every core busy. There the threads of one small product of matrices only wait for each other.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        return become(["pytest", *words[1:]])
    install(APP)
    return become(["core", *(words or ["app", *browser()])])


def browser() -> list:
    """Return the option that opens a browser; none on a Linux without a screen, which has a browser of text."""
    screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return ["--browser"] if screen or not sys.platform.startswith("linux") else []


def become(module: list) -> int:
    """Run a module with the installed packages in place of this process."""
    command, environment = [str(PYTHON), "-m", *module], {**os.environ, "PYTHONPATH": str(HERE)}
    return os.execve(command[0], command, environment)  # nosec B606: our own modules, without a shell


def install(requirements: str) -> None:
    """Install a file of requirements, unless it is installed. Raises Trouble if that fails."""
    if wanted(requirements) in done():
        return
    try:
        make_environment()
        install_packages(requirements)
        DONE.write_text("\n".join({wanted(APP), wanted(requirements)}))
        BEGUN.unlink()
    except OSError as error:
        raise full() if error.errno == errno.ENOSPC else locked(error) from error


def wanted(requirements: str) -> str:
    """Return the line for these requirements, and no others, installed for this Python."""
    digest = hashlib.sha256(repr(sys.version_info[:2]).encode())
    for name in (APP, TESTS) if requirements == TESTS else (APP,):
        digest.update((HERE / name).read_bytes())
    return f"{requirements} {digest.hexdigest()}"


def done() -> list:
    """Return the lines of complete installations; none after an interrupted one."""
    whole = DONE.is_file() and PYTHON.exists() and not BEGUN.exists()
    return DONE.read_text().split("\n") if whole else []


def make_environment() -> None:
    """Make the virtual environment, anew where no installation has ended, and note that one has begun."""
    print(f"Installing Veridesk in {VENV}. The first time takes some minutes.", flush=True)
    if not done() and subprocess.call([sys.executable, "-m", "venv", "--clear", str(VENV)]):
        raise Trouble("Python cannot make a virtual environment.", "sudo apt-get install python3-venv")
    BEGUN.touch()


def install_packages(requirements: str) -> None:
    pip("Step 1 of 3: pip", "--quiet", "--upgrade", "pip")
    without_cuda = sys.platform.startswith("linux") and not has_nvidia_card()
    if without_cuda and pip("Step 2 of 3: torch without CUDA", "--no-deps", "--index-url", CPU_TORCH, torch()):
        print("That index cannot be reached. The ordinary torch follows: several gigabytes.", flush=True)
    if pip("Step 3 of 3: all other packages", "-r", str(HERE / requirements)):
        raise told_by(LOG.read_text(errors="replace") if LOG.exists() else "")


def pip(step: str, *words: str) -> int:
    print(step, flush=True)
    LOG.write_text("")  # pip appends to it
    options = ["--log", str(LOG), "--retries", "2", "--disable-pip-version-check"]
    return subprocess.call([str(PYTHON), "-m", "pip", "install", *options, *words])


def has_nvidia_card() -> bool:
    return bool(shutil.which("nvidia-smi")) or Path("/proc/driver/nvidia/version").exists()


def torch() -> str:
    """Return the requirement of torch with its version."""
    return re.search("^torch==[^ ;#\n]+", (HERE / APP).read_text(), re.MULTILINE).group()


def told_by(log: str) -> Trouble:
    """Return the trouble that pip's log tells."""
    if "No space left on device" in log or shutil.disk_usage(str(HERE)).free < LEAST_DISK:
        return full()
    if re.search(NO_NETWORK, log):
        return Trouble("The packages cannot be fetched without the network. Connect this computer first.", AGAIN)
    if not any(map(shutil.which, ("c++", "g++", "clang++"))):
        return Trouble("Two packages compile, and there is no C++ compiler.", COMPILER_LINE)
    return Trouble(f"pip could not install the packages; its log is {LOG}. Try again.", AGAIN)


def full() -> Trouble:
    return Trouble(f"The disk is full: Veridesk needs about 3 GB in {HERE}.", f"df -h '{HERE}'")


def locked(error: OSError) -> Trouble:
    return Trouble(f"{error.filename or VENV} cannot be written ({error.strerror}).", f"chmod -R u+w '{HERE}'")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Trouble as trouble:
        print(trouble, file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("Stopped. The next call installs Veridesk anew.", file=sys.stderr)
        sys.exit(130)
