// The library as WebAssembly: src/browser compiled by Emscripten, with the page's YAML parser.
import createCapstan from "capstan-module"; // these two are found by web/build-browser.mjs
import wasmBinary from "capstan-wasm";
import { yamlEvents } from "./yaml";

export interface Module {
  HEAPU8: Uint8Array;
  HEAPF64: Float64Array;
  HEAP32: Int32Array;
  UTF8ToString(at: number): string;
  lengthBytesUTF8(text: string): number;
  stringToUTF8(text: string, at: number, size: number): void;
  FS: {
    writeFile(path: string, data: string | Uint8Array): void;
    readFile(path: string): Uint8Array;
    mkdirTree(path: string): void;
    unlink(path: string): void;
  };
  _malloc(size: number): number;
  _free(at: number): void;
  [call: `_cps_${string}`]: (...values: number[]) => number;
}

export function loadModule(): Promise<Module> {
  return createCapstan({ wasmBinary, yaml: yamlEvents }) as Promise<Module>;
}

// Calls with a text in the library's memory.
export function withText<T>(module: Module, text: string, call: (at: number, length: number) => T): T {
  const size = module.lengthBytesUTF8(text) + 1;
  const at = module._malloc(size);
  module.stringToUTF8(text, at, size);
  try {
    return call(at, size - 1);
  } finally {
    module._free(at);
  }
}

const SENTENCE = 1024;

// Opens a scene by `call`, which returns 0 and leaves a sentence if it cannot.
export function openScene(module: Module, path: string, call: (path: number, text: number, size: number) => number): number {
  const sentence = module._malloc(SENTENCE);
  try {
    const opened = withText(module, path, (at) => call(at, sentence, SENTENCE));
    if (opened === 0) throw new Error(module.UTF8ToString(sentence));
    return opened;
  } finally {
    module._free(sentence);
  }
}

// Files that a scene names, by their paths relative to it.
export type Files = Record<string, string | Uint8Array>;

export function writeFiles(module: Module, folder: string, files: Files): void {
  for (const [path, data] of Object.entries(files)) {
    const whole = `${folder}/${path}`;
    module.FS.mkdirTree(whole.slice(0, whole.lastIndexOf("/")));
    module.FS.writeFile(whole, data);
  }
}
