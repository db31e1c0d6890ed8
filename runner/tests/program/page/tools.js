// What scripts that operate the page have in common. They write what they see into `seen`.

const seen = {};
window.seen = seen;
const $ = (selector) => document.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];
const pause = () => new Promise((resolve) => setTimeout(resolve, 60));
const press = async (key, target = document.activeElement) => {
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  await pause();
};
const go = async (hash) => {
  location.hash = hash;
  await pause();
};
const shown = () => $("#detail h2")?.textContent;
const chip = (name) => all("#chips button").find((it) => it.textContent.startsWith(`${name} `));
const rows = () => all(".row.case").map((it) => it.textContent);
const tell = (value) => top.postMessage(`BEGIN${JSON.stringify(value)}END`, "*");
while (!document.body.dataset.state) await pause();
