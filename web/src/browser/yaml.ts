// A YAML text as the events that src/browser/yaml_page.c reads.
import { Alias, Document, isAlias, isMap, isPair, isScalar, isSeq, LineCounter, Node, parseAllDocuments, Scalar } from "yaml";

const KIND = { scalar: 0, list: 1, map: 2, end: 3, alias: 4, document: 5, done: 6, fault: 100 };

class Writer {
  private bytes = new Uint8Array(1 << 16);
  private used = 0;
  private readonly utf8 = new TextEncoder();

  event(kind: number, at: { line: number; col: number }, flags = 0, anchor: string | null = null, text: string | null = null): void {
    const name = anchor === null ? null : this.utf8.encode(anchor);
    const value = text === null ? null : this.utf8.encode(text);
    const [first, second] = [name ? name.length + 1 : 0, value ? value.length + 1 : 0];
    const size = 24 + 4 * Math.ceil((first + second) / 4);
    while (this.used + size > this.bytes.length) this.grow();
    const head = new Uint32Array(this.bytes.buffer, this.used, 6);
    head.set([kind, at.line, at.col, flags, first, second]);
    if (name) this.bytes.set(name, this.used + 24);
    if (value) this.bytes.set(value, this.used + 24 + first);
    this.used += size;
  }

  private grow(): void {
    const more = new Uint8Array(2 * this.bytes.length);
    more.set(this.bytes);
    this.bytes = more;
  }

  get result(): Uint8Array {
    return this.bytes.slice(0, this.used);
  }
}

function write(out: Writer, node: Node | null, lines: LineCounter, here: { line: number; col: number }): void {
  const at = node?.range ? lines.linePos(node.range[0]) : here;
  const flags = node?.tag && !isAlias(node) ? 2 : 0;
  if (node === null) out.event(KIND.scalar, at, 1, null, "");
  else if (isAlias(node)) out.event(KIND.alias, at, 0, (node as Alias).source);
  else if (isScalar(node)) {
    const scalar = node as Scalar;
    const plain = scalar.type === "PLAIN" || scalar.type === undefined;
    out.event(KIND.scalar, at, flags | (plain ? 1 : 0), scalar.anchor ?? null, String(scalar.value ?? ""));
  } else if (isSeq(node)) {
    out.event(KIND.list, at, flags, node.anchor ?? null);
    for (const item of node.items) write(out, item as Node | null, lines, at);
    out.event(KIND.end, at);
  } else if (isMap(node)) {
    out.event(KIND.map, at, flags, node.anchor ?? null);
    for (const pair of node.items) {
      if (!isPair(pair)) continue;
      write(out, pair.key as Node | null, lines, at);
      write(out, pair.value as Node | null, lines, at);
    }
    out.event(KIND.end, at);
  }
}

export function yamlEvents(text: string): Uint8Array {
  const out = new Writer();
  const lines = new LineCounter();
  // texts stay texts: the library interprets them, and rejects duplicate keys with their position.
  const parsed = parseAllDocuments(text, { schema: "failsafe", lineCounter: lines, uniqueKeys: false, prettyErrors: false, logLevel: "silent", version: "1.1" });
  const documents: Document.Parsed[] = Array.isArray(parsed) ? (parsed as Document.Parsed[]) : [];
  let end = { line: 1, col: 1 };
  for (const document of documents) {
    const start = lines.linePos(document.range[0]);
    out.event(KIND.document, start);
    const mistake = document.errors[0];
    if (mistake) {
      out.event(KIND.fault, lines.linePos(mistake.pos[0]), 0, null, mistake.message);
      return out.result;
    }
    if (document.contents) write(out, document.contents, lines, start);
    end = lines.linePos(document.range[2]);
  }
  out.event(KIND.done, end);
  return out.result;
}
