"""What metrics are called in tables, and what they mean: range, direction, source."""

from __future__ import annotations

FAMILIES = {
    "hungarian-meteor": "Hungarian METEOR",
    "ev2r": "Ev²R",
    "soft-coverage": "Soft coverage",
    "answers": "Answers",
    "verdict": "Verdicts",
}
SHORT = {"q": "Q only", "q+a": "Q + A", "accuracy": "Accuracy", "macro-f1": "Macro F1", "averitec": "AVeriTeC"}

MEANINGS = {
    "hungarian-meteor:q": "Hungarian METEOR of the questions alone: how well the best one-to-one matching covers the "
    "gold questions, in words, stems and synonyms. 0 to 1, higher is better. Schlichtkrull et al. 2023.",
    "hungarian-meteor:q+a": "Hungarian METEOR of questions with their answers. 0 to 1, higher is better. "
    "Schlichtkrull et al. 2023.",
    "hungarian-meteor:averitec": "The share of claims whose verdict is right and whose Q + A score is greater than "
    "the threshold. 0 to 1, higher is better. Schlichtkrull et al. 2023.",
    "verdict:accuracy": "The share of claims whose verdict is the gold's, whatever the evidence. 0 to 1, higher is "
    "better.",
    "verdict:macro-f1": "The mean of the F1 of the four verdicts: rare verdicts weigh as much as frequent ones. "
    "0 to 1, higher is better.",
    "soft-coverage:q": "How well the questions' meaning is covered, by MiniLM vectors. 0 to 1, higher is better. "
    "Veridesk's own; it is not Ev²R.",
    "soft-coverage:q+a": "How well the meaning of the gold evidence is covered, by MiniLM vectors. 0 to 1, higher is "
    "better. Veridesk's own; it is not Ev²R.",
    "ev2r:q": "Ev²R recall of the questions: the share of the gold questions' facts that a judging model finds in "
    "the predicted questions. 0 to 1, higher is better. Akhtar et al. 2024.",
    "ev2r:q+a": "Ev²R recall: the share of the gold evidence's facts that a judging model finds in the predicted "
    "evidence. 0 to 1, higher is better. Akhtar et al. 2024.",
    "ev2r:precision": "Ev²R precision: the share of the predicted evidence's facts that a judging model finds in the "
    "gold evidence. 0 to 1, higher is better. Akhtar et al. 2024.",
    "ev2r:f1": "The harmonic mean of Ev²R recall and precision of each claim. 0 to 1, higher is better.",
    "answers:correctness": "How much of what is vital in the correct answer the given one says, and how much of it is "
    "on the question. −1 (incorrect) over 0 (no answer) and 1 (with irrelevant information) to 2. LiveRAG 2025.",
    "answers:faithfulness": "The share of the answer's statements found in its passages, from −1 (none) to 1 (all). "
    "LiveRAG 2025.",
    "answers:coverage": "The share of the vital facts of the correct answer that the given one says. 0 to 1.",
    "answers:relevance": "The share of the answer's statements that are on the question. 0 to 1.",
    "ev2r:averitec": "The share of claims whose verdict is right and whose Ev²R recall passes the threshold. 0 to 1, "
    "higher is better. Akhtar et al. 2024.",
}


def short_title(metric: str) -> str:
    """Return a column's title: "AVeriTeC @ 0.25" for "hungarian-meteor:averitec@0.25"."""
    name = metric.partition(":")[2]
    for sign in (">=", ">", "@"):
        base, found, level = name.partition(sign)
        if found:
            return f"{SHORT.get(base, base)} {'≥' if sign == '>=' else sign} {level}"
    return SHORT.get(name, name.replace("-", " ").capitalize())


def long_title(metric: str) -> str:
    """Return a metric's full name: "Hungarian METEOR, AVeriTeC @ 0.25"."""
    family = metric.partition(":")[0]
    return f"{FAMILIES.get(family, family)}, {short_title(metric)}"


def name_in_words(metric: str) -> str:
    """Return a metric's name for a sentence: "Hungarian METEOR (Q + A)"; one that is not Veridesk's stays as it is."""
    family, colon, _ = metric.partition(":")
    return f"{FAMILIES[family]} ({short_title(metric)})" if colon and family in FAMILIES else metric


def meaning(metric: str) -> str:
    """Return a sentence on range, direction and source; empty for a metric that has none."""
    return MEANINGS.get(metric.partition("@")[0].partition(">")[0], "")
