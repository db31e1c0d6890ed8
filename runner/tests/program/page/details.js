// Looks at the details of cases, one after the other.

const open = (name) => go(`case=cases/${name}.shader_test`);
const texts = (selector) => all(selector).map((it) => it.textContent);

await open("chain");
seen.chain = [texts(".interface > h4"), texts(".slot .box")];
await open("compute");
seen.compute = texts("#detail summary");

await open("far");
const code = $("pre.code"), line = $(".line.at"), box = code.getBoundingClientRect(), at = line.getBoundingClientRect();
seen.far = [at.top >= box.top && at.bottom <= box.bottom, line.textContent];
seen.reason = $("#detail").textContent.split("expected  1").length - 1;
seen.why = $(".row.selected .why").textContent;

await open("vector");
seen.vector = texts(".values tr");
await open("buffer");
seen.buffers = all("#detail details").filter((it) => it.textContent.startsWith("storage")).map((it) =>
  [it.querySelector("summary").textContent, it.open]);
const lines = all(".words tr");
seen.heads = [...lines[0].children].map((it) => it.textContent);
seen.words = [...lines[2].children].map((it) => it.textContent);

// The left pixel is probed, the right one is not.
await go("case=cases/probed.shader_test&pixel=1,0");
const canvas = $(".images canvas"), context = canvas.getContext("2d"), half = canvas.width / 2;
const colours = (from) => new Set(Array.from({ length: half }, (_, x) => context.getImageData(from + x, 5, 1, 1).data.join()));
seen.hatched = [half > 8, colours(half).size === 2, colours(0).size > 1];
seen.caption = $(".images figcaption").textContent;
seen.pixel = all(".pixel tr").slice(1).map((it) => it.children[1].textContent);

// A link to a case in a group that is closed at first.
await go("case=cases/quiet/pass.shader_test");
seen.opened = [$(".row.selected .name")?.textContent, $(".row.selected").getBoundingClientRect().bottom <= innerHeight];
seen.passed = [texts(".interface > h4"), texts(".slot .box"), texts("pre.code .line")];

await open("probed");
const saved = await new Promise((resolve) => {
  URL.createObjectURL = (blob) => { resolve(blob.text()); return "#"; };
  $("button.save").click();
});
seen.saved = saved;
