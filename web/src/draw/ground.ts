// Planes, or below a scene without planes a visual floor that nothing touches: a wide ground with a grid that fades with the distance from the
// scene. It is invisible from below.
import { Color, FrontSide, Mesh, MeshStandardMaterial, Object3D, PlaneGeometry, Matrix4, Quaternion, Vector2, Vector3 } from "three";
import { niceStep } from "../format";
import type { Frame, Part, SceneMessage } from "../protocol";
import type { Theme } from "../theme";
import type { Drawable, ViewSize } from "./drawable";
import { poseMatrix } from "./solids";

const REACH = 14; // of the ground, in radii of the scene
const BELOW = 1.05; // radii of the scene from its centre to the floor: nothing in it reaches so low
const Z = new Vector3(0, 0, 1);
const ONE = new Vector3(1, 1, 1);

// The visual floor of a scene without planes.
export function floorBelow(view: ViewSize): { point: Vector3; normal: Vector3 } {
  const normal = view.up.clone().normalize();
  return { point: view.centre.clone().addScaledVector(normal, -BELOW * view.radius), normal };
}

const GRID = /* glsl */ `
{
  vec2 at = vPlane / cell;
  vec2 width = fwidth(at);
  vec2 to = abs(fract(at - 0.5) - 0.5) / max(width, vec2(1e-6));
  float line = 1.0 - smoothstep(0.2, 1.1, min(to.x, to.y));
  line *= 1.0 - smoothstep(0.15, 0.45, max(width.x, width.y));  // too fine to be told apart: none
  float far = length(vPlane - middle) / radius;
  diffuseColor.rgb = mix(diffuseColor.rgb, grid, line * (1.0 - smoothstep(1.0, 7.0, far)) * 0.8);
  diffuseColor.a *= 1.0 - smoothstep(2.0, ${REACH.toFixed(1)} * 0.9, far);
}
`;

export class Ground implements Drawable {
  readonly object = new Object3D();
  private readonly floor: Mesh | null = null; // of a scene without planes
  private readonly planes: { mesh: Mesh; part: Part; pose: Matrix4 }[] = [];
  private readonly material = new MeshStandardMaterial({ roughness: 1, transparent: true, side: FrontSide });
  private readonly uniforms = {
    cell: { value: 1 },
    radius: { value: 1 },
    middle: { value: new Vector2() },
    grid: { value: new Color() },
  };

  constructor(scene: SceneMessage) {
    this.material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", "#include <common>\nvarying vec2 vPlane;\nuniform float radius;\nuniform vec2 middle;")
        .replace(
          "#include <begin_vertex>",
          `vPlane = middle + position.xy * radius * ${REACH.toFixed(1)};\nvec3 transformed = vec3(vPlane, 0.0);`,
        );
      shader.fragmentShader = shader.fragmentShader
        .replace(
          "#include <common>",
          "#include <common>\nvarying vec2 vPlane;\nuniform float cell, radius;\nuniform vec2 middle;\nuniform vec3 grid;",
        )
        .replace("#include <color_fragment>", "#include <color_fragment>\n" + GRID);
    };
    for (const part of scene.parts.filter((p) => p.kind === "plane"))
      this.planes.push({ mesh: this.plane(), part, pose: poseMatrix(part.pose, 0, new Matrix4()) });
    if (this.planes.length === 0) {
      this.floor = this.plane();
      this.material.opacity = 0.6;
    }
  }

  private plane(): Mesh {
    const mesh = new Mesh(new PlaneGeometry(2, 2), this.material);
    mesh.frustumCulled = false;
    mesh.receiveShadow = true;
    mesh.matrixAutoUpdate = false;
    mesh.renderOrder = -1;
    mesh.visible = false;
    this.object.add(mesh);
    return mesh;
  }

  frame(frame: Frame): void {
    for (const { mesh, part, pose } of this.planes) {
      poseMatrix(part.obstacle ? frame.obstacles : frame.bodies, 7 * part.owner, mesh.matrix).multiply(pose);
      mesh.matrixWorldNeedsUpdate = true;
      mesh.visible = true;
    }
  }

  view(view: ViewSize): void {
    this.uniforms.radius.value = view.radius;
    this.uniforms.cell.value = niceStep(0.2 * view.radius);
    if (this.floor) {
      const { point, normal } = floorBelow(view);
      const upright = new Quaternion().setFromUnitVectors(Z, normal);
      const centre = view.centre.clone().applyQuaternion(upright.clone().invert());
      this.floor.visible = true;
      // lines of the grid stay where they are when the view is fitted again: only the height follows the scene
      this.floor.matrix.compose(point.projectOnVector(normal), upright, ONE);
      this.floor.matrixWorldNeedsUpdate = true;
      this.uniforms.middle.value.set(centre.x, centre.y);
    }
    if (this.planes.length === 1) {
      const inverse = this.planes[0].mesh.matrix.clone().invert();
      const centre = view.centre.clone().applyMatrix4(inverse);
      this.uniforms.middle.value.set(centre.x, centre.y);
    }
  }

  theme(theme: Theme): void {
    this.material.color.set(theme.ground);
    this.uniforms.grid.value.set(theme.grid);
  }
}
