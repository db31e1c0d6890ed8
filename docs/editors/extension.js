// Starts the language server `interstage lsp` for case files and scripts, and again when a setting changes.
"use strict";

const vscode = require("vscode");

let client;

/** The documents that the server reads. WGSL files may belong to another server. */
const DOCUMENTS = [
  { scheme: "file", language: "shader-test" },
  { scheme: "file", pattern: "**/*.{amber,vkscript,vk_shader_test}" },
];

/** A run reads the saved file, so the document is saved before. */
async function saved(command, args, next) {
  const file = command === "interstage.run" ? String(args[0]).split(".shader_test#")[0] : undefined;
  const isMeant = (document) => [file, `${file}.shader_test`].includes(document.fileName);
  await vscode.workspace.textDocuments.find((document) => document.isDirty && isMeant(document))?.save();
  return next(command, args);
}

async function start() {
  let node;
  try {
    node = require("vscode-languageclient/node");
  } catch {
    const where = __dirname;
    vscode.window.showWarningMessage(`interstage: run \`npm install\` in ${where} for the language server.`);
    return;
  }
  const settings = vscode.workspace.getConfiguration("interstage");
  const command = settings.get("path") || "interstage";
  const adapter = settings.get("adapter");
  const args = adapter ? ["lsp", "--adapter", adapter] : ["lsp"];
  const options = { documentSelector: DOCUMENTS, middleware: { executeCommand: saved } };
  client = new node.LanguageClient("interstage", "interstage", { command, args }, options);
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `interstage: \`${command} lsp\` does not start (${error.message ?? error}). Set interstage.path.`,
    );
  }
}

async function stop() {
  const old = client;
  client = undefined;
  // A client that did not start cannot be stopped.
  await old?.stop().catch(() => {});
}

async function activate(context) {
  const changed = async (event) => {
    if (event.affectsConfiguration("interstage")) {
      await stop();
      await start();
    }
  };
  context.subscriptions.push(vscode.workspace.onDidChangeConfiguration(changed));
  await start();
}

module.exports = { activate, deactivate: stop };
