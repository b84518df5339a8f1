/** All real-time viewers of one kind: their limits, a check of each every second, and their end when the gateway stops. */

import type { Clock } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import { Pool } from '../../core/limits/pool.ts';
import type { LIMITS } from '../../core/limits/registry.ts';
import { subscriberOf } from '../../core/subscriber.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type { ViewerSessions } from '../../sharing/viewer-sessions.ts';
import type { Interest, LiveCameras } from '../../stream/media/live-media.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { viewerHolders } from '../response/viewer-holders.ts';
import { LiveSocket, type SocketCounts, type SocketFeed, type SocketTransport } from './live-socket.ts';

const LOOK_INTERVAL_MS = 1_000;
/** Looks are spread over the second: each may write a ping. */
const LOOK_SLOTS = 10;

type SocketLimit = typeof LIMITS.pictureSockets | typeof LIMITS.soundSockets;

export interface LiveSocketsOptions {
  /** The places that they share. */
  readonly limit: SocketLimit;
  /** What each viewer keeps open. */
  readonly interestOf: (session: ViewerSession) => Interest;
  readonly sessions: Pick<ViewerSessions, 'access'>;
  readonly cameras: LiveCameras;
  readonly clock: Clock;
  /** Called for the bytes of every message. */
  readonly onSent: (session: ViewerSession, bytes: number) => void;
}

interface Seat {
  readonly giveBack: () => void;
  readonly slot: Set<LiveSocket>;
}

export class LiveSockets {
  readonly #options: LiveSocketsOptions;
  readonly #counts: SocketCounts = { sentFrames: 0, droppedFrames: 0 };
  readonly #seats = new Map<LiveSocket, Seat>();
  readonly #places: Pool<SocketLimit>;
  readonly #slots = Array.from({ length: LOOK_SLOTS }, () => new Set<LiveSocket>());
  #slot = 0;
  #isTicking = false;
  #isClosed = false;

  constructor(options: LiveSocketsOptions) {
    this.#options = options;
    this.#places = new Pool<SocketLimit>(options.limit);
  }

  /** Open ones. */
  get size(): number {
    return this.#seats.size;
  }

  get counts(): Readonly<SocketCounts> {
    return this.#counts;
  }

  /** Fails with TOO_MANY_SOCKETS or SHUTTING_DOWN if there is no room for another viewer. */
  checkRoom(session: ViewerSession, address: string): void {
    if (this.#isClosed) throw new GatewayError(FRONT_DOOR_ERRORS.SHUTTING_DOWN);
    this.#takePlace(session, address)();
  }

  /** Serves `feed` from now on. Check the access first. Fails with TOO_MANY_SOCKETS. */
  open(session: ViewerSession, address: string, feed: SocketFeed, transport: SocketTransport): LiveSocket {
    const { clock, onSent } = this.#options;
    const giveBack = this.#takePlace(session, address);
    const socket = new LiveSocket({
      session,
      transport,
      feed,
      clock,
      onSent,
      counts: this.#counts,
      onEnd: (ended) => this.#leave(ended),
    });
    const slot = this.#slots[this.#seats.size % LOOK_SLOTS]!;
    slot.add(socket);
    this.#seats.set(socket, { giveBack, slot });
    socket.start();
    if (!this.#isTicking) this.#tickLater();
    return socket;
  }

  /** The gateway is stopping: tells all viewers, and admits no more. */
  dismiss(): void {
    this.#isClosed = true;
    for (const socket of [...this.#seats.keys()]) socket.goAway();
  }

  #leave(socket: LiveSocket): void {
    const seat = this.#seats.get(socket);
    if (seat === undefined) return;
    this.#seats.delete(socket);
    seat.slot.delete(socket);
    seat.giveBack();
  }

  /** Returns what gives it back. */
  #takePlace(session: ViewerSession, address: string): () => void {
    const place = this.#places.take({ ...viewerHolders(session), address: subscriberOf(address) });
    if (place.isTaken) return place.giveBack;
    throw new GatewayError(FRONT_DOOR_ERRORS.TOO_MANY_SOCKETS, { boundOf: place.level });
  }

  #tickLater(): void {
    this.#isTicking = true;
    this.#options.clock.after(LOOK_INTERVAL_MS / LOOK_SLOTS, () => {
      this.#isTicking = false;
      this.#slot = (this.#slot + 1) % LOOK_SLOTS;
      for (const socket of this.#slots[this.#slot]!) this.#look(socket);
      if (this.#seats.size > 0) this.#tickLater();
    });
  }

  /**
   * Does for a socket what requests do for other viewers: decides the access again, marks the viewer as present, and keeps the camera open.
   */
  #look(socket: LiveSocket): void {
    const { sessions, cameras, interestOf } = this.#options;
    const { session } = socket;
    if (socket.look()) session.noteFetch();
    if (socket.isOver) return;
    try {
      const access = sessions.access(session.grantText);
      if (!access.allowed) socket.onCutOff(access);
      else cameras.get(session.cameraUuid)?.touch(interestOf(session), session.urgency);
    } catch (thrown) {
      socket.onGone(toGatewayError(thrown));
    }
  }
}
