// The conversation with a simulation in this very page, in a thread beside it.
import workerSource from "capstan-worker";
import type { Link, Listener } from "../connection";
import { readBinary, TextMessage } from "../protocol";
import type { Files } from "./module";
import type { Opening } from "./worker";

type Reply = string | ArrayBuffer | { closed: string } | { text: string; files: Files };

export class LocalLink implements Link {
  private readonly worker: Worker;

  constructor(listener: Listener, opening: Opening) {
    // from a text and not from an address: a page that was opened from disk may not start one otherwise
    const url = URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" }));
    this.worker = new Worker(url);
    URL.revokeObjectURL(url);
    this.worker.onmessage = (event: MessageEvent<Reply>) => {
      const reply = event.data;
      if (typeof reply === "string") listener.text(JSON.parse(reply) as TextMessage);
      else if (reply instanceof ArrayBuffer) listener.binary(readBinary(reply));
      else if ("closed" in reply) listener.closed(reply.closed);
      else {
        for (const [name, bytes] of Object.entries(reply.files)) download(name, bytes);
        listener.text(JSON.parse(reply.text) as TextMessage);
      }
    };
    this.worker.onerror = (event) => listener.closed(event.message);
    this.worker.postMessage(opening);
  }

  send(message: { type: string; [key: string]: unknown }): void {
    this.worker.postMessage(JSON.stringify(message));
  }

  pause(on: boolean): void {
    this.worker.postMessage({ pause: on });
  }
}

function download(name: string, data: string | Uint8Array): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([data as BlobPart]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
