/**
 * A page that frames this one may steer it: several cameras then show the same time
 * (docs/design/viewer-page.md#steering). The page exchanges messages only with a parent of an origin that the
 * gateway named.
 */

/** Commands of the other page. */
export type SteeringCommand =
  /** Show this instant, and play on from there or stay. */
  | { readonly kind: 'show'; readonly epochMs: number; readonly isPlaying: boolean; readonly rate: number }
  /** The time that all are to show now, while they play. */
  | { readonly kind: 'pace'; readonly epochMs: number; readonly rate: number }
  | { readonly kind: 'live' }
  /** Show the thumbnail of this instant above the video, which does not change; null: no longer. */
  | { readonly kind: 'peek'; readonly epochMs: number | null }
  | { readonly kind: 'sound'; readonly isOn: boolean };

/** States that this page reports to it. `waiting`: for video. `epochMs`: when the frame on the screen was taken; null: not known. */
export type SteeredState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'live'; readonly epochMs: number | null }
  | { readonly kind: 'playing' | 'paused'; readonly epochMs: number };

export interface Steered {
  show(epochMs: number, isPlaying: boolean): void;
  /** Plays at another speed. */
  pace(rate: number): void;
  goLive(): void;
  peek(epochMs: number | null): void;
  state(): SteeredState;
  setSound(isOn: boolean): void;
  sound(): SteeredSound;
}

/** What the viewer hears. */
export type SteeredSound = 'none' | 'muted' | 'on';

const TELL_MS = 200;
/** If it is farther from the others than this, it seeks. Nearer, it plays a little faster or slower. */
const SEEK_AWAY_MS = 1_500;
const IN_STEP_MS = 60;
const CATCH_UP_MS = 2_000;
const MAX_CORRECTION = 0.25;
/** Limits that players of the past offer, and browsers play. */
const MAX_RATE = 8;
const MAX_EPOCH_MS = 8.64e15;

export class Steering {
  readonly #page: Steered;
  #origins: readonly string[] = [];
  #newest: Exclude<SteeringCommand, { kind: 'sound' | 'peek' }> | null = null;

  constructor(page: Steered) {
    this.#page = page;
    addEventListener('message', (event) => this.#onMessage(event));
    setInterval(() => this.#tell(), TELL_MS);
  }

  /** The page can play. `steered`: it shows the last command, or nothing before the first. */
  opened(origins: readonly string[]): 'steered' | 'live' {
    this.#origins = origins;
    this.#tell();
    const newest = this.#newest;
    if (newest?.kind === 'live') return 'live';
    if (newest?.kind === 'show') this.#show(newest.epochMs, newest.isPlaying, newest.rate);
    return 'steered';
  }

  #onMessage({ source, origin, data }: MessageEvent): void {
    if (source !== parent || source === window || !this.#origins.includes(origin)) return;
    const command = commandOf(data);
    if (command === null) return;
    if (command.kind === 'sound') {
      this.#page.setSound(command.isOn);
      this.#tell();
      return;
    }
    if (command.kind === 'peek') {
      this.#page.peek(command.epochMs);
      return;
    }
    if (command.kind === 'pace') {
      this.#keepPace(command.epochMs, command.rate);
      return;
    }
    this.#newest = command;
    if (command.kind === 'live') this.#page.goLive();
    else this.#show(command.epochMs, command.isPlaying, command.rate);
  }

  #show(epochMs: number, isPlaying: boolean, rate: number): void {
    this.#page.show(epochMs, isPlaying);
    this.#page.pace(rate);
  }

  #keepPace(epochMs: number, rate: number): void {
    // After a new grant or a lost network, playback continues from here.
    this.#newest = { kind: 'show', epochMs, isPlaying: true, rate };
    const state = this.#page.state();
    if (state.kind !== 'playing') return;
    const behindMs = epochMs - state.epochMs;
    if (Math.abs(behindMs) > SEEK_AWAY_MS * Math.max(1, rate)) {
      this.#show(epochMs, true, rate);
      return;
    }
    const correction = Math.abs(behindMs) < IN_STEP_MS ? 0 : behindMs / CATCH_UP_MS;
    this.#page.pace(rate * (1 + Math.min(MAX_CORRECTION, Math.max(-MAX_CORRECTION, correction))));
  }

  /** A message for an origin that the parent does not have is not delivered. */
  #tell(): void {
    const message = { sluice: 'steered', state: this.#page.state(), sound: this.#page.sound() };
    for (const origin of this.#origins) parent.postMessage(message, origin);
  }
}

/** Whether another page asked to steer this one. Pages of links cannot be steered. */
export function isSteered(): boolean {
  const isPreview = location.pathname.replace(/\/+$/, '').endsWith('/preview');
  return isPreview && parent !== window && new URLSearchParams(location.search).has('steered');
}

/** Null: it is none. */
function commandOf(data: unknown): SteeringCommand | null {
  if (typeof data !== 'object' || data === null) return null;
  const { kind, epochMs, rate, isPlaying, isOn } = data as Record<string, unknown>;
  if (kind === 'live') return { kind };
  if (kind === 'sound') return typeof isOn === 'boolean' ? { kind, isOn } : null;
  if (kind === 'peek' && epochMs === null) return { kind, epochMs };
  if (typeof epochMs !== 'number' || !(epochMs >= 0 && epochMs <= MAX_EPOCH_MS)) return null;
  if (kind === 'peek') return { kind, epochMs };
  if (typeof rate !== 'number' || !(rate > 0 && rate <= MAX_RATE)) return null;
  if (kind === 'pace') return { kind, epochMs, rate };
  return kind === 'show' && typeof isPlaying === 'boolean' ? { kind, epochMs, isPlaying, rate } : null;
}
