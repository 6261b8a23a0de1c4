// Keys and mouse: the table that is shown and the table that is listened to are one.
import { make } from "./dom";

export interface Key {
  keys: string[]; // of KeyboardEvent.key
  label: string;
  text: string;
  act: (event: KeyboardEvent) => void;
}

const MOUSE: [string, string][] = [
  ["Drag", "rotate the view"],
  ["Wheel", "zoom"],
  ["Right drag", "pan"],
  ["Click", "show the values of an object or a contact"],
];
const LIVE_MOUSE: [string, string][] = [
  ["Drag an object", "pull it (press Shift first to rotate the view instead)"],
  ["Shift while holding", "up: move it away from you, down: closer"],
  ["Wheel while holding", "twist the end of the fibre"],
];

const TOUCH: [string, string][] = [
  ["One finger", "rotate the view"],
  ["Two fingers", "pan and zoom"],
  ["Tap", "show the values of an object or a contact"],
];
const LIVE_TOUCH: [string, string][] = [
  ["Finger on an object", "pull it"],
  ["Second finger while holding", "up: move it away from you, down: closer; sideways: twist the end of the fibre"],
];

const VERTEX_MOUSE: [string, string][] = [["Double click on a sheet or a solid", "pin its vertex there, or release it"]];

const MOVES = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];

export function listen(keys: Key[]): void {
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return; // Escape closes it
    const target = event.target as HTMLElement;
    if (target.matches("select") && event.key !== "Escape") return;
    if (target.matches("input:not(#scrub)") && MOVES.includes(event.key)) return; // the slider is meant
    const key = keys.find((k) => k.keys.includes(event.key));
    if (!key) return;
    if (event.key === " " && target.matches("button")) return; // the button is meant
    event.preventDefault();
    key.act(event);
  });
}

export function showHelp(dialog: HTMLDialogElement, keys: Key[], live: boolean, sheets: boolean): void {
  const table = (rows: [string, string][]): HTMLDListElement => {
    const list = make("dl");
    for (const [name, text] of rows) list.append(make("dt", { text: name }), make("dd", { text }));
    return list;
  };
  const close = make("button", { text: "Close" });
  close.addEventListener("click", () => dialog.close());
  const mouse = [
    make("h2", { text: "Mouse" }),
    table([...MOUSE, ...(live ? LIVE_MOUSE : []), ...(live && sheets ? VERTEX_MOUSE : [])]),
  ];
  const touch = [make("h2", { text: "Touch" }), table([...TOUCH, ...(live ? LIVE_TOUCH : [])])];
  const fingers = matchMedia("(pointer: coarse)").matches;
  // the button comes first: it has the focus, and a small window would scroll to it
  dialog.replaceChildren(
    close,
    ...(fingers ? [...touch, ...mouse] : [...mouse, ...touch]),
    make("h2", { text: "Keys" }),
    table(keys.filter((key) => key.label).map((key) => [key.label, key.text])),
  );
  if (!dialog.open) dialog.showModal();
}
