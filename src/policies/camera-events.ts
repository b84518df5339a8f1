/**
 * Subscribes to the events of the cameras that have an ONVIF service, of the configuration file or of the API, and follows the store. Their
 * activity becomes policy alerts, as if it had been reported. A camera that records events records while the activity continues.
 */

import type { Clock } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import { KeyedLock } from '../core/keyed-lock.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { AddressRules } from '../devices/address-rules.ts';
import { OnvifEvents } from '../devices/onvif/onvif-events.ts';
import { isSameTarget, type OnvifTarget, onvifTargetOf } from '../devices/onvif-target.ts';
import { type ActivitySpan, CameraActivity, ONGOING_EVERY_MS } from '../events/camera-activity.ts';
import { PolicyAlerts, type ReportedAlert } from '../events/policy-alerts.ts';
import type { ActivityKind } from '../onvif/activity.ts';
import type { Camera } from '../store/entities.ts';
import type { Store } from '../store/store.ts';
import type { SeenEvent } from './recorded-events.ts';
import { policyAlertReportRules } from './report-rules.ts';

const WORDS: Readonly<Record<ActivityKind, { readonly trigger: string; readonly description: string }>> = {
  motion: { trigger: 'MOTION', description: 'Motion' },
  person: { trigger: 'MOTION_HUMAN', description: 'Person' },
  vehicle: { trigger: 'MOTION_CAR', description: 'Vehicle' },
  animal: { trigger: 'MOTION_ANIMAL', description: 'Animal' },
  tamper: { trigger: 'TAMPER', description: 'Camera tampered with' },
};

/** A clock that is further off is worth a warning: recordings and alerts of other systems will not match. */
const CLOCK_WARNING_MS = 60_000;
/**
 * The most cameras of the API with a subscription: each keeps a connection, and callers can add any number. Those of the file are not
 * limited.
 */
const MAX_API_CAMERAS = 1_000;
/** How much later than its time a timer may come. */
const LATE_MS = 1_000;

export interface CameraEventsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** In [0, 1): the jitter of pauses. */
  readonly random: () => number;
  /** Recording continues while something is noticed. */
  readonly onSeen: (seen: readonly SeenEvent[]) => void;
  /** How far a camera's clock is ahead of ours, once it is known and with each renewal; null: the camera does not report it. */
  readonly onClock: (cameraUuid: Ruuid, offsetMs: number | null) => void;
  /** Where cameras of the API may be. */
  readonly addressRules: AddressRules;
  /** Cameras whose subscription belongs to this node; null: all. */
  readonly placedHere: readonly Ruuid[] | null;
}

/** A camera whose events are wanted. */
interface EventCamera extends Pick<Camera, 'uuid' | 'orgUuid' | 'name' | 'fromConfig'> {
  readonly target: OnvifTarget;
}

interface Watched {
  readonly camera: EventCamera;
  close(): Promise<void>;
}

export class CameraEvents {
  readonly #options: CameraEventsOptions;
  readonly #watched = new Map<Ruuid, Watched>();
  readonly #alerts: PolicyAlerts;
  /** Subscriptions that are being ended, and alerts that are being written. */
  readonly #underWay = new Set<Promise<unknown>>();

  /** null: all. */
  readonly #placed: Set<Ruuid> | null;
  readonly #unsubscribe: () => void;
  /** Changes of one camera are followed in their order. */
  readonly #locks = new KeyedLock();
  #isClosed = false;

