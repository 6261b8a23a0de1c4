// The page of live scenes without a server: index.html?scene=NAME (…&embed=1: without the names of the other scenes).
import scenes from "capstan-scenes";
import { App } from "../app";
import { byId, make } from "../dom";
import { inspect } from "../inspect";
import { LocalLink } from "./local";

const query = new URLSearchParams(location.search);
const names = Object.keys(scenes);
const asked = query.get("scene") ?? "";
const name = names.includes(asked) ? asked : names[0];
const scene = scenes[name];

inspect(new App((listener) => new LocalLink(listener, { open: `${name}.yaml`, files: scene.files })));

if (!query.has("embed")) {
  const choice = make("select", { id: "scenes" });
  choice.setAttribute("aria-label", "Scene");
  for (const other of names) choice.append(new Option(scenes[other].title, other, false, other === name));
  choice.addEventListener("change", () => {
    query.set("scene", choice.value);
    location.search = query.toString();
  });
  byId("file").replaceWith(choice, make("span", { id: "file" }));
}
