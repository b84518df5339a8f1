/** How cameras are recorded: the state of a camera is made of those of its streams. */

import type { Ruuid } from '../core/ruuid.ts';
import type { RecordingState, RecordingStateName } from '../stream/media/recording-state.ts';
import type { RecordingTap } from './recording-tap.ts';

type StreamState = Pick<RecordingTap, 'stream' | 'state' | 'code' | 'wanted'>;

/** The first that any stream has is that of the camera: what fails must be seen, and one recorded stream is a recording. */
const PRECEDENCE: readonly RecordingStateName[] = ['failed', 'recording', 'starting', 'standby', 'off'];
const NOTHING_KNOWN: RecordingState = { state: 'off', code: null, reasons: [], isForbidden: false };

export class CameraStates {
  readonly #streams = new Map<Ruuid, StreamState[]>();
  /** The last announced state of each camera, as text. */
  readonly #announced = new Map<Ruuid, string>();

  add(stream: StreamState): void {
    const { cameraUuid } = stream.stream;
    const known = this.#streams.get(cameraUuid);
    if (known === undefined) this.#streams.set(cameraUuid, [stream]);
    else known.push(stream);
  }

  /** The camera's state, to announce it; null: it is the same as before. */
  changed(cameraUuid: Ruuid): RecordingState | null {
    const streams = this.#streams.get(cameraUuid) ?? [];
    const first = PRECEDENCE.map((state) => streams.find((stream) => stream.state === state));
    const leading = first.find((stream) => stream !== undefined);
    const now = leading === undefined ? NOTHING_KNOWN : stateOf(leading);
    const text = JSON.stringify(now);
    if (text === (this.#announced.get(cameraUuid) ?? JSON.stringify(NOTHING_KNOWN))) return null;
    this.#announced.set(cameraUuid, text);
    return now;
  }
}

export function stateOf({
  state,
  code,
  wanted: { reasons, isForbidden },
}: Pick<StreamState, 'state' | 'code' | 'wanted'>): RecordingState {
  return { state, code, reasons, isForbidden };
}
