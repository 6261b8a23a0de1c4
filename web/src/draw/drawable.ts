// Drawable objects. A new model plugs in with one file that makes a Drawable and one line in draw/all.ts.
import { Box3, Object3D, Ray, Vector3 } from "three";
import type { Frame, Kind, MeshData, SceneMessage } from "../protocol";
import type { Theme } from "../theme";

// The object under the pointer.
export interface Hit {
  kind: Kind;
  index: number;
  distance: number; // from the eye
  point: Vector3; // on the object
  s?: number; // arc length on a fibre
  local?: Vector3; // the point in the axes of a body
  vertex?: number; // of a sheet, the nearest one
}

// Input of picking besides the ray: the size of a pixel at distance 1, so that thin objects can be hit.
export interface PickContext {
  ray: Ray;
  pixel: number;
}

export interface Drawable {
  readonly object: Object3D; // among the things that cast shadows and hide each other
  readonly overlay?: Object3D; // drawn over them
  frame(frame: Frame): void;
  mesh?(mesh: MeshData): void;
  surfaces?(triangles: Uint32Array): void; // of all sheets
  theme?(theme: Theme): void;
  view?(view: ViewSize): void; // before each drawing
  bounds?(frame: Frame, box: Box3): void; // extends the box to the contents of the frame
  pick?(context: PickContext): Hit | null;
  coarse?(level: number): void; // 0: as it should be; 1, 2, 3: faster to draw
  select?(kind: Kind | null, index: number): void;
}

export interface ViewSize {
  height: number; // of the picture, CSS pixels
  pixel: number; // size of such a pixel at distance 1
  eye: Vector3;
  radius: number; // of the scene, m
  centre: Vector3;
  up: Vector3;
  toLight: Vector3;
}

export type Factory = (scene: SceneMessage) => Drawable | null;
