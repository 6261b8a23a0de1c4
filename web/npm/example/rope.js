// A rope slides over a bar until friction holds it. Serve the folder of the package and open example/index.html.
import { World } from "capstan";
import * as THREE from "three";

const world = await World.create({
  fibres: {
    rope: { model: "der-inextensible", elements: 40, length: 1, radius: 0.006, line_density: 0.1, bending: 1e-4, twisting: 1e-4,
            position: [-0.45, 0, 0.52], direction: [1, 0, 0] },
  },
  obstacles: { bar: { capsule: { radius: 0.05, length: 0.4 }, position: [0, 0, 0.45], rotation: { axis: [1, 0, 0], angle: "90 deg" } }, floor: { plane: {} } },
  contact: { mu: 0.3 },
  time: { step: 0.002 },
});

const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(40, innerWidth / innerHeight, 0.01, 10);
camera.up.set(0, 0, 1);
camera.position.set(0.6, -1.4, 0.9);
camera.lookAt(0, 0, 0.3);
scene.background = new THREE.Color(0xeef0f3);
const sky = new THREE.HemisphereLight(0xffffff, 0x9a958c, 2);
sky.position.set(0, 0, 1);
const sun = new THREE.DirectionalLight(0xffffff, 2);
sun.position.set(-1, -1, 2);
const ground = new THREE.Mesh(new THREE.PlaneGeometry(4, 4), new THREE.MeshStandardMaterial({ color: 0xd8dce1 }));
scene.add(sky, sun, ground);

const bar = new THREE.Mesh(new THREE.CapsuleGeometry(0.05, 0.4, 12, 48), new THREE.MeshStandardMaterial({ color: 0x8899aa }));
bar.position.set(0, 0, 0.45); // three.js draws capsules along y, as this one lies
scene.add(bar);
const rope = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshStandardMaterial({ color: 0xb08050 }));
scene.add(rope);

const renderer = new THREE.WebGLRenderer({ antialias: true });
renderer.setSize(innerWidth, innerHeight);
document.body.append(renderer.domElement);

function points() {
  const x = world.read("fibre", "position", 0);
  return Array.from({ length: x.length / 3 }, (_, i) => new THREE.Vector3().fromArray(x, 3 * i));
}

let simulated = performance.now();
renderer.setAnimationLoop((now) => {
  for (simulated = Math.max(simulated, now - 100); simulated < now; simulated += 2) world.step(); // 2 ms each
  rope.geometry.dispose();
  rope.geometry = new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points()), 120, 0.006, 8);
  renderer.render(scene, camera);
});
