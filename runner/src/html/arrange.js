// The listed cases, their groups and their order.

// Rebuilds `page.lines`: the selected cases, in groups, with failed cases first.
function arrange(page) {
  const { model, choice } = page;
  const isWanted = matcher(choice.filter);
  const statuses = new Set(choice.status.split(",").filter(Boolean));
  const groups = new Map();
  page.counts = new Map();
  page.changes = new Map();
  page.columns = shownColumns(page);
  for (const row of model.rows) {
    if (!isWanted(row.text)) continue;
    const names = statusNames(page, row);
    if (!names.length) continue;
    for (const name of names) page.counts.set(name, (page.counts.get(name) ?? 0) + 1);
    page.changes.set(row.change, (page.changes.get(row.change) ?? 0) + 1);
    if (choice.change && row.change !== choice.change) continue;
    if (statuses.size && !names.some((name) => statuses.has(name))) continue;
    addToGroup(page, groups, row, statuses);
  }
  page.lines = linesOf(page, [...groups.values()]);
}

// The different statuses of a case in the displayed columns.
function statusNames(page, row) {
  const names = [];
  for (const at of page.columns) {
    const name = row.cells[at] && statusOf(page.model, row.cells[at]);
    if (name && !names.includes(name)) names.push(name);
  }
  return names;
}

// The columns of the chosen adapter; all if none is chosen.
function shownColumns(page) {
  const all = page.model.columns.map((column, at) => at);
  const chosen = all.filter((at) => page.model.columns[at].selector === page.choice.adapter);
  return chosen.length ? chosen : all;
}

function addToGroup(page, groups, row, statuses) {
  const isWanted = (at) => row.cells[at] && statuses.has(statusOf(page.model, row.cells[at]));
  const wanted = statuses.size ? page.columns.filter(isWanted) : page.columns;
  const at = mainColumn(page.model, row, wanted);
  const key = groupOf(page, row, row.cells[at]);
  const group = groups.get(key) ?? { key, members: [], failures: 0 };
  const isBad = isFailure(page.model, row.cells[at]);
  group.members.push({ row, at, isBad });
  group.failures += isBad ? 1 : 0;
  groups.set(key, group);
}

function groupOf(page, row, cell) {
  const { model, choice } = page;
  if (choice.group === "status") return statusOf(model, cell);
  if (choice.group === "change") return row.change ?? "no change";
  if (choice.group === "reason") return groupOfReason(model, cell) || "no reason";
  if (choice.group === "folder") return row.name.split("#")[0].split("/").slice(0, -1).join("/") || ".";
  return "";
}

function linesOf(page, groups) {
  const isCounted = page.choice.group === "reason", isOfChanges = page.choice.group === "change";
  const place = (group) => (isOfChanges ? [...CHANGES, "no change"].indexOf(group.key) : 0);
  const bySize = (left, right) => (isCounted ? right.members.length - left.members.length : 0);
  groups.sort((left, right) => place(left) - place(right) || (right.failures > 0) - (left.failures > 0) || bySize(left, right)
    || (left.key < right.key ? -1 : 1));
  const lines = [];
  for (const group of groups) {
    if (page.choice.group) lines.push({ group });
    if (!isOpen(page, group)) continue;
    for (const wanted of [true, false]) {
      for (const { row, at, isBad } of group.members) if (isBad === wanted) lines.push({ row, at });
    }
  }
  return lines;
}

function isOpen(page, group) {
  const { choice } = page;
  const isOpenAtFirst = group.failures > 0 || Boolean(choice.filter || choice.status || choice.change || !choice.group);
  return page.toggled.has(group.key) ? !isOpenAtFirst : isOpenAtFirst;
}

// A test for the search text: every word must occur, or `/…/` must match.
function matcher(query) {
  const pattern = /^\/(.+)\/$/.exec(query);
  if (pattern) {
    try {
      const wanted = new RegExp(pattern[1], "i");
      return (text) => wanted.test(text);
    } catch {
      return () => false;
    }
  }
  const words = query.toLowerCase().split(" ").filter(Boolean);
  return (text) => words.every((word) => text.includes(word));
}
