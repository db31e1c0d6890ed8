// The head of the page: the runs, their results, and the filters of the list.

// Command, time, commit, versions and totals of every run, the newest first, and what changed. It does not change.
function drawRuns(page) {
  const { model } = page;
  const runs = model.runs.map((run, number) => runPart(model, run, number)).reverse();
  if (model.runs.length > 1) runs.push(changesPart(model));
  document.getElementById("runs").replaceChildren(...runs);
  const select = document.getElementById("adapter");
  const selectors = new Set(model.columns.map((column) => column.selector));
  for (const selector of selectors) select.append(element("option", { value: selector }, selector));
  select.parentElement.hidden = selectors.size < 2;
  if (model.runs.length > 1) {
    document.getElementById("group").append(element("option", { value: "change" }, "change"));
  }
}

function runPart(model, run, number) {
  const columns = model.columns.filter((column) => column.run === number);
  const { origin } = run;
  const facts = [];
  const fact = (name, value) => {
    if (value) facts.push(element("span", { class: "fact" }, ` ${name} `, element("b", {}, value)));
  };
  if (origin) {
    fact("", `interstage ${origin.command.join(" ")}`);
    fact("", origin.started.replace("T", " ").replace("Z", " UTC"));
    fact("commit", origin.commit?.slice(0, 12));
    fact("took", duration(origin.seconds));
  } else {
    fact("", run.label);
  }
  if (columns.length === 1) fact(columns[0].selector, adapterOf(columns[0]));
  fact("interstage", run.interstage);
  const title = model.runs.length > 1 ? element("strong", {}, `${shortLabels(model.runs.map((it) => it.label))[number]} `) : null;
  if (columns.length === 1) return element("div", { class: "run" }, title, totals(model, columns[0]), ...facts);
  const count = Math.max(0, ...columns.map((column) => column.case.length));
  const lines = columns.map((column) => element("div", { class: "run" },
    element("span", { class: "fact" }, element("b", {}, column.selector)), totals(model, column),
    element("span", { class: "fact" }, adapterOf(column))));
  return element("div", {}, element("div", { class: "run" }, title,
    element("span", { class: "totals" }, `${countOf(count, "case")} on ${columns.length} adapters`), ...facts), ...lines);
}

// `0 regressions, 2 fixes, …`: what changed from the first to the last run.
function changesPart(model) {
  const words = { Regression: "regression", Fix: "fixe", Change: "change" };
  const parts = CHANGES.map((change) => {
    const count = model.rows.filter((row) => row.change === change).length;
    const word = words[change] ? countOf(count, words[change]).replace(/fixe$/, "fix") : `${count} ${change.toLowerCase()}`;
    return element("b", { class: count ? changeTone(change) : "dim" }, `${word} `);
  });
  return element("div", { class: "run" }, element("span", { class: "totals" }, "changes: ", ...parts));
}

// The adapter's name and driver; its backend is in the selector.
function adapterOf(column) {
  return column.title.replace(/^\w+ · /, "");
}

// The results of a column, counted by class as at the end of a run in the terminal.
function totals(model, column) {
  const parts = model.classes.map((name, at) => [name, column.tally[at]])
    .filter(([name, count]) => count > 0 || ["passed", "failed", "skipped"].includes(name))
    .map(([name, count]) => element("b", { class: count ? CLASS_TONES[name] ?? "dim" : "dim" }, classText(name, count)));
  return element("span", { class: "totals" }, `${countOf(column.case.length, "case")}: `, ...parts);
}

// `3 passed`, `1 known failure`.
function classText(name, count) {
  return `${count} ${count === 1 && /s$/.test(name) ? name.slice(0, -1) : name} `;
}

function countOf(count, word) {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

function rank(model, status) {
  return model.classes.indexOf(status.class) + (status.isFailure ? -100 : 0);
}

function duration(seconds) {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return `${minutes} min ${Math.round(seconds - 60 * minutes)} s`;
}

// A chip for every status, with the number of its results in the newest run, and for every change, with the number of its
// cases. A click shows only that one; with Ctrl or Shift it is added or removed.
function drawChips(page) {
  const { model, choice } = page;
  const wanted = new Set(choice.status.split(",").filter(Boolean));
  const of = model.runs.length > 1 ? ` of ${shortLabels(model.runs.map((it) => it.label))[model.last]}` : "";
  const statuses = model.statuses.map((status, at) => ({ ...status, at }))
    .toSorted((left, right) => rank(model, left) - rank(model, right));
  const chips = statuses.map(({ name, at }) => element("button", { class: `chip ${toneOf(model, at)}`,
    "aria-pressed": String(wanted.has(name)), title: `results${of}; a click shows only these, with Ctrl or Shift these too`,
    onclick: (event) => chooseStatus(page, name, event) }, `${name} ${page.counts.get(name) ?? 0}`));
  const changes = model.runs.length < 2 ? [] : CHANGES.filter((change) => page.changes.has(change) || choice.change === change);
  const isOfSeveral = page.columns.filter((at) => model.columns[at].run === model.last).length > 1;
  const unit = isOfSeveral || of ? element("span", { class: "fact" }, `results${of}`) : null;
  const more = changes.map((change) => element("button", { class: `chip ${changeTone(change)}`,
    "aria-pressed": String(choice.change === change),
    onclick: () => narrow(page, { change: choice.change === change ? "" : change }) },
    `${change} ${page.changes.get(change) ?? 0}`));
  const host = document.getElementById("chips");
  const focused = [...host.children].indexOf(document.activeElement);
  host.replaceChildren(...[unit, ...chips, ...more].filter(Boolean));
  if (focused >= 0) host.children[focused]?.focus();
}

function chooseStatus(page, name, event) {
  const wanted = new Set(page.choice.status.split(",").filter(Boolean));
  if (event.ctrlKey || event.metaKey || event.shiftKey) {
    if (!wanted.delete(name)) wanted.add(name);
    narrow(page, { status: [...wanted].join(",") });
  } else {
    const isAlone = wanted.size === 1 && wanted.has(name);
    narrow(page, { status: isAlone ? "" : name });
  }
}
