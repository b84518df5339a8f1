/**
 * What the gateway knows about its connection to a camera, beyond the current moment. A camera without viewers is closed,
 * but the result of its last contact still holds. The gateway claims only what it has observed: a camera that it never
 * contacted is `not-checked`. Plain values, so that threads can pass them on.
 */

import type { LiveState, LiveStateName } from './media/live-media.ts';
import type { WorkerWait } from './media/urgency.ts';
import { type CameraFault, cameraFaultOf } from './source/camera-fault.ts';

/**
 * `not-checked`: no contact since the gateway started or the address changed. `connecting`: being opened. `live`: streaming
 * video. `reachable`: closed because it has no viewers, and the last contact was good. `offline`: the last contact failed,
 * or the stream broke.
 */
export const CONNECTION_STATES = ['not-checked', 'connecting', 'live', 'reachable', 'offline'] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

/** The connection of one stream of a camera. */
export interface StreamConnection {
  readonly state: ConnectionState;
  /** Since when it has been in this state; null: since the gateway has known the camera. */
  readonly sinceEpochMs: number | null;
  /** Since when it could not be reached, while it is tried again, too; absent: the last contact was good, or there was none. */
  readonly offlineSinceEpochMs?: number | undefined;
  /** When the camera last responded, or last failed to; null: never. */
  readonly checkedAtEpochMs: number | null;
  /** Why it is offline; null in every other state. */
  readonly fault: CameraFault | null;
  /** Time of the next attempt, or check; null: none is planned. */
  readonly retryAtEpochMs: number | null;
  /** It waits for a worker; absent: it does not. */
  readonly waiting?: WorkerWait | undefined;
}

/** The state that people read and that is counted: a camera that could not be reached is offline while it is tried again, too. */
export function shownConnectionState({ state, offlineSinceEpochMs }: StreamConnection): ConnectionState {
  return state === 'connecting' && offlineSinceEpochMs !== undefined ? 'offline' : state;
}

/** A camera as the gateway sees it now. */
export interface CameraReport {
  /** The state that viewers see. */
  readonly streamState: LiveStateName;
  readonly main: StreamConnection;
  /** Null: it has no substream. */
  readonly sub: StreamConnection | null;
}

/** The result of opening the camera briefly. `fault`: null if it streamed video. */
export interface ProbeVerdict {
  readonly fault: CameraFault | null;
  /** When that was; absent: now. */
  readonly atEpochMs?: number;
  /** When the camera is checked again; absent: it is not. */
  readonly nextEpochMs?: number;
}

export const NOT_CHECKED: StreamConnection = {
  state: 'not-checked',
  sinceEpochMs: null,
  checkedAtEpochMs: null,
  fault: null,
  retryAtEpochMs: null,
};

/** The memory of one stream. Each method returns whether something changed that a reader may have seen. */
export class ConnectionRecord {
  #connection: StreamConnection = NOT_CHECKED;
  /** The last contact: null before the first. */
  #fault: CameraFault | null = null;
  #isOpen = false;

  get connection(): StreamConnection {
    return this.#connection;
  }

  /** The stream is in `state`, perhaps already before. */
  streamIs(state: LiveState, nowEpochMs: number): boolean {
    this.#isOpen = state.state !== 'idle';
    switch (state.state) {
      case 'idle':
        return this.#isContacted() ? this.#rest(nowEpochMs) : this.#set({ ...NOT_CHECKED }, nowEpochMs);
      case 'starting':
        return this.#set(
          {
            ...this.#connection,
            state: 'connecting',
            fault: null,
            retryAtEpochMs: null,
            waiting: state.waiting,
          },
          nowEpochMs,
        );
      case 'live':
        return this.#connection.state !== 'live' && this.#contact('live', null, null, nowEpochMs);
      case 'offline':
        return this.#offline(state, nowEpochMs);
    }
  }

  /**
   * Other code opened the camera. What the stream itself sees counts for more: while it is open, a failed probe may
   * only mean that the camera allows one session, and we have it.
   */
  probed({ fault, atEpochMs, nextEpochMs }: ProbeVerdict, nowEpochMs: number): boolean {
    if (this.#isOpen) return false;
    const seenEpochMs = atEpochMs ?? nowEpochMs;
    if (fault === null) return this.#contact('reachable', null, null, seenEpochMs);
    return this.#contact('offline', fault, nextEpochMs ?? null, seenEpochMs);
  }

  #isContacted(): boolean {
    return this.#connection.checkedAtEpochMs !== null;
  }

  #offline(state: Extract<LiveState, { state: 'offline' }>, nowEpochMs: number): boolean {
    const { error, retryAtEpochMs, waiting } = state;
    if (this.#connection.retryAtEpochMs === retryAtEpochMs && this.#fault?.code === error.code) {
      return this.#set({ ...this.#connection, waiting }, nowEpochMs);
    }
    return this.#contact('offline', cameraFaultOf(error), retryAtEpochMs, nowEpochMs);
  }

  /** Closed: the result of the last contact stays. A camera that was streaming until now was seen now. */
  #rest(nowEpochMs: number): boolean {
    const { state, checkedAtEpochMs } = this.#connection;
    const checked = state === 'live' ? nowEpochMs : checkedAtEpochMs;
    const resting = this.#fault === null ? 'reachable' : 'offline';
    return this.#set(
      {
        ...this.#connection,
        state: resting,
        fault: this.#fault,
        waiting: undefined,
        checkedAtEpochMs: checked,
        retryAtEpochMs: null,
      },
      nowEpochMs,
    );
  }

  #contact(
    state: ConnectionState,
    fault: CameraFault | null,
    retryAtEpochMs: number | null,
    nowEpochMs: number,
  ): boolean {
    this.#fault = fault;
    const since = this.#connection.offlineSinceEpochMs ?? nowEpochMs;
    const next = {
      ...this.#connection,
      state,
      fault,
      offlineSinceEpochMs: fault === null ? undefined : since,
      checkedAtEpochMs: nowEpochMs,
      retryAtEpochMs,
      waiting: undefined,
    };
    this.#set(next, nowEpochMs);
    return true;
  }

  #set(next: StreamConnection, nowEpochMs: number): boolean {
    const { state, retryAtEpochMs, waiting } = this.#connection;
    const isSame =
      state === next.state &&
      retryAtEpochMs === next.retryAtEpochMs &&
      waiting?.ahead === next.waiting?.ahead;
    const isNewState = state !== next.state;
    this.#connection = isNewState ? { ...next, sinceEpochMs: nowEpochMs } : next;
    return !isSame;
  }
}
