/**
 * Which cameras are recorded when: follows the rules of the configuration and the API, and applies them to the live
 * cameras.
 */

import type { Cluster } from '../../cluster/cluster.ts';
import { toGatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { recentEvents } from '../../policies/recorded-events.ts';
import { RecordedCameras } from '../../recording/recorded-cameras.ts';
import type { Recorder } from '../../recording/recorder.ts';
import { NO_RULE, type RecordingRule, type RecordingSetting } from '../../recording/recording-rule.ts';
import { RecordingRules } from '../../recording/recording-rules.ts';
import type { Store } from '../../store/store.ts';
import type { LiveCameras } from '../../stream/media/live-media.ts';
import { readRecordingRules, settingsInFile } from '../config/read-recording-rules.ts';
import type { CameraConfig } from '../config/schema.ts';
import type { GatewayOptions } from './gateway-options.ts';

/** Events of the time before a start that may still continue: the longest post-roll. */
const RESUMED_MS = 3_600_000;

export interface RecordingControlOptions {
  readonly options: GatewayOptions;
  readonly store: Store;
  /** null: this gateway is alone. */
  readonly cluster: Cluster | null;
}

export class RecordingControl {
  readonly #options: GatewayOptions;
  readonly #store: Store;
  readonly #cluster: Cluster | null;
  readonly #unsubscribe: () => void;
  #rules: RecordingRules | null = null;
  #cameras: RecordedCameras | null = null;
  #declared: readonly CameraConfig[];
  #reading: Promise<void> = Promise.resolve();

  constructor({ options, store, cluster }: RecordingControlOptions) {
    this.#options = options;
    this.#store = store;
    this.#cluster = cluster;
    this.#declared = options.config.cameras;
    cluster?.onPlaces((cameraUuid) => {
      if (cameraUuid === null) this.#cameras?.lookSoon();
      else this.#cameras?.lookAt(cameraUuid);
    });
    this.#unsubscribe = store.onChange(({ entity }) => {
      if (entity === 'cameraConfig' || entity === 'manualRecording') this.#follow();
    });
  }

  ruleOf(cameraUuid: Ruuid): RecordingRule {
    return this.#rules?.ruleOf(cameraUuid) ?? NO_RULE;
  }

  /** Resolves when the changes that are known so far count. */
  settled(): Promise<void> {
    return this.#reading;
  }

  /** The settings of a camera that the file has, by whether they decide. */
  settingsInFile(cameraUuid: Ruuid): {
    readonly inFile: readonly RecordingSetting[];
    readonly ignoredInFile: readonly RecordingSetting[];
  } {
    const settings = settingsInFile(this.#declared, cameraUuid);
    return this.ruleOf(cameraUuid).isOverFile
      ? { inFile: [], ignoredInFile: settings }
      : { inFile: settings, ignoredInFile: [] };
  }

  /** Records from now on. Rejects like the store. */
  async begin(cameras: LiveCameras, recorder: Recorder): Promise<void> {
    const { config, clock, log } = this.#options;
    const { streams, preRollMs, postRollMs } = config.recording;
    const [store, cluster] = [this.#store, this.#cluster];
    this.#rules = await RecordingRules.open({
      store,
      clock,
      log,
      onChange: () => this.#cameras?.lookSoon(),
    });
    this.#cameras = new RecordedCameras({
      cameras,
      rules: this.#rules,
      recorder,
      clock,
      idleStopMs: config.hls.idleStopMs,
      ...(cluster === null ? {} : { isPlaced: (camera: Ruuid) => cluster.isPlacedHere(camera) }),
      streams,
      preRollMs,
      postRollMs,
    });
    // A node may have files that no row names, and other nodes record its cameras in the meantime.
    if (cluster !== null || (await store.recordings.oldest(1)).length > 0) recorder.start();
    await this.#reread();
    // An event just before a restart may still have its post-roll to come.
    for (const { cameraUuid, fromMs, toMs } of await recentEvents(store, clock.epochMs(), RESUMED_MS)) {
      this.#cameras.recordAround(cameraUuid, fromMs, toMs);
    }
  }

  /** Reads the recording rules again. Rejects like the store. */
  async refresh(): Promise<void> {
    await this.#rules?.refresh();
    await this.#reread();
  }

  /** The file's cameras have been read again. Rejects like the store. */
  configure(declared: readonly CameraConfig[]): Promise<void> {
    this.#declared = declared;
    return this.#reread();
  }

  /** As RecordedCameras.recordAround; null: before `begin`, too. */
  recordAround(cameraUuid: Ruuid, fromMs: number, toMs: number): ReturnType<RecordedCameras['recordAround']> {
    return this.#cameras?.recordAround(cameraUuid, fromMs, toMs) ?? null;
  }

  close(): void {
    this.#unsubscribe();
    this.#cameras?.close();
    this.#rules?.close();
  }

  #reread(): Promise<void> {
    const read = this.#reading.then(async () => {
      this.#rules?.put(await readRecordingRules(this.#store, this.#declared));
      this.#cameras?.look();
    });
    this.#reading = read.catch(() => undefined);
    return read;
  }

  #follow(): void {
    this.#reread().catch((thrown) => {
      this.#options.log.error({ err: toGatewayError(thrown) }, 'recording settings not read');
    });
  }
}
