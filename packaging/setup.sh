# Sourced by run and test: `prepare run` makes .venv ready, and costs next to nothing when it is.
# The slow way is setup_env.py; here is only what must be fast or must work without Python.
#
# SLIPSTREAM_BACKEND (cpu, cuda, metal, rocm, vulkan), CMAKE_ARGS and CXXFLAGS need be set only once:
# while one is not set, what the environment was made with stays. To have it chosen anew, set it to
# nothing: SLIPSTREAM_BACKEND= packaging/run

ROOT=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Meant for other Pythons, they would hide our libraries. The app does without them as well.
unset PYTHONPATH PYTHONHOME

# prepare KIND: make the environment ready for KIND (run or test), or say why not and exit.
prepare() {
    local wanted python
    wanted=$(signature)
    is_ready "$1" "$wanted" && return
    case $(uname -s) in
        MINGW* | MSYS* | CYGWIN*) say "On Windows, run this inside WSL." && exit 1 ;;
    esac
    python=$(find_python) || exit 1
    PIP_USER=0 PYTHONSAFEPATH='' "$python" -B "$ROOT/packaging/setup_env.py" "$1" "$wanted" || exit
}

# What an environment is made from and for; when any of it changes, it is made again.
signature() {
    local made="$ROOT/.venv/ready-run" newline=$'\n' backend='' cmake_args='' cxxflags=''
    [ ! -r "$made" ] || {
        read -r _ && IFS= read -r backend && IFS= read -r cmake_args && IFS= read -r cxxflags
    } <"$made"
    backend=${SLIPSTREAM_BACKEND-$backend}
    cmake_args=${CMAKE_ARGS-$cmake_args}
    cxxflags=${CXXFLAGS-$cxxflags}
    printf '%s\n' "$ROOT" "${backend//$newline/ }" "${cmake_args//$newline/ }" \
        "${cxxflags//$newline/ }"
    cksum <"$ROOT/pyproject.toml"
    cat "$ROOT"/packaging/setup* | cksum
    uname -sm
    cpu_features
}

# llama.cpp is built for this very processor: a checkout on a shared disk may meet another one.
cpu_features() {
    local cpuinfo=${SLIPSTREAM_CPUINFO:-/proc/cpuinfo}
    if [ -r "$cpuinfo" ]; then
        grep -m 1 -E '^(flags|Features)' "$cpuinfo" | tr ' ' '\n' | grep -E '^(avx|amx|asimd|sve)'
    else
        sysctl -n machdep.cpu.brand_string 2>/dev/null || true
    fi
}

# is_ready KIND SIGNATURE: the environment is complete, and still where and what it was.
is_ready() {
    local stamp="$ROOT/.venv/ready-$1"
    [ -x "$ROOT/.venv/bin/python" ] && [ -r "$stamp" ] && [ "$(<"$stamp")" = "$2" ]
}

# Print the first Python that will do. Candidates are run, not just looked up: some are stubs.
find_python() {
    local name lacking='' module='' without_venv=''
    for name in python3.14 python3.13 python3.12 python3.11 python3; do
        can "$name" 'import sys; sys.exit(sys.version_info < (3, 11))' || continue
        if ! is_whole "$name"; then
            [ -n "$lacking" ] || lacking="$name lacks the module $module"
        elif can "$name" 'import venv, ensurepip'; then
            echo "$name"
            return
        else
            without_venv=${without_venv:-$name}
        fi
    done
    if [ -n "$without_venv" ]; then
        say "$without_venv has no venv module. Install it (Debian, Ubuntu: sudo apt install" \
            "$without_venv-venv) and start again."
    elif [ -n "$lacking" ]; then
        say "$lacking. Install all of it, or another Python 3.11 or newer, and start again."
    else
        say "No Python 3.11 or newer found. Install one and start again."
    fi
    return 1
}

# is_whole PYTHON: it has what is left out where a library was missing when it was built, else
# `module` is what it lacks.
is_whole() {
    for module in ssl ctypes sqlite3 zlib; do
        can "$1" "import $module" || return
    done
}

can() {
    "$1" -c "$2" >/dev/null 2>&1
}

say() {
    echo "slipstream: $*" >&2
}
