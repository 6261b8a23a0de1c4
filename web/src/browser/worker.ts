// The simulation of a page without a server: it runs here, beside the page, and speaks the viewer's messages with it.
import { Files, loadModule, Module, openScene, withText, writeFiles } from "./module";

export interface Opening {
  open: string; // path of the scene among the files
  files: Files;
}

// Steps are made for at most so long before the page is listened to again, ms.
const LONGEST_TURN = 12;
const LONGEST_PAUSE = 300; // ms: a page in the background draws nothing and may never say that it has

let module: Module;
let page = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let queued = false; // a turn at once is on its way
let pausedUntil = 0; // the page draws
const channel = new MessageChannel(); // a turn at once: timers wait for 4 ms

const scope = self as unknown as { postMessage(message: unknown, transfer?: Transferable[]): void; onmessage: ((event: MessageEvent) => void) | null };

function deliver(): void {
  for (let kind: number; (kind = module._cps_page_next(page)) >= 0; ) {
    const at = module._cps_page_bytes(page);
    const bytes = module.HEAPU8.slice(at, at + module._cps_page_size(page));
    if (kind === 1) scope.postMessage(bytes.buffer, [bytes.buffer]);
    else told(new TextDecoder().decode(bytes));
  }
  const why = module.UTF8ToString(module._cps_page_closed(page));
  if (why) scope.postMessage({ closed: why });
}

// Saved files are in the memory of this thread, so they go with the message.
function told(text: string): void {
  const message = JSON.parse(text) as { type: string; path?: string };
  if (message.type !== "saved" || !message.path) return scope.postMessage(text);
  const files: Files = {};
  for (const path of [message.path, message.path.replace(/\.yaml$/, ".state")]) files[path.slice(path.lastIndexOf("/") + 1)] = module.FS.readFile(path);
  scope.postMessage({ text, files });
}

function turn(): void {
  clearTimeout(timer);
  const now = performance.now();
  if (now < pausedUntil) {
    timer = setTimeout(turn, pausedUntil - now);
    return;
  }
  const until = now + LONGEST_TURN;
  let left = 0;
  while (left === 0 && performance.now() < until) left = module._cps_page_turn(page);
  deliver();
  if (left > 0) timer = setTimeout(turn, 1000 * left);
  if (left !== 0 || queued) return;
  queued = true; // one only: messages from the page make turns too
  channel.port2.postMessage(0);
}
channel.port1.onmessage = () => {
  queued = false;
  turn();
};

scope.onmessage = async (event: MessageEvent<string | Opening | { pause: boolean }>): Promise<void> => {
  if (typeof event.data !== "string" && "pause" in event.data) {
    pausedUntil = event.data.pause ? performance.now() + LONGEST_PAUSE : 0;
    if (page) turn();
    return;
  }
  if (typeof event.data !== "string") {
    try {
      module = await loadModule();
      writeFiles(module, "/scenes", event.data.files);
      page = openScene(module, `/scenes/${event.data.open}`, (path, text, size) => module._cps_page_open(path, text, size));
      turn();
    } catch (error) {
      scope.postMessage({ closed: (error as Error).message });
    }
    return;
  }
  if (!page) return;
  withText(module, event.data, (at, length) => module._cps_page_receive(page, at, length));
  turn();
};
