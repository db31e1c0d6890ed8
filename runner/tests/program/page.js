// Operates the page as a person does, and writes its contents into `seen`.

seen.title = document.title;
seen.runs = $("#runs").textContent;
seen.first = shown();

chip("Fail").click();
seen.solo = [rows().length, location.hash];
chip("Pass").dispatchEvent(new MouseEvent("click", { ctrlKey: true, bubbles: true }));
seen.added = [rows().length, location.hash];
chip("Broken").click();
seen.alone = [rows().length, location.hash];
await go("");

await go("case=cases/alpha.shader_test");
seen.alpha = [$(".viewer select").value, $(".viewer .tools .bad").textContent, all("canvas").length];
$(".surface").focus();
await press("ArrowRight", $(".surface"));
seen.moved = [location.hash, $(".inspector .hint").textContent];
await go("case=cases/flat.shader_test");
seen.flat = [all(".swatch").map((it) => it.textContent), all("canvas").length];
await go("case=cases/near.shader_test&pixel=1,0");
seen.near = [$(".viewer .tools .bad").textContent, $(".inspector .hint").textContent];
await go("case=cases/wide.shader_test");
seen.wide = all(".viewer input[type=number]").map((it) => it.value);
await go("case=cases/broken.shader_test");
seen.broken = all(".line.at").map((it) => it.textContent);
seen.coloured = all(".code .t-section").length;
await go("case=cases/pass.shader_test");
seen.pass = [all(".slot .box").map((it) => it.textContent), new Set(all(".slot .box:not(.empty)").map((it) => it.getAttribute("style"))).size];

const length = history.length;
await press("k", $("#list"));
seen.before = [shown(), history.length - length];
history.back();
await pause();
await pause();
seen.back = shown();
await press("g", $("#list"));
seen.grouped = [location.hash, all(".row.group").map((it) => it.textContent)];
await press("/", $("#list"));
seen.searching = document.activeElement.id;
await press("Escape");
seen.left = document.activeElement.id;
await press("?", $("#list"));
seen.help = $("#help").open;
$("#help").close();
seen.reachable = [...new Set(all("[tabindex='0']").map((it) => it.className.split(" ")[0] || it.id))];

// Contrast of all text with its background.
const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
const behind = (it) => {
  for (; it; it = it.parentElement) {
    const colour = getComputedStyle(it).backgroundColor;
    if (/^rgb\(/.test(colour)) return channels(colour);
  }
  return channels(getComputedStyle(document.body).backgroundColor);
};
const light = (colour) => {
  const [r, g, b] = colour.map((it) => it / 255).map((it) => (it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
seen.contrast = { ratio: 99 };
const look = () => {
  for (const it of all("body *")) {
    const isText = [...it.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!isText || !it.checkVisibility() || it.closest("script, style, .slot .box")) continue;
    const [a, b] = [channels(getComputedStyle(it).color), behind(it)].map(light).sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < seen.contrast.ratio) seen.contrast = { ratio, what: `${it.className} ${it.textContent.slice(0, 40)}` };
  }
};
for (const name of ["broken", "alpha", "flat", "pass"]) {
  await go(`case=cases/${name}.shader_test`);
  look();
}
seen.boxes = all(".slot .box:not(.empty)").map((it) => getComputedStyle(it)).map((style) => {
  const [a, b] = [style.color, style.backgroundColor].map(channels).map(light).sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
});
seen.overflow = document.documentElement.scrollWidth - innerWidth;
seen.width = innerWidth;