  private constructor(options: CameraEventsOptions) {
    this.#options = options;
    this.#placed = options.placedHere === null ? null : new Set(options.placedHere);
    this.#alerts = new PolicyAlerts(options.store);
    this.#unsubscribe = options.store.onChange(({ entity, orgUuid, uuid }) => {
      if (entity === 'camera') this.#changed(orgUuid, uuid);
    });
  }

  /** Resolves when it knows the cameras; it subscribes to them afterwards. */
  static async start(options: CameraEventsOptions): Promise<CameraEvents> {
    const events = new CameraEvents(options);
    for (const { orgUuid, uuid, onvifUrl } of await options.store.cameras.listEverywhere()) {
      // Read once more: it may have changed in the meantime.
      if (onvifUrl !== null) events.#changed(orgUuid, uuid);
    }
    return events;
  }

  /** Follows all cameras as they are stored now: for changes whose event was not sent. Rejects like the store. */
  async refresh(): Promise<void> {
    const cameras = await this.#options.store.cameras.listEverywhere();
    const stored = new Set(cameras.map(({ uuid }) => uuid));
    for (const { orgUuid, uuid } of cameras) this.#changed(orgUuid, uuid);
    for (const [uuid, { camera }] of this.#watched)
      if (!stored.has(uuid)) this.#changed(camera.orgUuid, uuid);
  }

  /** Whether this node, or another one, subscribes to the events of these cameras from now on. */
  placed(cameraUuids: readonly Ruuid[], isHere: boolean): void {
    for (const uuid of cameraUuids) {
      if (isHere) this.#placed?.add(uuid);
      else this.#placed?.delete(uuid);
    }
    void this.#track(this.#followAll(new Set(cameraUuids)));
  }

  /** Resolves when all subscriptions are ended and all alerts written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribe();
    for (const uuid of [...this.#watched.keys()]) this.#end(uuid);
    await this.settled();
  }

  /** Resolves when the activity so far is written. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #changed(orgUuid: Ruuid, uuid: Ruuid): void {
    void this.#track(this.#locks.run(uuid, () => this.#follow(orgUuid, uuid)));
  }

  async #followAll(cameraUuids: ReadonlySet<Ruuid>): Promise<void> {
    try {
      for (const { orgUuid, uuid } of await this.#options.store.cameras.listEverywhere()) {
        if (cameraUuids.has(uuid)) this.#changed(orgUuid, uuid);
      }
    } catch (thrown) {
      this.#options.log.error({ err: toGatewayError(thrown) }, 'camera events not followed');
    }
  }

  async #follow(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    try {
      this.#change(uuid, await this.#options.store.cameras.find(orgUuid, uuid));
    } catch (thrown) {
      this.#options.log.error({ err: toGatewayError(thrown), camera: uuid }, 'camera events not followed');
    }
  }

  /** A camera that did not change keeps its subscription. */
  #change(uuid: Ruuid, camera: Camera | null): void {
    const isPlaced = this.#placed?.has(uuid) ?? true;
    const wanted = camera === null || !isPlaced ? null : eventCameraOf(camera);
    const known = this.#watched.get(uuid)?.camera;
    if (this.#isClosed || (known !== undefined && wanted !== null && isSame(known, wanted))) return;
    this.#end(uuid);
    if (wanted === null) return;
    if (wanted.fromConfig || this.#countOfApi() < MAX_API_CAMERAS) {
      this.#watched.set(uuid, this.#watch(wanted));
      return;
    }
    this.#options.log.warn(
      { camera: uuid, name: wanted.name, limit: MAX_API_CAMERAS },
      'too many cameras with events',
    );
  }

  #countOfApi(): number {
    let count = 0;
    for (const { camera } of this.#watched.values()) if (!camera.fromConfig) count += 1;
    return count;
  }

  #end(uuid: Ruuid): void {
    const watched = this.#watched.get(uuid);
    this.#watched.delete(uuid);
    if (watched === undefined) return;
    this.#options.onClock(uuid, null);
    this.#track(watched.close());
  }

  #watch(camera: EventCamera): Watched {
    const { clock, random, onClock } = this.#options;
    const { service, login, tls, rule } = camera.target;
    const log = this.#options.log.child({ camera: camera.uuid, name: camera.name });
    const alerts = new Map<ActivityKind, Promise<Ruuid | null>>();
    const activity = new CameraActivity({
      clock,
      onBegin: (span) => {
        const reported = this.#track(this.#report(camera, span, log));
        alerts.set(span.kind, reported);
        this.#track(this.#recordOn(camera, span, reported));
      },
      onOngoing: (span) => this.#track(this.#recordOn(camera, span, alerts.get(span.kind))),
      onEnd: (span) => {
        this.#track(this.#finish(camera, span, alerts.get(span.kind), log));
        alerts.delete(span.kind);
      },
    });
    let isKnown = false;
    let lostBy: string | null = null;
    const events = new OnvifEvents({
      service,
      login,
      clock,
      random,
      tls,
      addressRule: this.#options.addressRules.for(rule),
      onActivity: (change) => activity.changed(change),
      onSubscribed: (clockOffsetMs) => {
        if (!isKnown) log.info({ clockOffsetMs }, 'camera events subscribed');
        isKnown = true;
        onClock(camera.uuid, clockOffsetMs);
        const isOff = clockOffsetMs !== null && Math.abs(clockOffsetMs) > CLOCK_WARNING_MS;
        if (isOff) log.warn({ clockOffsetMs }, 'camera clock wrong');
      },
      onLost: (err, retryMs) => {
        activity.lost();
        // A camera of the API without events fails the same way at each attempt.
        if (isKnown || err.code !== lostBy) log.warn({ err, retryMs }, 'camera events lost');
        else log.debug({ err, retryMs }, 'camera events lost');
        [isKnown, lostBy] = [false, err.code];
      },
    });
    return {
      camera,
      close: async () => {
        await events.close();
        activity.close();
      },
    };
  }

  /** Resolves with the alert's UUID; null: alerts of the camera are paused, or it could not be stored. */
  async #report(camera: EventCamera, { kind, fromMs }: ActivitySpan, log: Log): Promise<Ruuid | null> {
    const { store } = this.#options;
    const { orgUuid, uuid: deviceUuid } = camera;
    const { trigger, description } = WORDS[kind];
    const alert: ReportedAlert = {
      uuid: newRuuid(),
      deviceUuid,
      timestampMs: fromMs,
      policyAlertTriggers: [trigger],
      textDescription: description,
    };
    try {
      const context = { orgUuid, store, nowMs: fromMs };
      const [problem] = (await policyAlertReportRules.problemsOf?.(context, [alert])) ?? [];
      if (problem != null) return null;
      await policyAlertReportRules.store(context, [alert]);
      return alert.uuid;
    } catch (thrown) {
      log.error({ err: toGatewayError(thrown), kind }, 'alert not stored');
      return null;
    }
  }

  /** Until the next call is due: a short post-roll would leave gaps. Only the end of a span, which can last for hours. */
  async #recordOn(
    { uuid: cameraUuid }: EventCamera,
    { fromMs, toMs }: ActivitySpan,
    reported: Promise<Ruuid | null> | undefined,
  ): Promise<void> {
    if ((await reported) == null) return;
    const lastMs = Math.max(fromMs, toMs - 2 * ONGOING_EVERY_MS);
    this.#options.onSeen([{ cameraUuid, fromMs: lastMs, toMs: toMs + ONGOING_EVERY_MS + LATE_MS }]);
  }

  /** The alert was stored when it began; now its length is known. */
  async #finish(
    { orgUuid }: EventCamera,
    { kind, fromMs, toMs }: ActivitySpan,
    reported: Promise<Ruuid | null> | undefined,
    log: Log,
  ): Promise<void> {
    const uuid = await reported;
    if (uuid == null) return;
    const durationSec = Math.round((toMs - fromMs) / 1_000);
    try {
      await this.#alerts.amend(orgUuid, uuid, (body) => ({ ...body, durationSec }));
    } catch (thrown) {
      log.error({ err: toGatewayError(thrown), kind }, 'length of an alert not stored');
    }
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    const end = () => void this.#underWay.delete(work);
    work.then(end, end);
    return work;
  }
}

/** null: it has no ONVIF service, or was removed. */
function eventCameraOf(camera: Camera): EventCamera | null {
  const target = camera.mummified ? null : onvifTargetOf(camera);
  const { uuid, orgUuid, name, fromConfig } = camera;
  return target === null ? null : { uuid, orgUuid, name, fromConfig, target };
}

function isSame(a: EventCamera, b: EventCamera): boolean {
  return isSameTarget(a.target, b.target) && a.name === b.name && a.orgUuid === b.orgUuid;
}
