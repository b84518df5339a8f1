/** Pauses alert policies: of doors and landings, of devices, of whole locations. */

import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { KeyedLock } from '../../core/keyed-lock.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import {
  ALERT_POLICY_PAUSES,
  type AlertPolicyPauseBody,
  partsOf,
} from '../../policies/alert-policy-pause.ts';
import { POLICY_ERRORS } from '../../policies/errors.ts';
import { inTurn } from '../../store/in-turn.ts';
import type { Resource, ResourceRepository } from '../../store/resource.ts';
import type { Store } from '../../store/store.ts';
import type { DoorService } from '../access-control/door-service.ts';
import type { LandingService } from '../access-control/landing-service.ts';

/** Pauses that have not ended; every alert is checked against them. */
const MAX_PAUSES_PER_ORG = LIMITS.alertPauses.perOrganization;
/** Reports of events during a pause can arrive this much later. */
const KEPT_AFTER_END_MS = 7 * 24 * 3_600_000;
/** How many ended pauses are kept for such reports; those that ended first are removed first. */
const MAX_ENDED_PER_ORG = LIMITS.endedAlertPauses.perOrganization;

/** Kinds of events that sensors report. */
const REPORTED_KINDS = ['policyAlert', 'deviceHealth'] as const;

/** The lists of a pause whose entries must be known. */
export type PausedSubjects = 'componentCompositeUuids' | 'locationUuids';

export interface AlertPausesOptions {
  readonly store: Pick<Store, 'cameras' | 'nvrs' | 'locations' | 'resources' | 'events' | 'leases'>;
  readonly doors: DoorService;
  readonly landings: LandingService;
  readonly clock: Clock;
}

export class AlertPauses {
  readonly #options: AlertPausesOptions;
  readonly #pauses: ResourceRepository<AlertPolicyPauseBody>;
  /** The limit counts pauses that have not ended: a rule over many records, so requests for a pause take turns, also those of other gateways. */
  readonly #locks = new KeyedLock();

  constructor(options: AlertPausesOptions) {
    this.#options = options;
    this.#pauses = options.store.resources.of(ALERT_POLICY_PAUSES);
  }

  /** Like `pause`, from `startSec` (absent: now), for `durationSec`. */
  pauseFor(
    orgUuid: Ruuid,
    subjects: Omit<AlertPolicyPauseBody, 'fromMs' | 'toMs'>,
    { startSec, durationSec }: { readonly startSec?: number | undefined; readonly durationSec: number },
  ): Promise<Resource<AlertPolicyPauseBody>> {
    const fromMs = startSec === undefined ? this.#options.clock.epochMs() : startSec * 1_000;
    return this.pause(orgUuid, { ...subjects, fromMs, toMs: fromMs + durationSec * 1_000 });
  }

  /**
   * Sensors are not registered, so any device can be paused. Fails ALERT_PAUSE_OF_NOTHING, ALERT_PAUSE_OVER,
   * ALERT_PAUSE_SUBJECT_NOT_FOUND if the organization does not have the subject, TOO_MANY_ALERT_PAUSES.
   */
  async pause(orgUuid: Ruuid, body: AlertPolicyPauseBody): Promise<Resource<AlertPolicyPauseBody>> {
    await this.#check(orgUuid, body);
    const { store, clock } = this.#options;
    return this.#locks.run(orgUuid, () =>
      inTurn(store.leases, `alert pauses/${orgUuid}`, clock, () => this.#add(orgUuid, body)),
    );
  }

  async #add(orgUuid: Ruuid, body: AlertPolicyPauseBody): Promise<Resource<AlertPolicyPauseBody>> {
    const nowMs = this.#options.clock.epochMs();
    const running = await this.#removeEnded(orgUuid, nowMs);
    if (running >= MAX_PAUSES_PER_ORG) throw new GatewayError(POLICY_ERRORS.TOO_MANY_ALERT_PAUSES);
    const pause: Resource<AlertPolicyPauseBody> = {
      uuid: newRuuid(),
      orgUuid,
      name: '',
      parentUuid: null,
      body,
      secret: null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    await this.#pauses.save(pause);
    return pause;
  }

  /** Resolves with how many have not ended. */
  async #removeEnded(orgUuid: Ruuid, nowMs: number): Promise<number> {
    const pauses = await this.#pauses.list(orgUuid);
    const ended = pauses.filter(({ body }) => body.toMs <= nowMs).sort((a, b) => b.body.toMs - a.body.toMs);
    for (const [place, { uuid, body }] of ended.entries()) {
      const isKept = place < MAX_ENDED_PER_ORG && body.toMs > nowMs - KEPT_AFTER_END_MS;
      if (!isKept) await this.#pauses.remove(orgUuid, uuid);
    }
    return pauses.length - ended.length;
  }

  async #check(orgUuid: Ruuid, body: AlertPolicyPauseBody): Promise<void> {
    const { store, doors, landings, clock } = this.#options;
    const { componentCompositeUuids, deviceUuids, locationUuids } = body;
    if (componentCompositeUuids.length + deviceUuids.length + locationUuids.length === 0) {
      throw new GatewayError(POLICY_ERRORS.ALERT_PAUSE_OF_NOTHING);
    }
    if (body.toMs <= clock.epochMs()) throw new GatewayError(POLICY_ERRORS.ALERT_PAUSE_OVER);
    let parts: ReadonlySet<Ruuid> | null = null;
    for (const [index, uuid] of body.componentCompositeUuids.entries()) {
      if (await doors.has(orgUuid, uuid)) continue;
      if ((await landings.find(orgUuid, uuid)) !== null) continue;
      parts ??= new Set((await doors.list(orgUuid)).flatMap(({ body: door }) => partsOf(door)));
      if (!parts.has(uuid)) throw unknown('componentCompositeUuids', index);
    }
    for (const [index, uuid] of body.locationUuids.entries()) {
      if ((await store.locations.find(orgUuid, uuid)) === null) {
        throw unknown('locationUuids', index);
      }
    }
  }

  /** Those of the devices that the organization does not have and that never reported anything. */
  async unheardOf(orgUuid: Ruuid, deviceUuids: readonly Ruuid[]): Promise<Ruuid[]> {
    const unheardOf: Ruuid[] = [];
    for (const uuid of deviceUuids) {
      const isKnown = (await this.#isDevice(orgUuid, uuid)) || (await this.#hasReported(orgUuid, uuid));
      if (!isKnown) unheardOf.push(uuid);
    }
    return unheardOf;
  }

  async #hasReported(orgUuid: Ruuid, deviceUuid: Ruuid): Promise<boolean> {
    const { events } = this.#options.store;
    for (const kind of REPORTED_KINDS) {
      const range = { fromMs: 0, toMs: MAX_TIME_MS + 1, after: null, limit: 1 };
      const order = 'newest-first';
      if ((await events.page(orgUuid, { kind, deviceUuid, order, ...range })).length > 0) return true;
    }
    return false;
  }

  async #isDevice(orgUuid: Ruuid, uuid: Ruuid): Promise<boolean> {
    const { store, doors, landings } = this.#options;
    if ((await store.cameras.find(orgUuid, uuid)) !== null) return true;
    if ((await store.nvrs.find(orgUuid, uuid)) !== null) return true;
    if (await doors.isOwner(orgUuid, uuid)) return true;
    return (await landings.list(orgUuid)).some(({ body }) => body.ownerDeviceUuid === uuid);
  }
}

function unknown(list: PausedSubjects, index: number): GatewayError {
  return new GatewayError(POLICY_ERRORS.ALERT_PAUSE_SUBJECT_NOT_FOUND, { list, index });
}
