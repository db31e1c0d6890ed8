// Looks at a page of two runs.

const texts = (selector) => all(selector).map((it) => it.textContent);

seen.first = [shown(), $(".columns .chosen th").textContent];
seen.group = $("#group").value;
seen.groups = texts(".row.group .name");
seen.heads = texts("#heads .cell");
seen.runs = texts("#runs .totals");
seen.missing = $(".viewer .hint").textContent;
seen.slow = texts(".row .time.warn");
seen.chips = texts("#chips *");
await go("case=cases/worse.shader_test");
seen.images = texts(".viewer figcaption");
seen.values = texts(".numbers").map((it) => it.split("g")[0]);
await press("o", $("#list"));
seen.overview = texts("#detail h3");
seen.totals = texts("#detail table.totals tr");
seen.slowest = texts("#detail table.slowest tr").slice(0, 3);
seen.address = location.hash;
$("#detail table.changes button").click();
await pause();
seen.chosen = shown();
