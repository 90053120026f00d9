"""What writing costs with the bundled model: `python -m tests.benchmarks.generation [--threads N]`.

CPU seconds are those of the model's process: divided by the cores they tell what an idle machine would take, even
while others use this one.
"""

import os
from collections.abc import Callable
from typing import TypeVar

from core.llm.llama import LlamaModel, load_llama
from core.llm.prompts import render
from core.models.choice import bundled_path
from core.types import Completion, Message, Prompt
from tests.benchmarks.measuring import cpu_seconds, megabytes, parser_of, timed

T = TypeVar("T")

CLAIM = "Unemployment in Spain fell to its lowest level in eleven years in 2019."
PASSAGE = (
    "The unemployment rate in Spain fell to {0}.8 percent in the last quarter of 2019, the National Statistics "
    "Institute said on Tuesday. Some {1}02,000 jobs were created over the year, most of them in services, while "
    "agriculture lost {0},500 jobs. The government expects growth to slow next year, a minister said in Madrid."
)


def measured(llm: LlamaModel, work: Callable[[], T]) -> tuple[T, float, float]:
    """Return what `work` returns, the seconds it took and the CPU seconds of the model's process."""
    pid = llm.process_id
    assert pid is not None
    before = cpu_seconds(pid)
    result, seconds = timed(work)
    return result, seconds, cpu_seconds(pid) - before


def line(what: str, tokens: int, seconds: float, cpu: float) -> None:
    print(f"{what:<44} {tokens:>6} tokens {seconds:8.2f} s {tokens / seconds:8.1f} /s {cpu:8.2f} CPU s")


def questions(llm: LlamaModel) -> list[Completion]:
    """Write the ten questions of a verification, over ten passages."""
    texts = [PASSAGE.format(number + 4, number) for number in range(10)]
    prompts = [render("question_for_passage", {"claim": CLAIM, "passage": text}) for text in texts]
    return [llm.generate(prompt, max_tokens=40) for prompt in prompts]


def forget(llm: LlamaModel) -> None:
    """Have the model evaluate something else, so that no beginning of the next prompt is kept."""
    llm.generate((Message("system", "x"), Message("user", "y")), max_tokens=1)


def benchmark(threads: int, *, expand: bool) -> None:
    """Print the table for the weights as they are, or loaded as Q8_0."""
    llm, loading = timed(lambda: load_llama(bundled_path(), threads=threads, expand=expand))
    assert llm.process_id is not None
    print(f"\n{'loaded as Q8_0' if expand else 'as they are (Q4_1)'}, {threads} threads:")
    print(f"  check, start and load {loading:.2f} s, memory {megabytes(llm.process_id, 'VmRSS'):.0f} MB")
    long: Prompt = (Message("user", PASSAGE.format(5, 6) * 5),)
    forget(llm)
    first, seconds, cpu = measured(llm, lambda: llm.generate(long, max_tokens=1))
    line("  prompt, nothing kept", first.prompt_tokens, seconds, cpu)
    again, seconds, cpu = measured(llm, lambda: llm.generate(long, max_tokens=1))
    line(f"  the same prompt again ({again.reused_tokens} kept)", again.prompt_tokens, seconds, cpu)
    decoded, seconds, cpu = measured(llm, lambda: llm.generate(long, max_tokens=41, temperature=1.0, seed=2))
    line("  answer, after a kept prompt", decoded.completion_tokens, seconds, cpu)
    schema = {"type": "object", "properties": {"question": {"type": "string", "maxLength": 150}}}
    bound, seconds, cpu = measured(llm, lambda: llm.generate(long, max_tokens=160, schema=schema))
    line("  the same as JSON under a schema", bound.completion_tokens, seconds, cpu)
    forget(llm)
    written, seconds, cpu = measured(llm, lambda: questions(llm))
    kept = sum(completion.reused_tokens for completion in written)
    line("  ten questions of a verification", sum(c.prompt_tokens + c.completion_tokens for c in written), seconds, cpu)
    print(
        f"  of their {sum(c.prompt_tokens for c in written)} prompt tokens {kept} were kept from the one before; "
        f"{sum(c.completion_tokens for c in written)} were written"
    )
    _, seconds, cpu = measured(llm, lambda: llm.log_likelihoods(long, ["A", "B", "C", "D"]))
    line("  likelihoods of four letters", 4, seconds, cpu)
    print(f"  memory {megabytes(llm.process_id, 'VmRSS'):.0f} MB; e.g. {written[0].text!r}")
    llm.close()


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for expand in (False, True):
        benchmark(arguments.threads, expand=expand)


if __name__ == "__main__":
    main()
