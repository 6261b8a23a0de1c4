// A scale bar and the directions of the axes, in a corner of the picture.
import { Vector3 } from "three";
import { byId } from "./dom";
import { niceStep, withUnit } from "./format";
import type { Stage } from "./stage";

const ARM = 16; // px
const AXES: [string, Vector3][] = [
  ["x", new Vector3(1, 0, 0)],
  ["y", new Vector3(0, 1, 0)],
  ["z", new Vector3(0, 0, 1)],
];

// Length of the bar: 1, 2 or 5 times a power of ten, 50 to 130 pixels wide at the distance of the target.
function barLength(pixelSize: number): number {
  return niceStep(50 * pixelSize);
}

export function drawGauge(stage: Stage): void {
  const { camera, controls } = stage;
  const pixelSize = stage.pixel * camera.position.distanceTo(controls.target);
  const length = barLength(pixelSize);
  byId("ruler").style.width = `${(length / pixelSize).toFixed(1)}px`;
  byId("ruler-text").textContent = withUnit(length, "m");
  const inverse = camera.quaternion.clone().invert();
  for (const [name, axis] of AXES) {
    const at = axis.clone().applyQuaternion(inverse);
    const line = document.getElementById(`axis-${name}`)!;
    line.querySelector("line")!.setAttribute("x2", String(ARM * at.x));
    line.querySelector("line")!.setAttribute("y2", String(-ARM * at.y));
    line.querySelector("text")!.setAttribute("x", String((ARM + 6) * at.x));
    line.querySelector("text")!.setAttribute("y", String(-(ARM + 6) * at.y));
    line.setAttribute("opacity", at.z > 0.97 ? "0" : "1"); // it points at the eye
  }
}
