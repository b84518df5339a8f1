/**
 * Grants of previews for the cameras on a watched wall: opened a few at a time, extended before they end, and replaced if they end early.
 * Only the gateway decides which cameras the person may see.
 */

import { CallError } from './api.ts';
import { takeTurn } from './few-at-once.ts';
import { gatewayNowMs } from './gateway-clock.ts';
import { openPreview, type Preview } from './stream-state.ts';

export type WallGrant =
  | { readonly kind: 'opening' }
  | { readonly kind: 'open'; readonly grant: string; readonly endsAtMs: number }
  | { readonly kind: 'failed'; readonly error: CallError };

/** Fails with a CallError. */
type OpenPreview = (
  cameraUuid: string,
  grant: string | null,
  signal: AbortSignal,
) => Promise<Pick<Preview, 'grant' | 'endsAtMs'>>;

interface Held {
  state: WallGrant;
  readonly left: AbortController;
  timer: ReturnType<typeof setTimeout> | undefined;
  failures: number;
}

/** A grant is extended when this much of its time is left. */
const EXTEND_BEFORE_MS = 300_000;
const FIRST_RETRY_MS = 2_000;
const LAST_RETRY_MS = 30_000;

export class WallGrants {
  readonly #held = new Map<string, Held>();
  readonly #onChange: () => void;
  readonly #open: OpenPreview;

  /** `onChange`: called when a grant is there, fails, or is another one. `open`: for tests. */
  constructor(onChange: () => void, open: OpenPreview = openPreview) {
    this.#onChange = onChange;
    this.#open = open;
  }

  /** Grants are for these cameras from now on. Others are forgotten; they end without being extended. */
  want(cameraUuids: readonly string[]): void {
    const wanted = new Set(cameraUuids);
    for (const [cameraUuid, held] of this.#held) if (!wanted.has(cameraUuid)) this.#drop(cameraUuid, held);
    for (const cameraUuid of wanted) {
      if (this.#held.has(cameraUuid)) continue;
      const held: Held = {
        state: { kind: 'opening' },
        left: new AbortController(),
        timer: undefined,
        failures: 0,
      };
      this.#held.set(cameraUuid, held);
      void this.#ask(cameraUuid, held, null);
    }
  }

  of(cameraUuid: string): WallGrant {
    return this.#held.get(cameraUuid)?.state ?? { kind: 'opening' };
  }

  /** This grant no longer opens the camera. Does nothing if there is another one by now, or one is on its way. */
  replace(cameraUuid: string, grant: string): void {
    const held = this.#held.get(cameraUuid);
    if (held?.state.kind !== 'open' || held.state.grant !== grant) return;
    held.state = { kind: 'opening' };
    // After a pause that grows: the next one may be refused as well.
    this.#later(cameraUuid, held, null, this.#retryMs(held));
  }

  close(): void {
    for (const [cameraUuid, held] of this.#held) this.#drop(cameraUuid, held);
  }

  #drop(cameraUuid: string, held: Held): void {
    held.left.abort();
    clearTimeout(held.timer);
    this.#held.delete(cameraUuid);
  }

  async #ask(cameraUuid: string, held: Held, earlier: string | null): Promise<void> {
    const { signal } = held.left;
    try {
      const { grant, endsAtMs } = await takeTurn(signal, () => this.#open(cameraUuid, earlier, signal));
      if (signal.aborted) return;
      // A grant that was replaced proves nothing; one that was extended works.
      if (grant === earlier) held.failures = 0;
      const isNew = held.state.kind !== 'open' || held.state.grant !== grant;
      held.state = { kind: 'open', grant, endsAtMs };
      const waitMs = Math.max(FIRST_RETRY_MS, endsAtMs - gatewayNowMs() - EXTEND_BEFORE_MS);
      this.#later(cameraUuid, held, grant, waitMs);
      if (isNew) this.#onChange();
    } catch (thrown) {
      if (signal.aborted) return;
      const error = thrown instanceof CallError ? thrown : new CallError(String(thrown), { status: 0 });
      // What plays may continue: only its end could not be moved.
      const isOver = held.state.kind !== 'open' || held.state.endsAtMs <= gatewayNowMs();
      if (isOver) held.state = { kind: 'failed', error };
      const waitMs = Math.max(this.#retryMs(held), (error.retryAfterSec ?? 0) * 1_000);
      this.#later(cameraUuid, held, isOver ? null : earlier, waitMs);
      if (isOver) this.#onChange();
    }
  }

  #retryMs(held: Held): number {
    return Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(10, held.failures++));
  }

  #later(cameraUuid: string, held: Held, earlier: string | null, waitMs: number): void {
    clearTimeout(held.timer);
    held.timer = setTimeout(() => void this.#ask(cameraUuid, held, earlier), waitMs);
  }
}
