// The head of the page: the runs, their results, and the filters of the list.

// Command, time, commit, versions and totals of every run. It does not change.
function drawRuns(page) {
  const { model } = page;
  const runs = model.runs.map((run, number) => runPart(model, run, number));
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
    if (value) facts.push(element("span", { class: "fact" }, `${name} `, element("b", {}, value)));
  };
  if (origin) {
    fact("", `interstage ${origin.command.join(" ")}`);
    fact("", origin.started.replace("T", " ").replace("Z", " UTC"));
    fact("commit", origin.commit?.slice(0, 12));
    fact("took", duration(origin.seconds));
  } else {
    fact("", run.label);
  }
  for (const column of columns) fact(column.selector, column.title.replace(/^\w+ · /, ""));
  fact("interstage", run.interstage);
  const title = model.runs.length > 1 ? element("strong", {}, `${shortLabels(model.runs.map((it) => it.label))[number]} `) : null;
  return element("p", { class: "run" }, title, totals(model, columns), ...facts);
}

function totals(model, columns) {
  const counts = new Map();
  for (const column of columns) {
    for (const status of column.status) counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const order = [...counts].sort(([left], [right]) => rank(model.statuses[left]) - rank(model.statuses[right]));
  const parts = order.map(([status, count]) => element("b", { class: tone(model.statuses[status].name) },
    `${count} ${model.statuses[status].name} `));
  return element("span", { class: "totals" }, ...parts);
}

function rank(status) {
  return status.isFailure ? 0 : { good: 1, warn: 2 }[tone(status.name)] ?? 3;
}

function duration(seconds) {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return `${minutes} min ${Math.round(seconds - 60 * minutes)} s`;
}

// A chip for every status and every change. A click shows only that one; with Ctrl or Shift it is added or removed.
function drawChips(page) {
  const { model, choice } = page;
  const wanted = new Set(choice.status.split(",").filter(Boolean));
  const names = model.statuses.toSorted((left, right) => rank(left) - rank(right)).map((status) => status.name);
  const chips = names.map((name) => element("button", { class: `chip ${tone(name)}`,
    "aria-pressed": String(wanted.has(name)), title: "only these; with Ctrl or Shift: these too",
    onclick: (event) => chooseStatus(page, name, event) }, `${name} ${page.counts.get(name) ?? 0}`));
  const changes = model.runs.length < 2 ? [] : CHANGES.filter((change) => page.changes.has(change) || choice.change === change);
  const more = changes.map((change) => element("button", { class: `chip ${changeTone(change)}`,
    "aria-pressed": String(choice.change === change),
    onclick: () => narrow(page, { change: choice.change === change ? "" : change }) },
    `${change} ${page.changes.get(change) ?? 0}`));
  const host = document.getElementById("chips");
  const focused = [...host.children].indexOf(document.activeElement);
  host.replaceChildren(...chips, ...more);
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
