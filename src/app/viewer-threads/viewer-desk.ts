/** The gateway thread's services for one viewer thread. */

import type { Clock } from '../../core/clock.ts';
import type { MirrorEvents } from '../../mirror/mirror-events.ts';
import { type PublishedWindows, WindowFeed } from '../../mirror/window-feed.ts';
import type { AccessRefused } from '../../sharing/access-decision.ts';
import { SessionLeases } from '../../sharing/session-leases.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type { ViewerSessions } from '../../sharing/viewer-sessions.ts';
import type { DeskCalls, Touch, ViewerThreadState } from './viewer-thread-calls.ts';

export interface ViewerDeskOptions {
  readonly sessions: Pick<ViewerSessions, 'access'>;
  readonly cameras: PublishedWindows;
  readonly events: MirrorEvents;
  readonly onLeaseEnded: (id: number, refusal: AccessRefused) => void;
  readonly onLeaseChanged: (id: number, sharesPaths: boolean) => void;
  readonly onSent: (session: ViewerSession, bytes: number) => void;
  /** So many more were sent. */
  readonly onPlaylists: (playlists: number) => void;
  readonly onTouch: (touch: Touch) => void;
  readonly onLogged: (line: string) => void;
  readonly clock: Clock;
}

export class ViewerDesk {
  readonly #clock: Clock;
  readonly #leases: SessionLeases;
  readonly #feed: WindowFeed;
  readonly calls: DeskCalls;
  /** As last reported; null before. */
  state: ViewerThreadState | null = null;
  #heardMonoMs: number;

  constructor(options: ViewerDeskOptions) {
    const {
      sessions,
      cameras,
      events,
      onLeaseEnded,
      onLeaseChanged,
      onSent,
      onPlaylists,
      onTouch,
      onLogged,
      clock,
    } = options;
    this.#clock = clock;
    this.#heardMonoMs = clock.monoMs();
    this.#leases = new SessionLeases({
      sessions,
      onSent,
      onEnded: onLeaseEnded,
      onChanged: onLeaseChanged,
    });
    this.#feed = new WindowFeed(cameras, events);
    this.calls = {
      lease: async (grantText, origin) => this.#leases.lease(grantText, origin),
      follow: async (cameraUuid, rendition) => this.#feed.follow(cameraUuid, rendition),
      unfollow: (windowIds) => {
        for (const windowId of windowIds) this.#feed.unfollow(windowId);
      },
      released: (holds) => this.#feed.release(holds),
      report: ({ notes, dropped }, touches, state) => {
        this.#heardMonoMs = clock.monoMs();
        onPlaylists(state.playlists - (this.state?.playlists ?? 0));
        this.state = state;
        this.#leases.note(notes);
        this.#leases.drop(dropped);
        for (const touch of touches) onTouch(touch);
      },
      logged: (lines) => {
        for (const line of lines) onLogged(line);
      },
    };
  }

  /** Since the thread was last heard. */
  get silentMs(): number {
    return this.#clock.monoMs() - this.#heardMonoMs;
  }

  /** It could not be heard. */
  forgive(): void {
    this.#heardMonoMs = this.#clock.monoMs();
  }

  /** The thread has ended: it no longer reads its blocks. */
  close(): void {
    this.#leases.close();
    this.#feed.close();
  }
}
