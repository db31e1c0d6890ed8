// The address contains all choices:
// `#case=NAME&column=RUN ADAPTER&pixel=3,4&filter=TEXT&status=Fail,Crash&change=Fix&adapter=gl:0&group=reason&view=overview`.

// The choices that an empty address stands for. A page of several runs begins with what changed.
function firstChoice(model) {
  return { case: null, column: null, pixel: null, filter: "", status: "", change: "", adapter: "",
    group: model.runs.length > 1 ? "change" : "folder", view: "" };
}

// Reads the choices from the address. Older pages called the filter `q`.
function readAddress(model) {
  const address = new URLSearchParams(location.hash.slice(1));
  const first = firstChoice(model);
  const text = (name) => address.get(name) ?? first[name];
  const numbers = address.get("pixel")?.split(",").map(Number);
  const isPixel = numbers?.length === 2 && numbers.every(Number.isInteger);
  return { case: text("case"), column: text("column"), pixel: isPixel ? numbers : null,
    filter: address.get("filter") ?? address.get("q") ?? "", status: text("status"), change: text("change"),
    adapter: text("adapter"), group: text("group"), view: text("view") };
}

// The address of these choices; defaults are left out.
function addressOf(choice, model) {
  const address = new URLSearchParams();
  for (const [name, first] of Object.entries(firstChoice(model))) {
    const value = choice[name];
    if (value !== first && value !== null) address.set(name, Array.isArray(value) ? value.join(",") : value);
  }
  return `#${address}`.replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%3A", ":");
}

// Writes the choices into the address. Back undoes the choice of another case, but not smaller changes.
function writeAddress(page, isStep) {
  const address = addressOf(page.choice, page.model);
  if (address === location.hash) return;
  history[isStep ? "pushState" : "replaceState"](null, "", address);
}
