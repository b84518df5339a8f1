/** Lists of what recorders have, day by day, kept for a while: recorders take seconds to make one. */

import type { Clock } from '../core/clock.ts';
import { withDeadline } from '../core/deadline.ts';
import { GatewayError } from '../core/errors.ts';
import { FairQueue } from '../core/fair-queue.ts';
import { FairMap } from '../core/limits/fair-map.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { RECORDER_ERRORS } from './errors.ts';
import { type ArchiveSpan, joinedSpans, type RecorderArchive } from './recorder-archive.ts';
import type { RecordedChannel } from './recorder-settings.ts';
import { clippedSpans } from './time-spans.ts';

interface CachedList {
  readonly spans: readonly ArchiveSpan[];
  readonly madeMonoMs: number;
  readonly keepMs: number;
}

const DAY_MS = 86_400_000;
/** What was recorded a moment ago may not be in the list yet. */
const FRESH_MS = 60_000;
const OLD_LIST_MS = 600_000;
const NEW_LIST_MS = 15_000;
const TIMEOUT_MS = 8_000;
/** A recorder also records: it makes few lists at the same time. */
const AT_ONCE = 4;
/** A recorder that did not respond is asked again after this time: a list of many cameras must not wait for it again and again. */
const FAILED_MS = 5_000;

export class RecorderLists {
  readonly #clock: Clock;
  readonly #made = new FairMap<CachedList, typeof LIMITS.recorderLists>(LIMITS.recorderLists);
  /** By recorder. */
  readonly #turns = new Map<Ruuid, FairQueue>();
  readonly #failed = new Map<Ruuid, { readonly error: GatewayError; readonly monoMs: number }>();
  /** Everyone who requests it in the meantime gets the same. */
  readonly #making = new Map<string, Promise<readonly ArchiveSpan[]>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** In order, cut to the range. Fails like RecorderArchive.list, and RECORDER_UNREACHABLE. */
  async get(
    channel: RecordedChannel,
    archive: Pick<RecorderArchive, 'list'>,
    fromMs: number,
    toMs: number,
  ): Promise<ArchiveSpan[]> {
    const days: Promise<readonly ArchiveSpan[]>[] = [];
    const untilMs = Math.min(toMs, this.#clock.epochMs());
    for (let dayMs = fromMs - (fromMs % DAY_MS); dayMs < untilMs; dayMs += DAY_MS) {
      days.push(this.#day(channel, archive, dayMs));
    }
    const spans = joinedSpans((await Promise.all(days)).flat(), fromMs, toMs);
    return clippedSpans(spans, fromMs, toMs);
  }

  forget(cameraUuid: Ruuid): void {
    for (const key of [...this.#made.keys()]) if (key.startsWith(`${cameraUuid}/`)) this.#made.delete(key);
  }

  #day(
    channel: RecordedChannel,
    archive: Pick<RecorderArchive, 'list'>,
    dayMs: number,
  ): Promise<readonly ArchiveSpan[]> {
    const key = `${channel.cameraUuid}/${dayMs}`;
    const known = this.#made.touch(key);
    if (known !== undefined && this.#clock.monoMs() - known.madeMonoMs < known.keepMs) {
      return Promise.resolve(known.spans);
    }
    const running = this.#making.get(key);
    if (running !== undefined) return running;
    const making = this.#inTurn(channel, () => this.#make(channel, archive, dayMs, key)).finally(() =>
      this.#making.delete(key),
    );
    this.#making.set(key, making);
    return making;
  }

  async #inTurn<T>({ recorder, orgUuid, cameraUuid }: RecordedChannel, work: () => Promise<T>): Promise<T> {
    const turns =
      this.#turns.get(recorder.uuid) ??
      new FairQueue({ places: AT_ONCE, placesOfGroup: AT_ONCE, placesOfMember: AT_ONCE });
    this.#turns.set(recorder.uuid, turns);
    const done = await turns.run({ group: orgUuid, member: cameraUuid }, async () => ({
      value: await work(),
    }));
    if (done === null) throw new GatewayError(RECORDER_ERRORS.RECORDER_BUSY, { waiting: turns.size });
    return done.value;
  }

  async #make(
    { orgUuid, cameraUuid, httpUrl, recorder }: RecordedChannel,
    archive: Pick<RecorderArchive, 'list'>,
    dayMs: number,
    key: string,
  ): Promise<readonly ArchiveSpan[]> {
    const failed = this.#failed.get(recorder.uuid);
    if (failed !== undefined && this.#clock.monoMs() - failed.monoMs < FAILED_MS) throw failed.error;
    const toMs = dayMs + DAY_MS;
    const isOld = this.#clock.epochMs() > toMs + FRESH_MS;
    let spans: readonly ArchiveSpan[];
    try {
      spans = await withDeadline(this.#clock, TIMEOUT_MS, (signal) => archive.list(dayMs, toMs, signal));
    } catch (thrown) {
      const error =
        thrown instanceof GatewayError
          ? thrown
          : new GatewayError(RECORDER_ERRORS.RECORDER_UNREACHABLE, { host: httpUrl.hostname }, thrown);
      if (error.kind === 'unavailable' || error.kind === 'timeout') {
        this.#failed.set(recorder.uuid, { error, monoMs: this.#clock.monoMs() });
      }
      throw error;
    }
    this.#failed.delete(recorder.uuid);
    const list = { spans, madeMonoMs: this.#clock.monoMs(), keepMs: isOld ? OLD_LIST_MS : NEW_LIST_MS };
    this.#made.set(key, { organization: orgUuid, camera: cameraUuid }, list);
    return spans;
  }
}
