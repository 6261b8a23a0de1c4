// Grains: one draw call, a small ball for each particle, with its size in metres. The places and numbers of a frame go to the graphics card as they
// come: attributes look into the message itself. A ball is a square of the picture whose corners are left out; at p in it, |p| <= 1,
//   n = (p_x, p_y, sqrt(1 - |p|^2))                                                                                    (1)
// is the normal in the axes of the eye. Balls are never smaller than a pixel.
import { Box3, BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Points, ShaderMaterial, Vector2, Vector3 } from "three";
import type { Frame, SceneMessage } from "../protocol";
import type { Drawable, ViewSize } from "./drawable";
import { grainColour, grainStatusColours } from "./palette";
import { scaleTexture } from "./scale";

export type GrainColour = "places" | "speed" | "pressure" | "fraction" | "status" | "slice"; // what is asked for in `want`; places: coloured by material
export const GRAIN_SECTIONS: Readonly<Record<GrainColour, string>> = { places: "GRNS", speed: "GSPD", pressure: "GPRS", fraction: "GFRC", status: "GSTA", slice: "GSTR" };
export const GRAIN_UNITS: Readonly<Record<GrainColour, string>> = { places: "", speed: "m/s", pressure: "Pa", fraction: "", status: "", slice: "" };

const SIZE = 1.2; // diameter of a ball, in edges of the cube that its particle fills: neighbours leave no holes
const SAMPLE = 4096; // numbers of a frame from which its scale is found
const SHADOW_LIMIT = 200000; // particles above which they throw no shadow
const HIGH = 0.99; // how many of them are below the end of the scale: a few fast grains do not make all others dark

const VERTEX = /* glsl */ `
attribute float value;
uniform float size, high, most;
uniform vec3 status[3];
uniform bool byStatus;
uniform sampler2D scale;
uniform vec3 sand;
varying vec3 vColour;
void main() {
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = max(1.0, 0.5 * high * size * projectionMatrix[1][1] / gl_Position.w);
  // light and dark grains, by their number
  float noise = fract(sin(float(gl_VertexID % 65536) * 12.9898) * 43758.5453);
  vColour = byStatus ? status[int(clamp(value + 0.5, 0.0, 2.0))] : most > 0.0 ? texture2D(scale, vec2(value / most, 0.5)).rgb : sand * (0.8 + 0.4 * noise);
}
`;

// The shadow: the same discs, seen from the light.
const SHADOW_VERTEX = /* glsl */ `
uniform float size, map;
void main() {
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = max(1.0, 0.5 * map * size * projectionMatrix[1][1] / gl_Position.w);
}
`;
const SHADOW_FRAGMENT = /* glsl */ `
void main() {
  vec2 p = 2.0 * (gl_PointCoord - 0.5);
  if (dot(p, p) > 1.0) discard;
  gl_FragColor = vec4(1.0);
}
`;

const FRAGMENT = /* glsl */ `
uniform vec3 toLight;
varying vec3 vColour;
void main() {
  vec2 p = vec2(2.0, -2.0) * (gl_PointCoord - 0.5);
  float r2 = dot(p, p);
  if (r2 > 1.0) discard;
  vec3 n = vec3(p, sqrt(1.0 - r2));
  float light = 0.62 + 0.42 * max(0.0, dot(n, toLight)) + 0.1 * n.z;
  gl_FragColor = vec4(light * vColour, 1.0);
  #include <colorspace_fragment>
}
`;

export class Grains implements Drawable {
  readonly object: Points;
  by: GrainColour = "places";
  most = 0; // end of the scale; 0: grains are not coloured by numbers
  private readonly total: number;
  private readonly geometry = new BufferGeometry();
  private readonly places: BufferAttribute;
  private readonly values: BufferAttribute;
  private readonly none: Float32Array;
  private readonly sample = new Float32Array(SAMPLE);
  private readonly uniforms = {
    size: { value: 0 },
    high: { value: 1 }, // of the picture, in the pixels that are drawn
    most: { value: 0 },
    byStatus: { value: false },
    status: { value: grainStatusColours().map((hex) => new Color(hex)) },
    scale: { value: scaleTexture() },
    sand: { value: new Color(grainColour()) },
    toLight: { value: new Vector3() },
  };
  private readonly light = new Vector3();

