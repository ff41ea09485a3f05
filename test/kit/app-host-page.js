/** What runs in the page of a test's own MCP Apps host: the package's bridge to the App in a sandboxed frame of another origin. */
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

async function ask(path, body) {
  const response = await fetch(path, { method: "POST", body: JSON.stringify(body) });
  return await response.json();
}

async function main() {
  const settings = await ask("/settings", {});
  const frame = document.createElement("iframe");
  frame.title = "App";
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin");
  const log = [];
  const bridge = new AppBridge(null, { name: "test-host", version: "1" }, settings.capabilities, {
    hostContext: settings.context,
  });
  bridge.oncalltool = async (params) => {
    log.push({ call: params.name, args: params.arguments });
    return await ask("/call", params);
  };
  bridge.onopenlink = async ({ url }) => {
    log.push({ link: url });
    return url.startsWith("https:") ? {} : { isError: true };
  };
  bridge.onupdatemodelcontext = async ({ content }) => {
    log.push({ told: content });
    return {};
  };
  bridge.onrequestdisplaymode = async ({ mode }) => {
    frame.classList.toggle("full", mode === "fullscreen");
    return { mode };
  };
  bridge.onsizechange = ({ height }) => {
    if (height !== undefined) frame.style.height = `${height}px`;
  };
  bridge.oninitialized = () => log.push({ initialized: true });
  /** All that the App sends, as it is sent; the proxy speaks for itself before. */
  const messages = [];
  addEventListener("message", ({ source, data }) => {
    if (source === frame.contentWindow && data.method !== "ui/notifications/sandbox-proxy-ready") messages.push(data);
  });
  Object.assign(window, { bridge, log, messages });
  document.body.append(frame);
  // The proxy of the other origin says when it is there; its frame carries the App.
  const ready = new Promise((resolve) => {
    addEventListener("message", ({ data }) => {
      if (data.method === "ui/notifications/sandbox-proxy-ready") resolve();
    });
  });
  frame.src = settings.app;
  await ready;
  if (frame.contentWindow === null) throw new Error("the frame is gone");
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.contentWindow.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-resource-ready" }, "*");
}

void main();
