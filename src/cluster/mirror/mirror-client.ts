/** Streams of cameras that other nodes own, as this node mirrors them: one subscription for each, over the link to the owner. */

import type { Clock, TimerHandle } from '../../core/clock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { NodeLink, ReceivedMessage } from '../links/node-link.ts';
import type { NodeLinks } from '../links/node-links.ts';
import type { RunBeat } from '../nodes/camera-leases.ts';
import { readLinkPart } from './link-part.ts';
import {
  type MirrorPulses,
  type MirrorTouches,
  type Subscribed,
  TO_MIRROR,
  TO_OWNER,
  together,
} from './mirror-messages.ts';
import type { MirroredStream, MirrorSubscriptions } from './mirrored-stream.ts';

export class MirrorClient implements MirrorSubscriptions {
  readonly #clock: Clock;
  readonly #touchMs: number;
  readonly #streams = new Map<NodeLink, Map<number, MirroredStream>>();
  #nextSub = 0;
  /** While there are streams. */
  #timer: TimerHandle | null = null;

  /**
   * `touchMs`: how often an owner hears that someone here still watches, well below the time after which it closes a camera. `onBeat`: an
   * owner relies on the store.
   */
  constructor(
    links: NodeLinks,
    clock: Clock,
    touchMs: number,
    onBeat: (run: RunBeat) => void = () => undefined,
  ) {
    this.#clock = clock;
    this.#touchMs = touchMs;
    links.onClosed((link, reason) => {
      const streams = this.#streams.get(link);
      this.#forget(link);
      for (const stream of streams?.values() ?? []) stream.lost(reason);
    });
    const on = (kind: string, handle: (stream: MirroredStream, message: ReceivedMessage) => void): void => {
      links.onMessage(kind, (message) => {
        const { sub } = message.body as Subscribed;
        const stream = this.#streams.get(message.link)?.get(sub);
        if (stream !== undefined) handle(stream, message);
      });
    };
    on(TO_MIRROR.tracks, (stream, message) => stream.onTracks(message));
    on(TO_MIRROR.window, (stream, message) => stream.onWindow(message));
    on(TO_MIRROR.periods, (stream, message) => stream.onPeriods(message));
    on(TO_MIRROR.unit, (stream, message) => stream.onUnit(message));
    on(TO_MIRROR.failed, (stream, message) => stream.onFailed(message));
    on(TO_MIRROR.closed, (stream, message) => stream.onWindowClosed(message));
    on(TO_MIRROR.down, (stream, message) => stream.onDown(message));
    on(TO_MIRROR.ended, (stream) => stream.onOwnerEnded());
    links.onMessage(TO_MIRROR.pulses, ({ link, body }) => {
      const streams = this.#streams.get(link);
      const { pulses, beat } = body as MirrorPulses;
      if (beat !== null) onBeat({ runId: link.peer.runId as Ruuid, ...beat });
      for (const pulse of pulses) streams?.get(pulse.sub)?.onPulse(pulse);
    });
    links.onRecord((link, record, media) => {
      const part = readLinkPart(record);
      const stream = this.#streams.get(link)?.get(part.sub);
      if (stream === undefined) media.release();
      else stream.onPart(part, media);
    });
  }

  /** Streams that are mirrored. */
  get size(): number {
    let size = 0;
    for (const streams of this.#streams.values()) size += streams.size;
    return size;
  }

  add(link: NodeLink, streamOf: (sub: number) => MirroredStream): () => void {
    const sub = this.#nextSub++;
    let streams = this.#streams.get(link);
    if (streams === undefined) {
      streams = new Map();
      this.#streams.set(link, streams);
    }
    streams.set(sub, streamOf(sub));
    const releaseLink = link.hold();
    this.#timer ??= this.#armTouch();
    return () => {
      releaseLink();
      const known = this.#streams.get(link);
      if (known?.delete(sub) !== true) return;
      if (known.size === 0) this.#forget(link);
      link.send({ kind: TO_OWNER.close, body: { sub } });
    };
  }

  #forget(link: NodeLink): void {
    this.#streams.delete(link);
    if (this.#streams.size > 0) return;
    this.#timer?.cancel();
    this.#timer = null;
  }

  #armTouch(): TimerHandle {
    return this.#clock.after(this.#touchMs, () => {
      this.#timer = this.#armTouch();
      for (const [link, streams] of this.#streams) {
        const touches = Array.from(streams.values(), (stream) => stream.touch());
        for (const some of together(touches)) {
          link.send({ kind: TO_OWNER.touches, body: { touches: some } satisfies MirrorTouches });
        }
      }
    });
  }
}
