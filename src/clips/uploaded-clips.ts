/**
 * Clips that recorders handed over (docs/design/upload.md): listed as saved clips, with a file and an image of their own, so
 * that they stay when the recording that they became is deleted.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { PolicyAlerts } from '../events/policy-alerts.ts';
import { reportedClipUuid, SavedClips } from '../events/saved-clips.ts';
import type { Store } from '../store/store.ts';
import { CLIP_JOBS, type ClipJob, clipQueue } from './clip-records.ts';
import { CLIP_ERRORS } from './errors.ts';

export interface UploadedClip {
  /** UUID of the upload. */
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  readonly cameraUuid: Ruuid;
  readonly title: string;
  readonly startMs: number;
  readonly durationMs: number;
  /** Number of its recording file, in the camera's stream of clips. */
  readonly recordingNumber: number;
}

/** Waiting to be copied, or failed, per organization; the clips after them are listed without a copy. */
export const MAX_UPLOADED_JOBS = LIMITS.uploadedClipJobs.perOrganization;
const MS_PER_SEC = 1_000;

export class UploadedClips {
  readonly #store: Pick<Store, 'resources' | 'cameras' | 'events'>;
  readonly #savedClips: SavedClips;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(store: Pick<Store, 'resources' | 'cameras' | 'events'>, clock: Clock, log: Log) {
    this.#store = store;
    this.#savedClips = new SavedClips({ store, alerts: new PolicyAlerts(store), clock });
    this.#clock = clock;
    this.#log = log;
  }

  /** Once, however often it is called for the same clip. Rejects like the store. */
  async add(clip: UploadedClip): Promise<void> {
    const { orgUuid, cameraUuid, title, startMs, durationMs } = clip;
    const id = `upload ${clip.uuid}`;
    const clipUuid = reportedClipUuid(orgUuid, id);
    if ((await this.#savedClips.known(orgUuid, clipUuid)) !== null) return;
    // First the job: a clip without one would never be finished. The code that makes clips sees that it is new.
    const isOrdered = await this.#order(clipUuid, clip);
    await this.#savedClips.report(orgUuid, [
      {
        id,
        deviceUuids: [cameraUuid],
        timestampMs: startMs,
        title,
        durationSec: Math.round(durationMs / MS_PER_SEC),
        ...(isOrdered ? { status: 'INITIATING' } : {}),
      },
    ]);
  }

  /** False: too many are waiting. */
  async #order(clipUuid: Ruuid, clip: UploadedClip): Promise<boolean> {
    const { orgUuid, cameraUuid, startMs, durationMs, recordingNumber } = clip;
    const nowMs = this.#clock.epochMs();
    const job: ClipJob = {
      uuid: clipUuid,
      orgUuid,
      name: '',
      parentUuid: clipQueue('uploaded', orgUuid),
      secret: null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      body: {
        devices: [{ device: cameraUuid, cameraUuid }],
        fromMs: startMs,
        toMs: startMs + Math.ceil(durationMs),
        hasAudio: true,
        recordingNumber,
        failureCode: null,
      },
    };
    const full = () => new GatewayError(CLIP_ERRORS.CLIP_JOBS_FULL);
    const room = { atMost: MAX_UPLOADED_JOBS, within: 'parent', full } as const;
    try {
      await this.#store.resources.of(CLIP_JOBS).change(orgUuid, clipUuid, (known) => known ?? job, room);
      return true;
    } catch (thrown) {
      const err = toGatewayError(thrown);
      if (err.code !== CLIP_ERRORS.CLIP_JOBS_FULL.code) throw err;
      this.#log.warn({ clip: clipUuid, camera: cameraUuid, err }, 'uploaded clip kept as recording only');
      return false;
    }
  }
}
