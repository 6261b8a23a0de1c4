// Small helpers for the page's elements; text is always set as text.
export function byId<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error("the page has no element " + id);
  return element as T;
}

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  options: { text?: string; className?: string; id?: string } = {},
  ...children: Node[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (options.text !== undefined) element.textContent = options.text;
  if (options.className) element.className = options.className;
  if (options.id) element.id = options.id;
  element.append(...children);
  return element;
}

export function facts(list: [string, string][]): HTMLDListElement {
  const element = document.createElement("dl");
  for (const [name, value] of list) element.append(make("dt", { text: name }), make("dd", { text: value }));
  return element;
}

export function place(element: HTMLElement, x: number, y: number): void {
  const box = element.parentElement!;
  const left = Math.max(4, Math.min(x, box.clientWidth - element.offsetWidth - 4));
  const top = Math.max(4, Math.min(y, box.clientHeight - element.offsetHeight - 4));
  element.style.transform = `translate(${left}px, ${top}px)`;
}
