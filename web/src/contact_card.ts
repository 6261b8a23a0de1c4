// The numbers of one contact, and the legend of all.
import type { ContactCounts } from "./draw/contacts";
import { facts, make } from "./dom";
import { number, withUnit } from "./format";
import { Contact, Frame, Kind, SceneMessage, STATUS_NAMES, Thing } from "./protocol";

export function nameOf(scene: SceneMessage, kind: Kind, index: number): string {
  const lists: Partial<Record<Kind, Thing[]>> = { body: scene.bodies, fibre: scene.fibres, sheet: scene.sheets, obstacle: scene.obstacles };
  return lists[kind]?.[index]?.name || `${kind} ${index}`;
}

// `picked`: the side on which forces are drawn, -1: both.
export function contactCard(scene: SceneMessage, frame: Frame, contact: Contact, picked: number): Node[] {
  const [n, t1, t2] = contact.impulse;
  const tangential = Math.hypot(t1, t2);
  const inside = Math.hypot(t1 / (contact.mu || 1), t2 / (contact.muAcross || 1)) / n;
  const list: [string, string][] = [
    ["normal impulse", withUnit(n, "N·s")],
    ["friction impulse", withUnit(tangential, "N·s")],
  ];
  if (frame.step > 0) list.push(["force", withUnit(Math.hypot(n, tangential) / frame.step, "N")]);
  if (n > 0 && contact.mu > 0) list.push(["friction used", `${number(100 * inside)} %`]);
  const mu = contact.mu === contact.muAcross ? number(contact.mu) : `${number(contact.mu)}, ${number(contact.muAcross)} across`;
  list.push(
    ["μ", mu],
    ["normal velocity", withUnit(contact.velocity[0], "m/s")],
    ["sliding velocity", withUnit(Math.hypot(contact.velocity[1], contact.velocity[2]), "m/s")],
    ["gap", withUnit(contact.gap, "m")],
    ["residual", number(contact.residual)],
  );
  const status = STATUS_NAMES[contact.status] ?? "unknown";
  const title = make("h2", {}, make("span", { className: "mark " + status }), document.createTextNode(" " + status));
  const [a, b] = contact.sides.map(({ kind, index }) => nameOf(scene, kind, index));
  const between = picked < 0 ? `between ${a} and ${b}` : picked === 0 ? `on ${a}, by ${b}` : `on ${b}, by ${a}`;
  return [title, make("div", { text: between }), facts(list)];
}

export function legend(counts: ContactCounts): Node[] {
  const rows: [string, string, number][] = [
    ["stick", "sticks", counts.stick],
    ["slide", "slides", counts.slide],
    ["takeoff", "takes off", counts.takeoff],
  ];
  const nodes: Node[] = [];
  for (const [className, text, count] of rows)
    nodes.push(
      make("span", { className: "mark " + className }),
      make("span", { text }),
      make("span", { className: "count", text: String(count) }),
    );
  nodes.push(make("span", { className: "wide", text: `largest impulse ${withUnit(counts.largest, "N·s")}` }));
  return nodes;
}
