// Puts the page together. Its state is in the address: `#case=NAME&adapter=0&pixel=3,4&q=text&group=status`.

function refresh(page) {
  arrange(page);
  drawChips(page);
  drawRows(page);
}

// Chooses a case: shows it, and names it in the address.
async function choose(page, index, pixel) {
  page.selected = index;
  reveal(page);
  drawRows(page);
  writeAddress(page);
  await showDetail(page, index, pixel);
}

function drawChips(page) {
  const chips = page.data.statuses.map((status, index) => {
    const isShown = !page.hidden.has(index);
    const toggle = () => {
      if (!page.hidden.delete(index)) page.hidden.add(index);
      refresh(page);
    };
    return element("button", { class: tone(status.name), "aria-pressed": String(isShown), onclick: toggle },
      `${status.name} ${page.counts[index]}`);
  });
  document.getElementById("chips").replaceChildren(...chips);
}

function writeAddress(page) {
  const { cases } = page.data;
  const state = new URLSearchParams();
  if (page.selected !== null) {
    state.set("case", cases.name[page.selected]);
    state.set("adapter", cases.adapter[page.selected]);
  }
  if (page.query) state.set("q", page.query);
  if (page.group !== "folder") state.set("group", page.group);
  history.replaceState(null, "", `#${state}`);
}

// What the address names; else the first case that went wrong.
function startCase(page, address) {
  const { cases, statuses } = page.data;
  const wanted = address.get("case"), adapter = Number(address.get("adapter") ?? 0);
  const named = cases.name.findIndex((name, index) => name === wanted && cases.adapter[index] === adapter);
  if (named >= 0) return named;
  const failed = page.lines.find((line) => line.index !== undefined && statuses[cases.status[line.index]].isFailure);
  return failed ? failed.index : null;
}

function listen(page) {
  const by = (id) => document.getElementById(id);
  const change = (name, id) => by(id).addEventListener("input", (event) => {
    page[name] = event.target.value;
    page.toggled.clear();
    by("list").scrollTop = 0;
    refresh(page);
    writeAddress(page);
  });
  change("query", "search");
  change("adapter", "adapter");
  change("group", "group");
  by("list").addEventListener("scroll", () => requestAnimationFrame(() => drawRows(page)), { passive: true });
  new ResizeObserver(() => drawRows(page)).observe(by("list"));
  document.addEventListener("keydown", (event) => onKey(page, event));
  by("divider").addEventListener("pointerdown", (event) => {
    by("divider").setPointerCapture(event.pointerId);
    by("divider").onpointermove = (move) => {
      document.body.style.setProperty("--list-width", `${(100 * move.clientX) / innerWidth}%`);
    };
    by("divider").onpointerup = () => { by("divider").onpointermove = null; };
  });
}

function onKey(page, event) {
  if (event.target.matches("input, select")) return;
  if (event.key === "/") {
    document.getElementById("search").focus();
    event.preventDefault();
    return;
  }
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  if (!step || event.ctrlKey || event.metaKey) return;
  let at = page.lines.findIndex((line) => line.index === page.selected);
  do at += step; while (page.lines[at]?.group);
  if (page.lines[at]) choose(page, page.lines[at].index);
  event.preventDefault();
}

async function start() {
  const data = await unpackJson(document.getElementById("index").textContent);
  const address = new URLSearchParams(location.hash.slice(1));
  const { cases, reasons, adapters } = data;
  const texts = cases.name.map((name, index) => `${name}\n${reasons[cases.reason[index]] ?? ""}`.toLowerCase());
  const page = { data, texts, lines: [], counts: [], hidden: new Set(), toggled: new Set(), selected: null,
    query: address.get("q") ?? "", adapter: "", group: address.get("group") ?? "folder" };
  document.getElementById("search").value = page.query;
  document.getElementById("group").value = page.group;
  adapters.forEach((adapter, index) => {
    document.getElementById("adapter").append(element("option", { value: index }, adapter.title));
  });
  refresh(page);
  listen(page);
  document.body.dataset.readyAfter = performance.now().toFixed(0);
  // The details come after this script, and the page is drawn before them.
  if (document.readyState === "loading") {
    await new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve));
  }
  const index = startCase(page, address);
  const pixel = address.get("pixel")?.split(",").map(Number);
  if (index === null) {
    document.getElementById("detail").replaceChildren(element("p", { class: "hint" }, "Nothing went wrong. Choose a case."));
  } else {
    await choose(page, index, pixel);
  }
  document.body.dataset.state = "ready";
}

start().catch((error) => {
  document.getElementById("detail").replaceChildren(element("pre", { class: "bad" }, `this page is damaged: ${error}`));
  document.body.dataset.state = "damaged";
});