  constructor(scene: SceneMessage) {
    this.total = scene.grains.particles;
    this.uniforms.size.value = SIZE * scene.grains.space;
    this.none = new Float32Array(this.total);
    this.places = new BufferAttribute(new Float32Array(3 * this.total), 3).setUsage(DynamicDrawUsage);
    this.values = new BufferAttribute(this.none, 1).setUsage(DynamicDrawUsage);
    this.geometry.setAttribute("position", this.places);
    this.geometry.setAttribute("value", this.values);
    const material = new ShaderMaterial({ uniforms: this.uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT });
    this.object = new Points(this.geometry, material);
    this.object.frustumCulled = false;
    this.object.castShadow = this.total <= SHADOW_LIMIT;
    const shadow = { size: this.uniforms.size, map: { value: 1 } };
    this.object.customDepthMaterial = new ShaderMaterial({ uniforms: shadow, vertexShader: SHADOW_VERTEX, fragmentShader: SHADOW_FRAGMENT });
    this.object.onBeforeShadow = (renderer) => {
      shadow.map.value = renderer.getRenderTarget()?.height ?? 1;
    };
    this.object.visible = false;
    const size = new Vector2();
    this.object.onBeforeRender = (renderer, _scene, camera) => {
      this.uniforms.high.value = renderer.getDrawingBufferSize(size).y;
      this.uniforms.toLight.value.copy(this.light).transformDirection(camera.matrixWorldInverse);
    };
  }

  frame(frame: Frame): void {
    const places = floats(frame, "GRNS");
    if (places?.length !== 3 * this.total) return;
    this.places.array = places;
    this.places.needsUpdate = true;
    this.object.visible = this.by !== "slice";
    const values = this.by === "places" || this.by === "slice" ? null : floats(frame, GRAIN_SECTIONS[this.by]);
    this.most = values?.length === this.total ? this.endOf(values) : 0;
    this.uniforms.most.value = this.most;
    this.uniforms.byStatus.value = this.by === "status" && values?.length === this.total;
    if (this.uniforms.byStatus.value) this.most = 2;
    if (!(this.most > 0)) return;
    this.values.array = values!;
    this.values.needsUpdate = true;
  }

  // The number below which most of them are.
  private endOf(values: Float32Array): number {
    const count = Math.min(SAMPLE, values.length);
    for (let i = 0; i < count; ++i) {
      const value = values[Math.floor((i * values.length) / count)];
      this.sample[i] = value > 0 ? value : 0; // NaN too
    }
    const sorted = this.sample.subarray(0, count).sort();
    return sorted[Math.floor(HIGH * (count - 1))] || sorted[count - 1];
  }

  view(view: ViewSize): void {
    this.light.copy(view.toLight).normalize();
  }

  bounds(frame: Frame, box: Box3): void {
    const x = floats(frame, "GRNS") ?? [];
    const { min, max } = box;
    for (let k = 0; k + 2 < x.length; k += 3) {
      if (!Number.isFinite(x[k] + x[k + 1] + x[k + 2])) continue;
      min.set(Math.min(min.x, x[k]), Math.min(min.y, x[k + 1]), Math.min(min.z, x[k + 2]));
      max.set(Math.max(max.x, x[k]), Math.max(max.y, x[k + 1]), Math.max(max.z, x[k + 2]));
    }
  }

  // Particle k as it is drawn now, and its number on the scale.
  grainOf(k: number): { point: Vector3; value: number } | null {
    if (!this.object.visible || k < 0 || k >= this.total) return null;
    return { point: new Vector3().fromBufferAttribute(this.places, k), value: this.most > 0 ? this.values.getX(k) : NaN };
  }
}

export function floats(frame: Frame, name: string): Float32Array | null {
  const data = frame.sections.get(name);
  return data ? new Float32Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength / 4) : null;
}
