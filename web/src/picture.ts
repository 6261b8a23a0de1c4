// From the view one likes to a picture: the one on the screen, or the command that ray traces the same view.
import type { GrainColour } from "./draw/grains";
import type { SceneMessage } from "./protocol";
import type { Stage } from "./stage";

const short = (x: number): string => String(Number(x.toPrecision(6)));
const triple = (v: { x: number; y: number; z: number }): string => [v.x, v.y, v.z].map(short).join(",");
const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.split("'").join("'\\''")}'`);

// The same camera: eye, target and field of view are what the renderer takes, and its size is that of the canvas.
export function renderCommand(stage: Stage, scene: SceneMessage, frame: number, options: { dark: boolean; contacts: boolean; tension: boolean; grains: GrainColour }): string {
  const { camera, controls, canvas } = stage;
  const words = ["capstan", "render", quoted(scene.file), "--frames", String(frame), "--eye", triple(camera.position), "--target", triple(controls.target)];
  words.push("--fov", short(camera.fov), "--size", `${2 * canvas.clientWidth}x${2 * canvas.clientHeight}`);
  if (options.contacts) words.push("--contacts");
  if (options.tension) words.push("--colour", "tension");
  else if (options.grains === "speed" || options.grains === "pressure") words.push("--colour", options.grains);
  if (options.dark) words.push("--dark");
  words.push("-o", quoted(scene.file.replace(/\.[^.]*$/, "") + `-${frame}.png`));
  return words.join(" ");
}

export function savePicture(stage: Stage, name: string): void {
  stage.picture((blob) => {
    if (!blob) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
}

// Without the clipboard (a page that was not served safely): through a field that is selected.
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}
