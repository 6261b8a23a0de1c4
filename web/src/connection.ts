// The one WebSocket of the page. It never reconnects by itself: a result that was closed, or a simulation that ended,
// is another one the next time; the page says what happened and offers to load itself again.
import { Binary, TextMessage, readBinary } from "./protocol";

export interface Listener {
  text(message: TextMessage): void;
  binary(message: Binary): void;
  closed(sentence: string): void;
}

// The other side: a server, or (web/src/browser) the page itself.
export interface Link {
  send(message: { type: string; [key: string]: unknown }): void;
  pause?(on: boolean): void; // of a simulation on the processor that draws
}

export class Connection implements Link {
  private readonly socket: WebSocket;
  private open = false;
  private readonly waiting: string[] = [];
  private leaving = false;

  constructor(listener: Listener) {
    const url = new URL("/ws", location.href);
    url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    const token = new URLSearchParams(location.search).get("token");
    if (token) url.searchParams.set("token", token);
    this.socket = new WebSocket(url, "capstan-1");
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => {
      this.open = true;
      for (const text of this.waiting.splice(0)) this.socket.send(text);
    };
    this.socket.onmessage = (event) => {
      if (typeof event.data === "string") listener.text(JSON.parse(event.data) as TextMessage);
      else listener.binary(readBinary(event.data as ArrayBuffer));
    };
    this.socket.onclose = (event) => {
      if (this.leaving) return;
      const was = this.open;
      this.open = false;
      listener.closed(closeSentence(was, event));
    };
    // a reload of the page is not a lost connection
    window.addEventListener("pagehide", () => (this.leaving = true));
  }

  send(message: { type: string; [key: string]: unknown }): void {
    const text = JSON.stringify(message);
    // a server that ends begins to close before `onclose` is called: messages sent then are lost
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(text);
    else if (this.socket.readyState === WebSocket.CONNECTING) this.waiting.push(text);
  }
}

function closeSentence(was: boolean, event: CloseEvent): string {
  if (event.reason) return "Capstan closed the connection: " + event.reason;
  if (!was) return "Capstan does not answer; is the command still running?";
  return "The connection to Capstan is lost; the command has probably ended.";
}
