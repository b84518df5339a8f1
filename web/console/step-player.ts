/**
 * Several players that show the same time: one clock, which each of them follows. The players are pages of the media
 * listener in frames, steered by messages (docs/design/viewer-page.md#steering).
 */

import { signal } from '@preact/signals';

/** The last state that a player reported. */
type Told =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'live'; readonly epochMs: number | null }
  | { readonly kind: 'playing' | 'paused'; readonly epochMs: number };

interface Player {
  readonly frame: HTMLIFrameElement;
  readonly origin: string;
  told: Told;
  /** Since when it waits. */
  waitsSinceMs: number;
  /** Its time was recorded when the clock was looked at last. */
  wasRecorded: boolean;
}

export type Head =
  | { readonly kind: 'live' }
  | { readonly kind: 'past'; readonly atMs: number; readonly isPlaying: boolean };

export interface StepRecording {
  nowMs(): number;
  isRecorded(cameraUuid: string, atMs: number): boolean;
  /** Where the recording of any of the cameras continues; null: nowhere. */
  next(cameraUuids: readonly string[], atMs: number): number | null;
}

const TICK_MS = 100;
const PACE_MS = 500;
/** All are given this long to find the instant, before those that found it begin to play. */
const GATHER_MS = 5_000;
const ARRIVED_MS = 500;
/** While one drags, players get at most so many times. */
const SEEK_EVERY_MS = 120;
/** Closer to the present, there is soon nothing left to play. */
const LIVE_EDGE_MS = 8_000;
/** A pointer that rests wants to see the video again. */
const PEEK_MS = 2_500;
/** A player that waits longer may have missed the command. */
const TELL_AGAIN_MS = 4_000;

