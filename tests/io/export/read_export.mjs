// usage: node read_export.mjs FILE.glb             validates with Khronos' gltf-validator: 0 errors, 0 warnings
//        node read_export.mjs FILE.usda BACK.usda  parses with tinyusdz and prints what it understood to BACK.usda
// Exits with 77 and a reason where the packages of web/ are not installed.
import fs from "node:fs";
import {createRequire} from "node:module";

const [file, back] = process.argv.slice(2);
const packages = new URL("../../../web/node_modules/", import.meta.url);

async function checkGlb() {
  const validator = createRequire(packages)("gltf-validator");
  const {issues} = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {maxIssues: 100});
  for (const m of issues.messages) console.error(`${file}: ${m.code} ${m.pointer}: ${m.message}`);
  return issues.numErrors === 0 && issues.numWarnings === 0;
}

// It is built for browsers: it must not see Node, and gets its code from here instead of over the network.
async function checkUsda() {
  globalThis.window = globalThis;
  process.type = "renderer";
  const {default: load} = await import(new URL("tinyusdz/tinyusdz.js", packages));
  const code = fs.readFileSync(new URL("tinyusdz/tinyusdz.wasm", packages));
  const instantiateWasm = (imports, done) => {
    WebAssembly.instantiate(code, imports).then(({instance, module}) => done(instance, module));
    return {};
  };
  const usd = await load({instantiateWasm});
  const bytes = fs.readFileSync(file);
  for (const how of ["loadFromBinary", "loadAsLayerFromBinary"]) {
    const reader = new usd.TinyUSDZLoaderNative();
    if (!reader[how](bytes, file)) {
      console.error(`${file}: ${reader.error()}`);
      return false;
    }
    if (how === "loadAsLayerFromBinary") fs.writeFileSync(back, reader.layerToString());
  }
  return true;
}

const usda = file.endsWith(".usda");
if (!fs.existsSync(new URL(usda ? "tinyusdz" : "gltf-validator", packages))) {
  console.error("the packages of web/ are not installed");
  process.exit(77);
}
process.exit((await (usda ? checkUsda() : checkGlb())) ? 0 : 1);
