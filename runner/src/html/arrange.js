// The listed cases, their groups and their order.

// Rebuilds `page.lines`: the selected cases, in groups, with failed cases first. `page.counts` has the results of each
// status: those of the newest run in the displayed columns.
function arrange(page) {
  const { model, choice } = page;
  const isWanted = matcher(choice.filter);
  const statuses = new Set(choice.status.split(",").filter(Boolean));
  const groups = new Map();
  page.counts = new Map();
  page.changes = new Map();
  page.cases = 0;
  page.columns = shownColumns(page);
  const newest = page.columns.filter((at) => model.columns[at].run === model.last);
  for (const row of model.rows) {
    if (!isWanted(row.text) || !page.columns.some((at) => row.cells[at])) continue;
    const names = newest.filter((at) => row.cells[at]).map((at) => statusOf(model, row.cells[at]));
    for (const name of names) page.counts.set(name, (page.counts.get(name) ?? 0) + 1);
    page.changes.set(row.change, (page.changes.get(row.change) ?? 0) + 1);
    if (choice.change && row.change !== choice.change) continue;
    if (statuses.size && !names.some((name) => statuses.has(name))) continue;
    page.cases++;
    addToGroup(page, groups, row, statuses);
  }
  page.groups = sortedGroups(page, [...groups.values()]);
  page.lines = linesOf(page);
}

// The columns of the chosen adapter, those of the newest run first; all if none is chosen.
function shownColumns(page) {
  const { columns } = page.model;
  const all = columns.map((_, at) => at).sort((left, right) => columns[right].run - columns[left].run || left - right);
  const chosen = all.filter((at) => columns[at].selector === page.choice.adapter);
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
  if (choice.group === "change") return row.change ?? NO_CHANGE;
  if (choice.group === "reason") return groupOfReason(model, cell) || "no reason";
  if (choice.group === "folder") return row.name.split("#")[0].split("/").slice(0, -1).join("/") || ".";
  return "";
}

function sortedGroups(page, groups) {
  const isCounted = page.choice.group === "reason", isOfChanges = page.choice.group === "change";
  const place = (group) => (isOfChanges ? [...CHANGES, NO_CHANGE].indexOf(group.key) : 0);
  const bySize = (left, right) => (isCounted ? right.members.length - left.members.length : 0);
  return groups.sort((left, right) => place(left) - place(right) || (right.failures > 0) - (left.failures > 0)
    || bySize(left, right) || (left.key < right.key ? -1 : 1));
}

function linesOf(page) {
  const lines = [];
  for (const group of page.groups) {
    if (page.choice.group) lines.push({ group });
    if (!isOpen(page, group)) continue;
    for (const wanted of [true, false]) {
      for (const { row, at, isBad } of group.members) if (isBad === wanted) lines.push({ row, at });
    }
  }
  return lines;
}

function isOpen(page, group) {
  return page.toggled.has(group.key) ? !isOpenAtFirst(page, group) : isOpenAtFirst(page, group);
}

function isOpenAtFirst({ choice }, group) {
  if (choice.filter || choice.status || choice.change || !choice.group) return true;
  return choice.group === "change" ? group.key !== NO_CHANGE : group.failures > 0;
}

// Opens the group of a case, if the case is among the selected ones.
function openGroupOf(page, row) {
  const group = page.groups.find((it) => it.members.some((member) => member.row === row));
  if (!group || isOpen(page, group)) return;
  toggle(page, group);
}

// Opens or closes a group.
function toggle(page, group) {
  if (!page.toggled.delete(group.key)) page.toggled.add(group.key);
  page.lines = linesOf(page);
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
