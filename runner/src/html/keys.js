// The keyboard.

const GROUPS = ["folder", "reason", "status", "change", ""];

const HELP = [
  ["j k ↓ ↑", "next and previous case"], ["n p", "next and previous failed case"],
  ["Home End", "first and last case"], ["Enter", "from the list into the case; opens a group"],
  ["/", "search; Escape leaves it"], ["g", "group by the next thing"], ["o", "overview: totals, changes, slowest cases"],
  ["Tab", "chips, groups, divider, images"], ["← → ↑ ↓", "on an image: the pixel beside; with Shift: eight further"],
  ["← →", "on the divider: its place"], ["Escape", "back to the list"], ["?", "this help"],
];

function showHelp() {
  const rows = HELP.map(([keys, what]) => element("tr", {}, element("th", {}, keys), element("td", {}, what)));
  const sheet = document.getElementById("help");
  sheet.replaceChildren(element("h2", {}, "Keys"), element("table", {}, ...rows),
    element("form", { method: "dialog" }, element("button", { autofocus: true }, "close")));
  if (!sheet.open) sheet.showModal();
}

// Actions of single keys, in the list and elsewhere.
const ACTIONS = {
  j: (page) => move(page, 1), ArrowDown: (page) => move(page, 1),
  k: (page) => move(page, -1), ArrowUp: (page) => move(page, -1),
  n: (page) => move(page, 1, true), p: (page) => move(page, -1, true),
  Home: (page) => moveTo(page, 0, 1), End: (page) => moveTo(page, page.lines.length - 1, -1),
  "/": () => document.getElementById("search").focus(),
  g: (page) => {
    const groups = GROUPS.filter((group) => group !== "change" || page.model.runs.length > 1);
    const next = groups[(groups.indexOf(page.choice.group) + 1) % groups.length];
    narrow(page, { group: next });
  },
  o: (page) => chooseOverview(page),
  "?": () => showHelp(),
  Enter: () => {
    showPane("case");
    document.getElementById("detail").focus();
  },
  Escape: () => backToList(),
};

function backToList() {
  showPane("list");
  document.getElementById("list").focus();
}

function onKey(page, event) {
  const { target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || document.getElementById("help").open) return;
  if (target.matches("input, select, textarea")) {
    if (target.id === "search" && (event.key === "Escape" || event.key === "Enter")) {
      document.getElementById("list").focus();
      if (event.key === "Enter") moveTo(page, 0, 1);
      event.preventDefault();
    }
    return;
  }
  if (onGroupKey(page, event) || target.closest(".surface, #divider")) return;
  const isPressable = target.matches("button, summary, a, [role=button]");
  const isRead = target.closest("#detail") && ["ArrowDown", "ArrowUp", "Home", "End"].includes(event.key);
  const action = ACTIONS[event.key];
  if (!action || isRead || (isPressable && event.key === "Enter")) return;
  action(page);
  event.preventDefault();
}

// Enter and Space open and close a group.
function onGroupKey(page, event) {
  const group = event.target.closest?.(".row.group");
  if (!group || !["Enter", " "].includes(event.key)) return false;
  const line = page.lines[Number(group.id.slice(4))];
  if (line?.group) toggleGroup(page, line.group);
  event.preventDefault();
  return true;
}

function move(page, step, isOnlyFailures = false) {
  const focused = document.activeElement?.closest?.(".row.group");
  const chosen = page.lines.findIndex((line) => line.row?.name === page.choice.case);
  const from = focused ? Number(focused.id.slice(4)) : chosen;
  if (focused) document.getElementById("list").focus();
  moveTo(page, from + step, step, isOnlyFailures);
}

// Chooses the first case from line `at` on, in the direction of `step`.
function moveTo(page, at, step, isOnlyFailures = false) {
  const isWanted = (line) => line.row && (!isOnlyFailures || isFailure(page.model, line.row.cells[line.at]));
  while (page.lines[at] && !isWanted(page.lines[at])) at += step;
  if (page.lines[at]) choose(page, page.lines[at].row, page.lines[at].at, { isStep: true });
}

// The divider moves with the pointer and with the arrow keys.
function listenToDivider() {
  const divider = document.getElementById("divider");
  let share = 42;
  const set = (percent) => {
    share = Math.max(15, Math.min(80, percent));
    document.body.style.setProperty("--list-width", `${share}%`);
    divider.setAttribute("aria-valuenow", Math.round(share));
  };
  divider.addEventListener("pointerdown", (event) => {
    divider.setPointerCapture(event.pointerId);
    divider.onpointermove = (moved) => set((100 * moved.clientX) / innerWidth);
    divider.onpointerup = () => { divider.onpointermove = null; };
  });
  divider.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
    if (step) set(share + step);
  });
  set(share);
}
