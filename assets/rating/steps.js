// Which question is asked, by what is answered so far.

export function asked(steps, answers) {
  // Of an item that cannot be judged nothing more is asked.
  if (answers.cannot_judge) return steps.slice(-1);
  return steps.filter((step) =>
    // What is not answered yet may still come: only another answer takes a question away.
    Object.entries(step.when).every(([name, values]) => answers[name] === undefined || values.includes(answers[name])),
  );
}

// An answer that must differ from another one and does not is none, nor is an empty one that is required.
export function answered(step, answers) {
  const given = answers[step.name];
  return given !== undefined && (step.optional || given !== "") && !(step.unlike && given === answers[step.unlike]);
}

export function firstOpen(steps, answers) {
  const open = asked(steps, answers);
  return open.find((step) => step.kind !== "end" && !answered(step, answers)) ?? open.at(-1);
}

export function after(steps, answers, step) {
  const open = asked(steps, answers);
  return open[Math.min(open.findIndex((one) => one.name === step.name) + 1, open.length - 1)];
}
