// Runs in the page before its own script: a WebSocket that answers as the server would, from a made-up scene. For what no
// result shows at once (every kind of shape; ten thousand fibres) and to measure the page alone. `window.madeUp` is the
// message `scene`, and `window.madeUpFrame(i)` gives {bodies, obstacles, points} of frame i as arrays of numbers, and perhaps
// sections: {LETT: numbers}.
(() => {
  const letters = (view, text) => [...text].forEach((c, i) => view.setUint8(i, c.charCodeAt(0)));

  function encode(index) {
    const { bodies, obstacles, points, sections = {} } = window.madeUpFrame(index);
    const own = bodies.length + obstacles.length + points.length;
    const more = Object.values(sections).reduce((sum, numbers) => sum + 2 + numbers.length, 0);
    const buffer = new ArrayBuffer(48 + 4 * (own + more));
    const view = new DataView(buffer);
    letters(view, "CPSF");
    view.setBigInt64(8, BigInt(index), true);
    view.setFloat64(16, index / 30, true);
    view.setFloat64(24, 1e-3, true);
    [bodies.length / 7, obstacles.length / 7, points.length / 3, 0].forEach((n, i) => view.setUint32(32 + 4 * i, n, true));
    const floats = new Float32Array(buffer, 48);
    floats.set(bodies);
    floats.set(obstacles, bodies.length);
    floats.set(points, bodies.length + obstacles.length);
    let at = own;
    for (const [name, numbers] of Object.entries(sections)) {
      letters(new DataView(buffer, 48 + 4 * at), name);
      view.setUint32(48 + 4 * at + 4, 4 * numbers.length, true);
      floats.set(numbers, at + 2);
      at += 2 + numbers.length;
    }
    return buffer;
  }

  // A tetrahedron with corners at the origin and at `size` on each axis; each face has its own points.
  function tetrahedron(size) {
    const corners = [[0, 0, 0], [size, 0, 0], [0, size, 0], [0, 0, size]];
    const faces = [[[0, 2, 1], [0, 0, -1]], [[0, 1, 3], [0, -1, 0]], [[0, 3, 2], [-1, 0, 0]],
      [[1, 2, 3], [1, 1, 1].map((x) => x / Math.sqrt(3))]];
    const buffer = new ArrayBuffer(16 + 12 * 24 + 12 * 4);
    const view = new DataView(buffer);
    letters(view, "CPSM");
    view.setUint32(8, 12, true);
    view.setUint32(12, 4, true);
    new Float32Array(buffer, 16, 36).set(faces.flatMap(([face]) => face.flatMap((k) => corners[k])));
    new Float32Array(buffer, 16 + 144, 36).set(faces.flatMap(([, normal]) => [normal, normal, normal].flat()));
    new Uint32Array(buffer, 16 + 288, 12).set([...Array(12).keys()]);
    return buffer;
  }

  window.WebSocket = class {
    static CONNECTING = 0;
    static OPEN = 1;
    readyState = 0;
    constructor() {
      setTimeout(() => {
        this.readyState = 1;
        this.onopen({});
        this.onmessage({ data: JSON.stringify(window.madeUp) });
        if (window.madeUp.parts.some((part) => part.kind === "mesh")) this.onmessage({ data: tetrahedron(0.2) });
      }, 0);
    }
    send(text) {
      const message = JSON.parse(text);
      if (message.type === "frame") setTimeout(() => this.onmessage({ data: encode(message.index) }), 0);
    }
  };

  window.madeUpScene = (more) => ({
    type: "scene", mode: "result", title: "Made up", file: "", version: "", frames: 61, end: 2, until: 2, finished: true, has_contacts: false,
    has_tension: false, up: [0, 0, 1], camera: null, materials: [""], bodies: [], obstacles: [], fibres: [], parts: [],
    lines: { fibre: [], count: [], radius: [], tip: [] }, ties: 0, sheets: [], surfaces: { vertices: [], triangles: [], thickness: [] }, grains: { particles: 0, space: 0 }, series: [], settings: null, ...more,
  });
})();
