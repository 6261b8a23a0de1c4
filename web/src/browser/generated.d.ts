// Files that web/build-browser.mjs makes.
declare module "capstan-module" {
  export default function createCapstan(options: object): Promise<unknown>;
}
declare module "capstan-wasm" {
  const bytes: Uint8Array;
  export default bytes;
}
declare module "capstan-worker" {
  const source: string;
  export default source;
}
declare module "capstan-scenes" {
  const scenes: Record<string, { title: string; files: Record<string, string> }>;
  export default scenes;
}
