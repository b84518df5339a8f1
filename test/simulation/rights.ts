/** Who may watch, as the simulation knows it: what was acknowledged to those who changed it, and when. */

import type { Ruuid } from '../../src/core/ruuid.ts';
import type { SimulatedNode } from './node.ts';
import type { World } from './world.ts';

/** At the node that made the change, and at the others (docs/design/access.md). */
const SAME_NODE_MS = 1_000;
const OTHER_NODE_MS = 2_000;
/** What is under way to a viewer. */
const UNDER_WAY_MS = 50;

interface Right {
  isAllowed: boolean;
  /** When that was acknowledged, world time. */
  sinceMs: number;
  /** The process that acknowledged it. */
  by: SimulatedNode | null;
  /** A change is under way: both answers are right. */
  changing: number;
}

export class Rights {
  readonly #world: World;
  readonly #rights = new Map<Ruuid, Right>();
  readonly #endingViews = new Set<string>();
  readonly #endedViews = new Map<string, { readonly sinceMs: number; readonly by: SimulatedNode }>();
  /** Until when nodes may not have heard of changes: the database, or the way to it, is away. World time. */
  deafUntilMs = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  created(share: Ruuid, by: SimulatedNode): void {
    this.#rights.set(share, { isAllowed: true, sinceMs: this.#world.nowMs, by, changing: 0 });
  }

  isAllowed(share: Ruuid): boolean {
    const right = this.#rights.get(share);
    return right?.isAllowed === true && right.changing === 0;
  }

  /** Whether its link opens at this node, also if it was created a moment ago. */
  isOpenable(share: Ruuid, node: SimulatedNode, sentMs: number): boolean {
    return this.isAllowed(share) && sentMs >= (this.deafUntilMs.get(node.name) ?? 0);
  }

  /** From now on, refusing it is right. */
  viewEnding(folder: string): void {
    this.#endingViews.add(folder);
  }

  /** This view was ended, and that was stored. */
  viewEnded(folder: string, by: SimulatedNode): void {
    this.#endedViews.set(folder, { sinceMs: this.#world.nowMs, by });
  }

  isEnded(folder: string): boolean {
    return this.#endingViews.has(folder);
  }

  /** null: serving it is right. */
  endedForMs(folder: string, node: SimulatedNode, sentMs: number): string | null {
    const ended = this.#endedViews.get(folder);
    if (ended === undefined) return null;
    const deafUntilMs = this.deafUntilMs.get(node.name) ?? 0;
    const boundMs = ended.by === node ? SAME_NODE_MS : OTHER_NODE_MS;
    if (sentMs - Math.max(ended.sinceMs, deafUntilMs) <= boundMs) return null;
    return `ended ${Math.round(sentMs - ended.sinceMs)} ms before at ${ended.by.name}`;
  }

  changing(share: Ruuid): void {
    this.#rights.get(share)!.changing++;
  }

  /** The change was acknowledged, and is in effect after `delayMs`. */
  changed(share: Ruuid, isAllowed: boolean, by: SimulatedNode, delayMs: number): void {
    const right = this.#rights.get(share)!;
    right.changing--;
    right.isAllowed = isAllowed;
    right.sinceMs = this.#world.nowMs + delayMs;
    right.by = by;
  }

  /** null: serving it is right. */
  deniedForMs(share: Ruuid, node: SimulatedNode, sentMs: number, nowMs: number): string | null {
    const right = this.#rights.get(share);
    if (right === undefined || right.isAllowed || right.changing > 0) return null;
    const boundMs = right.by === node ? SAME_NODE_MS : OTHER_NODE_MS;
    const deafUntilMs = this.deafUntilMs.get(node.name) ?? 0;
    const lateMs = sentMs - Math.max(right.sinceMs, deafUntilMs) - boundMs;
    if (lateMs <= 0 || nowMs - sentMs < 0) return null;
    return `revoked ${Math.round(sentMs - right.sinceMs)} ms before at ${right.by?.name}`;
  }

  /** null: refusing it is right. */
  allowedForMs(share: Ruuid, node: SimulatedNode, sentMs: number): string | null {
    const right = this.#rights.get(share);
    if (right === undefined || !right.isAllowed || right.changing > 0) return null;
    const deafUntilMs = this.deafUntilMs.get(node.name) ?? 0;
    if (sentMs - Math.max(right.sinceMs, deafUntilMs) < OTHER_NODE_MS + UNDER_WAY_MS) return null;
    return `allowed for ${Math.round(sentMs - right.sinceMs)} ms`;
  }
}
