// Data in the page: text that was deflated and base64-encoded.

// Unpacks such a text to bytes.
async function unpack(text) {
  const binary = atob(text.trim());
  const deflated = Uint8Array.from(binary, (char) => char.charCodeAt(0));
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Packs bytes to such a text.
async function pack(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const deflated = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (let at = 0; at < deflated.length; at += 4096) binary += String.fromCharCode(...deflated.subarray(at, at + 4096));
  return btoa(binary);
}

async function unpackJson(text) {
  return JSON.parse(new TextDecoder().decode(await unpack(text)));
}

// Creates an element with this tag, attributes and children. Text never becomes markup.
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false && value !== undefined) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}
