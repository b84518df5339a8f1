/** The viewers' rights as the simulation knows them: the acknowledged changes, and their times. */

import type { Ruuid } from '../../src/core/ruuid.ts';
import { type Hours, insideThroughout } from './hours.ts';
import type { SimulatedNode } from './node.ts';
import type { World } from './world.ts';

/** At the node that made the change, and at the others (docs/design/access.md). */
const SAME_NODE_MS = 1_000;
const OTHER_NODE_MS = 2_000;
/** At a node that could not be reached when a change was acknowledged without the store: until it can be, or the store has it. */
const UNTOLD_MS = 15_000;
/** Time of messages under way to a viewer. */
const UNDER_WAY_MS = 50;
/** A node can have been deaf for so long before it is seen. */
const LOOK_SLACK_MS = 1_000;
/** After a change has reached all nodes, excluded viewers have left, and others have returned. */
const SETTLED_MS = 25_000;

/** Rules of a share besides its end. */
export interface Rules {
  /** null: it has no schedule. */
  readonly hours: Hours | null;
  readonly isInverted: boolean;
  /** null: the link is enough. */
  readonly password: string | null;
}

interface Right {
  isAllowed: boolean;
  rules: Rules;
  /** When that was acknowledged, world time. */
  sinceMs: number;
  /** The process that acknowledged it; null: more than one, a moment ago. */
  by: SimulatedNode | null;
  /** When the password was last going to change, and when it had changed, world time. */
  passwordBeganMs: number;
  passwordMs: number;
  /** A change is under way: both answers are right. */
  changing: number;
  /** The processes that had the change when it was acknowledged without the store; null: the store had it. */
  told: ReadonlySet<SimulatedNode> | null;
}

/**
 * A viewer's credential: a password to open the link, or the grant of an opening that was sent and answered then, world
 * time.
 */
export type Credential =
  | { readonly kind: 'password'; readonly password: string | null }
  | {
      readonly kind: 'grant';
      readonly sentMs: number;
      readonly respondedMs: number;
      /** The node that gave it may have had an earlier password. */
      readonly isDoubtful: boolean;
    };

/** A request of a viewer, sent and answered at these times of the world. */
export interface Requested {
  readonly share: Ruuid;
  readonly credential: Credential;
  readonly node: SimulatedNode;
  readonly sentMs: number;
  readonly nowMs: number;
}

/** While a node hears of nothing, world time. */
interface Deaf {
  readonly fromMs: number;
  untilMs: number;
}

const OPEN: Rules = { hours: null, isInverted: false, password: null };

export class Rights {
  readonly #world: World;
  /** How far off the wall clocks are, at most. */
  readonly #wallOffMs: () => number;
  readonly #rights = new Map<Ruuid, Right>();
  readonly #endingViews = new Set<string>();
  readonly #endedViews = new Map<string, { readonly sinceMs: number; readonly by: SimulatedNode }>();
  /** By node: the last time without a word from the database, and a while longer. */
  readonly #deaf = new Map<string, Deaf>();

  constructor(world: World, wallOffMs: () => number) {
    this.#world = world;
    this.#wallOffMs = wallOffMs;
  }