export class StepPlayer {
  readonly head = signal<Head>({ kind: 'live' });
  readonly rate = signal(1);
  /** Of the player that reported last: whether it waits for video, and what one hears. */
  readonly isWaiting = signal(true);
  readonly sound = signal<'none' | 'muted' | 'on'>('none');
  readonly #recording: StepRecording;
  readonly #players = new Map<string, Player>();
  readonly #timer: ReturnType<typeof setInterval>;
  /** Until when players may gather; null: the clock runs, or stands. */
  #gathersUntilMs: number | null = null;
  #tickedAtMs = performance.now();
  #pacedAtMs = 0;
  #soughtAtMs = 0;
  #seekTimer: ReturnType<typeof setTimeout> | null = null;
  #peekTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(recording: StepRecording) {
    this.#recording = recording;
    addEventListener('message', this.#onMessage);
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  close(): void {
    clearInterval(this.#timer);
    if (this.#seekTimer !== null) clearTimeout(this.#seekTimer);
    if (this.#peekTimer !== null) clearTimeout(this.#peekTimer);
    removeEventListener('message', this.#onMessage);
  }

  /** Returns what removes it. */
  add(cameraUuid: string, frame: HTMLIFrameElement): () => void {
    const player: Player = {
      frame,
      origin: new URL(frame.src).origin,
      told: { kind: 'waiting' },
      waitsSinceMs: Number.NEGATIVE_INFINITY,
      wasRecorded: false,
    };
    this.#players.set(cameraUuid, player);
    return () => {
      if (this.#players.get(cameraUuid) === player) this.#players.delete(cameraUuid);
    };
  }

  live(): void {
    this.#gathersUntilMs = null;
    this.head.value = { kind: 'live' };
    this.#showAll();
  }

  /** Goes to the instant; plays on from there if it played. */
  seek(epochMs: number, isDragging = false): void {
    if (!isDragging && epochMs > this.#recording.nowMs() - LIVE_EDGE_MS) {
      this.live();
      return;
    }
    const { head } = this;
    const isPlaying = head.value.kind === 'past' && head.value.isPlaying;
    head.value = { kind: 'past', atMs: Math.min(epochMs, this.#recording.nowMs()), isPlaying };
    this.#gathersUntilMs = isPlaying ? performance.now() + GATHER_MS : null;
    if (this.#seekTimer !== null) return;
    const waitMs = isDragging ? Math.max(0, this.#soughtAtMs + SEEK_EVERY_MS - performance.now()) : 0;
    this.#seekTimer = setTimeout(() => {
      this.#seekTimer = null;
      this.#soughtAtMs = performance.now();
      this.#showAll();
    }, waitMs);
  }

  /** Shows thumbnails of the instant above the videos, which do not change, for a moment; null: no longer. */
  peek(epochMs: number | null): void {
    if (this.#peekTimer !== null) clearTimeout(this.#peekTimer);
    this.#peekTimer = epochMs === null ? null : setTimeout(() => this.peek(null), PEEK_MS);
    for (const cameraUuid of this.#players.keys()) {
      const isThere = epochMs !== null && this.#recording.isRecorded(cameraUuid, epochMs);
      this.#send(cameraUuid, { kind: 'peek', epochMs: isThere ? epochMs : null });
    }
  }

  setSound(isOn: boolean): void {
    for (const cameraUuid of this.#players.keys()) this.#send(cameraUuid, { kind: 'sound', isOn });
  }

  /** When the frame was taken that the camera's player shows; null: not known. */
  shownMs(cameraUuid: string): number | null {
    const told = this.#players.get(cameraUuid)?.told ?? null;
    return told === null || told.kind === 'waiting' ? null : told.epochMs;
  }

  setPlaying(isPlaying: boolean): void {
    const head = this.head.value;
    if (head.kind === 'live') {
      if (!isPlaying) this.#pauseAt(this.#recording.nowMs() - LIVE_EDGE_MS);
      return;
    }
    this.head.value = { ...head, isPlaying };
    this.#gathersUntilMs = isPlaying ? performance.now() + GATHER_MS : null;
    this.#showAll();
  }

  #pauseAt(atMs: number): void {
    this.head.value = { kind: 'past', atMs, isPlaying: false };
    this.#showAll();
  }

  #showAll(): void {
    for (const cameraUuid of this.#players.keys()) this.#show(cameraUuid);
  }

  /** Where all are; while they gather, none plays. */
  #show(cameraUuid: string): void {
    const head = this.head.value;
    if (head.kind === 'live') {
      this.#send(cameraUuid, { kind: 'live' });
      return;
    }
    const { atMs } = head;
    if (!this.#recording.isRecorded(cameraUuid, atMs)) return;
    const isPlaying = head.isPlaying && this.#gathersUntilMs === null;
    this.#send(cameraUuid, { kind: 'show', epochMs: atMs, isPlaying, rate: this.rate.value });
  }

  #send(cameraUuid: string, command: object): void {
    const player = this.#players.get(cameraUuid);
    player?.frame.contentWindow?.postMessage(command, player.origin);
  }

  readonly #onMessage = ({ source, origin, data }: MessageEvent): void => {
    for (const [cameraUuid, player] of this.#players) {
      if (player.frame.contentWindow !== source || player.origin !== origin) continue;
      const told = toldBy(data);
      if (told === null) return;
      const nowMs = performance.now();
      if (told.kind === 'waiting' && player.told.kind !== 'waiting') player.waitsSinceMs = nowMs;
      player.told = told;
      this.isWaiting.value = told.kind === 'waiting';
      this.sound.value = soundTold(data);
      const isLost = told.kind === 'waiting' || (told.kind === 'live') !== (this.head.value.kind === 'live');
      if (isLost && nowMs - player.waitsSinceMs > TELL_AGAIN_MS) {
        player.waitsSinceMs = nowMs;
        this.#show(cameraUuid);
      }
    }
  };

  #tick(): void {
    const nowMs = performance.now();
    const passedMs = nowMs - this.#tickedAtMs;
    this.#tickedAtMs = nowMs;
    const head = this.head.value;
    if (head.kind === 'live') return;
    const present = this.#noteRecorded(head.atMs);
    if (!head.isPlaying) return;
    if (this.#gathersUntilMs !== null) {
      if (nowMs < this.#gathersUntilMs && !present.every((player) => hasArrived(player, head.atMs))) return;
      this.#gathersUntilMs = null;
      this.#showAll();
      return;
    }
    this.#advance(head.atMs + passedMs * this.rate.value, present.length > 0);
  }

  /**
   * The players of cameras that were recorded then; a camera that was not recorded before is shown at the time of the head.
   */
  #noteRecorded(atMs: number): Player[] {
    const present: Player[] = [];
    for (const [cameraUuid, player] of this.#players) {
      const isRecorded = this.#recording.isRecorded(cameraUuid, atMs);
      if (isRecorded && !player.wasRecorded) this.#show(cameraUuid);
      player.wasRecorded = isRecorded;
      if (isRecorded) present.push(player);
    }
    return present;
  }

  #advance(wantedMs: number, isAnyThere: boolean): void {
    const cameraUuids = [...this.#players.keys()];
    // A time of which nothing is recorded is skipped.
    const nextMs = isAnyThere ? null : this.#recording.next(cameraUuids, wantedMs);
    const atMs = nextMs ?? wantedMs;
    if (atMs > this.#recording.nowMs() - LIVE_EDGE_MS) {
      this.live();
      return;
    }
    this.head.value = { kind: 'past', atMs, isPlaying: true };
    if (performance.now() - this.#pacedAtMs < PACE_MS) return;
    this.#pacedAtMs = performance.now();
    for (const [cameraUuid, player] of this.#players) {
      if (!player.wasRecorded) continue;
      this.#send(cameraUuid, { kind: 'pace', epochMs: atMs, rate: this.rate.value });
    }
  }
}

function hasArrived({ told }: Player, atMs: number): boolean {
  return (told.kind === 'paused' || told.kind === 'playing') && Math.abs(told.epochMs - atMs) < ARRIVED_MS;
}

function soundTold(data: unknown): 'none' | 'muted' | 'on' {
  const { sound } = (data ?? {}) as Record<string, unknown>;
  return sound === 'muted' || sound === 'on' ? sound : 'none';
}

/** Null: not a message of a player. */
function toldBy(data: unknown): Told | null {
  if (typeof data !== 'object' || data === null || !('sluice' in data) || !('state' in data)) return null;
  const { kind, epochMs } = (data.state ?? {}) as Record<string, unknown>;
  if (kind === 'waiting') return { kind };
  if (kind === 'live') return { kind, epochMs: typeof epochMs === 'number' ? epochMs : null };
  const isThere = kind === 'playing' || kind === 'paused';
  return isThere && typeof epochMs === 'number' ? { kind, epochMs } : null;
}
