/** How a camera is recorded, for people who look at it or change it. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { locationOfCamera, timeZoneOfCamera } from '../store/camera-time-zone.ts';
import type { Camera } from '../store/entities.ts';
import type { ManualRecordingBody } from '../store/manual-recording.ts';
import type { Store } from '../store/store.ts';
import type { RecordingState } from '../stream/media/recording-state.ts';
import { RECORDING_ERRORS } from './errors.ts';
import type { ManualRecordings } from './manual-recordings.ts';
import type { RecordingRule, RecordingSetting, StreamChoice } from './recording-rule.ts';
import type { StreamForecast } from './retention-forecast.ts';

/** The rule of a camera as the recorder follows it. */
export interface RuleInEffect {
  readonly rule: RecordingRule;
  /** Settings that the configuration file decides. */
  readonly inFile: readonly RecordingSetting[];
  /** Settings that the file has, and that do not count: `rule.isOverFile`. */
  readonly ignoredInFile: readonly RecordingSetting[];
  /** Of all cameras that have no setting of their own. */
  readonly defaults: {
    readonly streams: StreamChoice;
    readonly preRollMs: number;
    readonly postRollMs: number;
    readonly keepMs: number;
    readonly keepSubMs: number;
    /** null: they are deleted with everything else. */
    readonly keepKeyFramesMs: number | null;
    readonly maxBytes: number | null;
  };
  /** null: it recorded nothing lately, or the store does not respond. */
  readonly forecast: StreamForecast | null;
}

/** From the thread that records. */
export type ReadRuleInEffect = (cameraUuid: Ruuid) => Promise<RuleInEffect>;

export interface RecordingSettingsOptions {
  readonly store: Pick<Store, 'nvrs' | 'locations'>;
  readonly clock: Pick<Clock, 'epochMs'>;
  readonly readRule: ReadRuleInEffect;
  readonly manualRecordings: ManualRecordings;
  readonly cameraRecordings: { get(cameraUuid: Ruuid): RecordingState | undefined };
}

export interface CameraRecordingSettings extends RuleInEffect {
  /** undefined: it was not recorded since the gateway started. */
  readonly state: RecordingState | undefined;
  readonly manual: ManualRecordingBody | null;
  /** In which schedules count. */
  readonly timeZone: string;
  readonly nowMs: number;
}

export class RecordingSettings {
  readonly #options: RecordingSettingsOptions;

  constructor(options: RecordingSettingsOptions) {
    this.#options = options;
  }

  async of(camera: Camera): Promise<CameraRecordingSettings> {
    const { clock, readRule, manualRecordings, cameraRecordings } = this.#options;
    const [inEffect, manual, timeZone] = await Promise.all([
      readRule(camera.uuid),
      manualRecordings.find(camera.orgUuid, camera.uuid),
      this.#timeZoneOf(camera),
    ]);
    const state = cameraRecordings.get(camera.uuid);
    return { ...inEffect, state, manual, timeZone, nowMs: clock.epochMs() };
  }

  /** As ManualRecordings.start; also fails RECORDING_OFF_IN_FILE. */
  async start(camera: Camera, durationMs: number, startedBy: string): Promise<ManualRecordingBody> {
    const { rule } = await this.#options.readRule(camera.uuid);
    if (rule.isForbidden) {
      throw new GatewayError(RECORDING_ERRORS.RECORDING_OFF_IN_FILE, { camera: camera.uuid });
    }
    return this.#options.manualRecordings.start(camera, durationMs, startedBy);
  }

  async #timeZoneOf(camera: Camera): Promise<string> {
    const { nvrs, locations } = this.#options.store;
    const { orgUuid, nvrUuid } = camera;
    const nvr = nvrUuid === null ? null : await nvrs.find(orgUuid, nvrUuid);
    const locationUuid = locationOfCamera(camera, () => nvr?.locationUuid);
    const location = locationUuid === null ? null : await locations.find(orgUuid, locationUuid);
    return timeZoneOfCamera(
      camera,
      () => nvr?.locationUuid,
      () => location?.tz,
    );
  }
}