  /** Until then, the node may miss changes: the database, or the way to it, is unavailable. World time. */
  deafUntil(node: string, untilMs: number): void {
    const known = this.#deaf.get(node);
    if (known !== undefined && known.untilMs >= this.#world.nowMs) known.untilMs = untilMs;
    else this.#deaf.set(node, { fromMs: this.#world.nowMs, untilMs });
  }

  created(share: Ruuid, by: SimulatedNode, rules = OPEN): void {
    const sinceMs = this.#world.nowMs;
    const noPassword = { passwordBeganMs: Number.NEGATIVE_INFINITY, passwordMs: Number.NEGATIVE_INFINITY };
    this.#rights.set(share, { isAllowed: true, rules, sinceMs, by, ...noPassword, changing: 0, told: null });
  }

  rulesOf(share: Ruuid): Rules {
    return this.#rights.get(share)!.rules;
  }

  /** Whether the node knows the rules: it made them, or has heard of them. */
  isUpToDate(share: Ruuid, node: SimulatedNode): boolean {
    const right = this.#rights.get(share)!;
    return right.by === node || this.#knows(right, node, this.#world.nowMs);
  }

  /** Whether the node knows everything that was acknowledged then, world time. */
  hasHeardSince(node: SimulatedNode, sinceMs: number): boolean {
    const heardMs = this.#world.nowMs - Math.max(sinceMs, this.#deafUntilMs(node));
    return heardMs >= OTHER_NODE_MS + UNDER_WAY_MS;
  }

  /** Nothing about it is under way, or in doubt because a change failed. */
  isCertain(share: Ruuid): boolean {
    return this.#rights.get(share)?.changing === 0;
  }

  /** Whether someone with this password may watch it at all nodes, and could since then. */
  isAllowed(share: Ruuid, password: string | null, sinceMs = this.#world.nowMs): boolean {
    const right = this.#rights.get(share);
    if (right === undefined || !right.isAllowed || right.changing > 0) return false;
    const { rules } = right;
    if (rules === OPEN) return true;
    if (right.sinceMs > Math.min(sinceMs, this.#world.nowMs - SETTLED_MS)) return false;
    if (rules.password !== null && rules.password !== password) return false;
    const from = this.#world.epochMsAt(sinceMs - SETTLED_MS) - this.#wallOffMs();
    return shownThroughout(rules, from, this.#world.epochMs + this.#wallOffMs()) === true;
  }

  /** Whether its link opens at this node, also if it was created a moment ago. */
  isOpenable(share: Ruuid, node: SimulatedNode, sentMs: number): boolean {
    const right = this.#rights.get(share);
    const isPlain = right?.rules === OPEN && right.isAllowed && right.changing === 0;
    return isPlain && sentMs >= this.#deafUntilMs(node);
  }

  /** Refusing the view is right from now on. */
  viewEnding(folder: string): void {
    this.#endingViews.add(folder);
  }

  /** This view was ended, and that was stored. */
  viewEnded(folder: string, by: SimulatedNode): void {
    this.#endedViews.set(folder, { sinceMs: this.#world.nowMs, by });
  }

  /** Folders of views whose end is stored, in that order. */
  get endedFolders(): readonly string[] {
    return [...this.#endedViews.keys()];
  }

  isEnded(folder: string): boolean {
    return this.#endingViews.has(folder);
  }

  /** null: serving it is right. */
  endedForMs(folder: string, node: SimulatedNode, sentMs: number): string | null {
    const ended = this.#endedViews.get(folder);
    if (ended === undefined) return null;
    const boundMs = ended.by === node ? SAME_NODE_MS : OTHER_NODE_MS;
    if (sentMs - Math.max(ended.sinceMs, this.#deafUntilMs(node)) <= boundMs) return null;
    return `ended ${Math.round(sentMs - ended.sinceMs)} ms before at ${ended.by.name}`;
  }

  changing(share: Ruuid): void {
    this.#rights.get(share)!.changing++;
  }

  /** The end of the share was acknowledged, and is in effect after `delayMs`. */
  changed(
    share: Ruuid,
    isAllowed: boolean,
    by: SimulatedNode,
    delayMs: number,
    told: ReadonlySet<SimulatedNode> | null = null,
  ): void {
    const right = this.#rights.get(share)!;
    right.isAllowed = isAllowed;
    right.told = told;
    this.#acknowledged(right, by, this.#world.nowMs + delayMs);
  }

  /** Other rules were acknowledged, which were sent at `beganMs`, world time. */
  ruled(
    share: Ruuid,
    rules: Partial<Rules>,
    by: SimulatedNode,
    beganMs: number,
    told: ReadonlySet<SimulatedNode> | null = null,
  ): void {
    const right = this.#rights.get(share)!;
    right.told = told;
    right.rules = { ...right.rules, ...rules };
    if (rules.password !== undefined) {
      right.passwordBeganMs = beganMs;
      right.passwordMs = this.#world.nowMs;
    }
    this.#acknowledged(right, by, this.#world.nowMs);
  }

  /** Whether the node that opened it may have had an earlier password. */
  isDoubtful(share: Ruuid, node: SimulatedNode, sentMs: number): boolean {
    const { passwordMs } = this.#rights.get(share)!;
    if (passwordMs === Number.NEGATIVE_INFINITY) return false;
    return sentMs - Math.max(passwordMs, this.#deafUntilMs(node)) < OTHER_NODE_MS + UNDER_WAY_MS;
  }

  /** null: serving it is right. */
  deniedForMs({ share, credential, node, sentMs, nowMs }: Requested): string | null {
    const right = this.#rights.get(share);
    if (right === undefined || right.changing > 0 || nowMs < sentMs) return null;
    if (!this.#hasHeard(right, node, sentMs)) return null;
    const since = `${Math.round(sentMs - right.sinceMs)} ms before at ${right.by?.name}`;
    if (!right.isAllowed) return `revoked ${since}`;
    if (this.#isShownAt(right.rules, node, sentMs, nowMs) === false) return `hidden, by rules of ${since}`;
    if (credential.kind === 'password') {
      const { password } = right.rules;
      return password === null || password === credential.password ? null : `another password ${since}`;
    }
    return credential.respondedMs < right.passwordBeganMs ? `another password ${since}` : null;
  }

  /** null: refusing it is right. */
  allowedForMs({ share, credential, node, sentMs, nowMs }: Requested): string | null {
    const right = this.#rights.get(share);
    if (right === undefined || !right.isAllowed || right.changing > 0) return null;
    if (!this.#knows(right, node, sentMs)) return null;
    if (this.#isShownAt(right.rules, node, sentMs, nowMs) !== true) return null;
    const { password } = right.rules;
    if (credential.kind === 'password') {
      if (password !== null && password !== credential.password) return null;
    } else if (credential.sentMs < right.passwordMs || credential.isDoubtful) return null;
    return `allowed for ${Math.round(sentMs - right.sinceMs)} ms`;
  }

  #acknowledged(right: Right, by: SimulatedNode, sinceMs: number): void {
    // A change that it has not heard of yet may have been made elsewhere a moment ago.
    const isAlone = right.by === by || this.#world.nowMs - right.sinceMs > OTHER_NODE_MS;
    right.changing--;
    right.sinceMs = Math.max(right.sinceMs, sinceMs);
    right.by = isAlone ? by : null;
  }

  /** It has heard of the rules, at the latest now. */
  #knows(right: Right, node: SimulatedNode, sentMs: number): boolean {
    return sentMs - Math.max(right.sinceMs, this.#deafUntilMs(node)) >= OTHER_NODE_MS + UNDER_WAY_MS;
  }

  /** It has to follow the rules: it has heard of them by now, or had before it heard of nothing. */
  #hasHeard(right: Right, node: SimulatedNode, sentMs: number): boolean {
    const boundMs = right.by === node ? SAME_NODE_MS : OTHER_NODE_MS;
    // It is in force there, whether the store can be reached or not.
    if (right.told?.has(node) === true) return sentMs - right.sinceMs > boundMs;
    const deaf = this.#deaf.get(node.name);
    if (right.told !== null) return sentMs - Math.max(right.sinceMs, deaf?.untilMs ?? 0) > UNTOLD_MS;
    if (sentMs - Math.max(right.sinceMs, deaf?.untilMs ?? 0) > boundMs) return true;
    return deaf !== undefined && deaf.fromMs - LOOK_SLACK_MS - right.sinceMs > boundMs;
  }

  /** By the node's own wall clock, from a bound before the request to its answer; null: it changes in the meantime. */
  #isShownAt(rules: Rules, { clock }: SimulatedNode, sentMs: number, nowMs: number): boolean | null {
    if (rules.hours === null) return true;
    if (sentMs - clock.steppedMs <= SAME_NODE_MS) return null;
    const { wallOffsetMs } = clock;
    const fromEpochMs = this.#world.epochMsAt(sentMs - SAME_NODE_MS) + wallOffsetMs;
    return shownThroughout(rules, fromEpochMs, this.#world.epochMsAt(nowMs) + wallOffsetMs);
  }

  #deafUntilMs(node: SimulatedNode): number {
    return this.#deaf.get(node.name)?.untilMs ?? 0;
  }
}

function shownThroughout(
  { hours, isInverted }: Rules,
  fromEpochMs: number,
  toEpochMs: number,
): boolean | null {
  if (hours === null) return true;
  const isInside = insideThroughout(hours.spans, fromEpochMs, toEpochMs);
  return isInside === null ? null : isInside !== isInverted;
}
