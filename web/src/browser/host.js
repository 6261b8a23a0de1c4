// What the page does for the library (src/browser/host.h), linked by Emscripten. `Module.yaml` is web/src/browser/yaml.ts.
mergeInto(LibraryManager.library, {
  cps_host_yaml__deps: ["malloc"],
  cps_host_yaml: function (text, length) {
    var bytes = Module.yaml(new TextDecoder().decode(HEAPU8.slice(text, text + length)));
    var at = _malloc(bytes.length);
    if (at) HEAPU8.set(bytes, at);
    return at;
  },
});
