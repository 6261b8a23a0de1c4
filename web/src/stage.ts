// The picture: camera, light, shadow, and everything that is drawn. It is drawn again only when something has changed.
import {
  Box3,
  Color,
  DirectionalLight,
  HemisphereLight,
  PCFShadowMap,
  PerspectiveCamera,
  Raycaster,
  Scene,
  Sphere,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Drawable, Hit, ViewSize } from "./draw/drawable";
import type { Frame, Kind, MeshData, SceneMessage, Triple } from "./protocol";
import { Quality, QualityWatch } from "./quality";
import type { Theme } from "./theme";

const SHADOW_LIMIT = 120000; // points of lines above which no shadow is drawn
const TO_LIGHT = new Vector3(-0.45, -0.55, 1.25);

export interface OnScreen {
  x: number;
  y: number;
  depth: number; // > 0 in front of the eye
}

export class Stage {
  readonly camera = new PerspectiveCamera(32, 1, 0.01, 100);
  readonly controls: OrbitControls;
  frameCost = 0; // ms of the processor for the last frame that was new: copying, uploading, submitting
  private readonly renderer: WebGLRenderer;
  private readonly world = new Scene();
  private readonly over = new Scene();
  private readonly sun = new DirectionalLight(0xffffff, 2.1);
  private readonly sky = new HemisphereLight(0xffffff, 0x8a8a8a, 1.75);
  private readonly fill = new DirectionalLight(0xffffff, 0.8); // from the eye
  private readonly drawables: Drawable[] = [];
  private readonly kept = new Set<Drawable>();
  private readonly sphere = new Sphere(new Vector3(), 1);
  private readonly raycaster = new Raycaster();
  readonly watch = new QualityWatch();
  private drawnWith: Quality | null = null;
  private shadowed = true; // the scene is not too large for shadows
  private dirty = true;
  private copied = 0; // ms, of a frame that is not drawn yet
  private beforeDraw: (() => void) | null = null;
  private fitted: (() => void) | null = null; // again when the window changes, until the camera is moved by hand

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    this.renderer.autoClear = false;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false; // only when something but the camera has moved
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.touch());
    this.controls.addEventListener("start", () => (this.fitted = null));
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 4;
    this.sun.shadow.intensity = 0.75;
    this.world.add(this.sky, this.sun, this.sun.target, this.fill, this.fill.target);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
  }

  // Parts of the page that stay when the scene changes.
  keep(drawable: Drawable): void {
    this.kept.add(drawable);
    this.put(drawable);
  }

  private put(drawable: Drawable): void {
    this.drawables.push(drawable);
    this.world.add(drawable.object);
    if (drawable.overlay) this.over.add(drawable.overlay);
  }

  private clear(): void {
    for (const drawable of this.drawables.splice(0)) {
      if (this.kept.has(drawable)) {
        this.drawables.push(drawable);
        continue;
      }
      this.world.remove(drawable.object);
      if (drawable.overlay) this.over.remove(drawable.overlay);
    }
  }

  add(list: Drawable[], scene: SceneMessage): void {
    this.clear();
    this.camera.up.set(...scene.up);
    let points = 0;
    for (const count of scene.lines.count) points += count;
    this.shadowed = points <= SHADOW_LIMIT;
    this.drawnWith = null;
    for (const drawable of list) this.put(drawable);
    this.touch();
  }

  mesh(mesh: MeshData): void {
    for (const drawable of this.drawables) drawable.mesh?.(mesh);
    this.renderer.shadowMap.needsUpdate = true;
    this.touch();
  }

  surfaces(triangles: Uint32Array): void {
    for (const drawable of this.drawables) drawable.surfaces?.(triangles);
    this.renderer.shadowMap.needsUpdate = true;
    this.touch();
  }

  show(frame: Frame): void {
    const start = performance.now();
    for (const drawable of this.drawables) drawable.frame(frame);
    this.renderer.shadowMap.needsUpdate = true;
    this.copied = performance.now() - start;
    this.touch();
  }

  select(kind: Kind | null, index: number): void {
    for (const drawable of this.drawables) drawable.select?.(kind, index);
    this.touch();
  }

  theme(theme: Theme): void {
    this.world.background = new Color(theme.background);
    this.sky.groundColor.set(theme.dark ? 0x6a6e76 : 0xb8b2a8);
    this.sky.intensity = theme.dark ? 1.5 : 1.9;
    for (const drawable of this.drawables) drawable.theme?.(theme);
    this.touch();
  }

  touch(): void {
    this.dirty = true;
  }

  onDraw(call: () => void): void {
    this.beforeDraw = call;
  }

  resize(): void {
    const box = this.canvas.parentElement!.getBoundingClientRect();
    const width = Math.max(1, box.width);
    const height = Math.max(1, box.height);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2) * this.watch.quality.ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.fitted?.();
    this.touch();
  }

  // Looks at all that these frames show, or from where the scene says.
  fit(frames: Frame[], scene: SceneMessage, asked: boolean): void {
    this.fitted = () => this.aim(frames, scene, asked);
    this.fitted();
  }

  private aim(frames: Frame[], scene: SceneMessage, asked: boolean): void {
    const box = new Box3();
    for (const frame of frames) for (const drawable of this.drawables) drawable.bounds?.(frame, box);
    if (box.isEmpty()) box.set(new Vector3(-1, -1, 0), new Vector3(1, 1, 1));
    box.getBoundingSphere(this.sphere);
    this.sphere.radius = Math.max(this.sphere.radius, 1e-6);
    const { camera } = scene;
    if (camera && !asked) this.camera.fov = camera.fov;
    if (camera && "eye" in camera && !asked) {
      this.camera.position.set(...camera.eye);
      this.controls.target.set(...camera.target);
    } else {
      const direction = new Vector3(0.62, -1, 0.42);
      if (asked) direction.copy(this.camera.position).sub(this.controls.target);
      else if (camera && "direction" in camera) direction.set(...camera.direction);
      direction.normalize();
      this.controls.target.copy(this.sphere.center);
      this.camera.position.copy(this.sphere.center).addScaledVector(direction, this.distance(box, direction));
    }
    this.light();
    this.controls.update();
    this.touch();
  }

  look(eye: Triple, target: Triple): void {
    this.fitted = null;
    this.camera.position.set(...eye);
    this.controls.target.set(...target);
    this.controls.update();
    this.touch();
  }

  // Turns the eye about the target, sideways and upwards (radians), and multiplies its distance.
  turn(sideways: number, upwards: number, farther: number): void {
    this.fitted = null;
    const up = this.camera.up.clone().normalize();
    const arm = this.camera.position.clone().sub(this.controls.target);
    arm.applyAxisAngle(up, sideways);
    const tilt = arm.angleTo(up);
    const wanted = Math.max(0.02, Math.min(Math.PI - 0.02, tilt - upwards));
    const axis = new Vector3().crossVectors(up, arm).normalize();
    arm.applyAxisAngle(axis, wanted - tilt).multiplyScalar(farther);
    this.camera.position.copy(this.controls.target).add(arm);
    this.controls.update();
    this.touch();
  }

  // How far the eye must be from the middle of the box, in a direction, for all corners to be seen with a little room.
  private distance(box: Box3, direction: Vector3): number {
    const high = Math.tan((this.camera.fov * Math.PI) / 360) / 1.12;
    const wide = high * this.camera.aspect;
    const right = new Vector3().crossVectors(this.camera.up, direction);
    if (right.lengthSq() < 1e-9) right.set(direction.y - direction.z, direction.z - direction.x, direction.x - direction.y);
    if (right.lengthSq() < 1e-9) right.set(1, -1, 0); // seen along the diagonal of the axes
    right.normalize();
    const up = new Vector3().crossVectors(direction, right);
    const corner = new Vector3();
    let far = 0;
    for (let k = 0; k < 8; ++k) {
      corner.set(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z);
      corner.sub(this.sphere.center);
      const across = Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(up)) / high);
      far = Math.max(far, corner.dot(direction) + across);
    }
    return far;
  }

  private light(): void {
    const { center, radius } = this.sphere;
    this.renderer.shadowMap.needsUpdate = true;
    this.sun.target.position.copy(center);
    this.sun.position.copy(center).addScaledVector(TO_LIGHT, 3 * radius);
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -1.7 * radius;
    camera.right = camera.top = 1.7 * radius;
    camera.near = 0.5 * radius;
    camera.far = 8 * radius;
    camera.updateProjectionMatrix();
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.0025 * radius;
  }

  get radius(): number {
    return this.sphere.radius;
  }

  get pixel(): number {
    return (2 * Math.tan((this.camera.fov * Math.PI) / 360)) / this.canvas.clientHeight;
  }

  // Applies the level of detail of the watch.
  private adapt(): void {
    const { quality } = this.watch;
    const before = this.drawnWith;
    if (quality === before) return;
    this.drawnWith = quality;
    this.sun.castShadow = this.shadowed && quality.shadows;
    if (quality.shadows) this.renderer.shadowMap.needsUpdate = true;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2) * quality.ratio);
    if (quality.coarse !== (before?.coarse ?? 0)) for (const drawable of this.drawables) drawable.coarse?.(quality.coarse);
  }

  // The picture as it is, drawn with everything.
  picture(done: (blob: Blob | null) => void): void {
    this.watch.settle();
    this.paint();
    this.canvas.toBlob(done, "image/png");
  }

  // Draws if something has changed, or once more at rest; called once for each picture of the screen.
  draw(): void {
    const now = performance.now();
    if (this.dirty) this.watch.moved(now);
    else if (!this.watch.rests(now)) return;
    this.paint();
  }

  // Whether everything requested so far has been drawn.
  fence(): () => boolean {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    const sync = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    return () => {
      const done = !sync || gl.isContextLost() || gl.getSyncParameter(sync, gl.SYNC_STATUS) === gl.SIGNALED;
      if (done) gl.deleteSync(sync);
      return done;
    };
  }

  private paint(): void {
    this.dirty = false;
    this.adapt();
    this.beforeDraw?.();
    const start = performance.now();
    const far = this.camera.position.distanceTo(this.sphere.center);
    const { radius } = this.sphere;
    this.camera.near = Math.max(1e-3 * radius, 0.02 * Math.min(far, this.camera.position.distanceTo(this.controls.target)));
    this.camera.far = far + 40 * radius;
    this.camera.updateProjectionMatrix();
    const view: ViewSize = {
      height: this.canvas.clientHeight,
      pixel: this.pixel,
      eye: this.camera.position,
      radius,
      centre: this.sphere.center,
      up: this.camera.up,
      toLight: TO_LIGHT,
    };
    for (const drawable of this.drawables) drawable.view?.(view);
    this.fill.position.copy(this.camera.position);
    this.fill.target.position.copy(this.controls.target);
    this.renderer.clear();
    this.renderer.render(this.world, this.camera);
    this.renderer.clearDepth();
    this.renderer.render(this.over, this.camera);
    if (this.copied > 0) this.frameCost = this.copied + performance.now() - start;
    this.copied = 0;
  }

  // CSS pixels from the upper left corner of the canvas.
  project(point: Vector3): OnScreen {
    this.camera.updateMatrixWorld();
    projected.copy(point).applyMatrix4(this.camera.matrixWorldInverse);
    const depth = -projected.z;
    projected.applyMatrix4(this.camera.projectionMatrix);
    return {
      x: (0.5 + 0.5 * projected.x) * this.canvas.clientWidth,
      y: (0.5 - 0.5 * projected.y) * this.canvas.clientHeight,
      depth,
    };
  }

  private ray(x: number, y: number): void {
    const at = new Vector2((2 * x) / this.canvas.clientWidth - 1, 1 - (2 * y) / this.canvas.clientHeight);
    this.camera.updateMatrixWorld();
    this.raycaster.setFromCamera(at, this.camera);
  }

  pick(x: number, y: number): Hit | null {
    this.ray(x, y);
    let best: Hit | null = null;
    for (const drawable of this.drawables) {
      const hit = drawable.pick?.({ ray: this.raycaster.ray, pixel: this.pixel }) ?? null;
      if (hit && (!best || hit.distance < best.distance)) best = hit;
    }
    return best;
  }

  // The point under the pointer in the plane through `through` that faces the camera.
  inPlane(x: number, y: number, through: Vector3): Vector3 {
    this.ray(x, y);
    const normal = this.camera.getWorldDirection(new Vector3());
    const { origin, direction } = this.raycaster.ray;
    const along = through.clone().sub(origin).dot(normal) / direction.dot(normal);
    return origin.clone().addScaledVector(direction, along);
  }

  // The point `pixels` farther from the eye on the line of sight, each as long there as across it; never up to the eye.
  deeper(point: Vector3, pixels: number): Vector3 {
    const arm = point.clone().sub(this.camera.position);
    return this.camera.position.clone().addScaledVector(arm, Math.max(0.9, 1 + this.pixel * pixels));
  }

  // How much farther from the eye a point is than another, along the view.
  depth(point: Vector3, than: Vector3): number {
    return point.clone().sub(than).dot(this.camera.getWorldDirection(new Vector3()));
  }
}

const projected = new Vector3();
