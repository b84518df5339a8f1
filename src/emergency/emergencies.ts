/** Opening, extending, and closing emergencies. docs/design/emergency.md. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { KeyedLock } from '../core/keyed-lock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { AccessRules } from '../sharing/access-rules.ts';
import {
  EMERGENCIES,
  type Emergency,
  type EmergencyBody,
  type EmergencyCamera,
  type EmergencyCause,
  endEmergency,
  PAST_EMERGENCIES,
  type PastEmergency,
  type PastEmergencyBody,
  recipientUuidOf,
} from '../sharing/emergency-link.ts';
import { endWithoutStore } from '../sharing/end-without-store.ts';
import { memberUuidOf } from '../sharing/wall-members.ts';
import { seeingAll } from '../store/acting-view.ts';
import { waitingBriefly } from '../store/brief-waits.ts';
import { DEFAULT_TIME_ZONE } from '../store/camera-time-zone.ts';
import type { Share } from '../store/entities.ts';
import type { ResourcePageQuery, ResourceRepository, RoomForMore } from '../store/resource.ts';
import { type ResourcePage, resourcePage } from '../store/resource-page.ts';
import type { Store } from '../store/store.ts';
import { recipientsOf } from './emergency-partners.ts';
import { EMERGENCY_VIEWS, type EmergencyPartner, MAX_VIEWS_PER_EMERGENCY } from './emergency-records.ts';
import type { EmergencySender } from './emergency-sender.ts';
import { EMERGENCY_ERRORS } from './errors.ts';

export interface EmergenciesOptions {
  readonly store: Pick<Store, 'resources' | 'cameras' | 'nvrs' | 'locations'>;
  readonly rules: AccessRules;
  readonly sender: Pick<EmergencySender, 'opened' | 'closed' | 'deliveriesOf'>;
  readonly clock: Clock;
}

export interface NewEmergency {
  readonly partner: EmergencyPartner;
  /** Those that exist are opened, in this order. */
  readonly cameraUuids: readonly Ruuid[];
  readonly cause: EmergencyCause;
  readonly minutes: number;
  /** null: a person opens it. */
  readonly rule: { readonly uuid: Ruuid; readonly emergencyUuid: Ruuid } | null;
}

export const MAX_EMERGENCY_CAMERAS = 16;
export const MAX_EMERGENCY_MINUTES = 1_440;
export const MAX_REASON_CHARS = 1_024;
const MAX_EXTENSIONS = 100;
const MAX_ALERT_IDS = 100;
const MS_PER_MINUTE = 60_000;
const MS_PER_SEC = 1_000;

const OPEN_PER_RULE = 1;

const ROOM: RoomForMore = {
  atMost: LIMITS.openEmergencies.perOrganization,
  within: 'organization',
  full: () => new GatewayError(EMERGENCY_ERRORS.TOO_MANY_EMERGENCIES),
};
/** A rule that opens two at a time, at two gateways, has one. */
const ROOM_OF_RULE: RoomForMore = {
  atMost: OPEN_PER_RULE,
  within: 'parent',
  full: () => new GatewayError(EMERGENCY_ERRORS.TOO_MANY_EMERGENCIES, { isOfRule: true }),
};

export class Emergencies {
  readonly #options: EmergenciesOptions;
  readonly #open: ResourceRepository<EmergencyBody>;
  readonly #past: ResourceRepository<PastEmergencyBody>;
  readonly #turns = new KeyedLock();

  constructor(options: EmergenciesOptions) {
    this.#options = options;
    this.#open = options.store.resources.of(EMERGENCIES);
    this.#past = options.store.resources.of(PAST_EMERGENCIES);
  }

  /**
   * Viewers can open its links when this resolves, and mails and calls are queued. Fails EMERGENCY_REASON_MISSING,
   * EMERGENCY_WITHOUT_CAMERA, EMERGENCY_CAMERAS_TOO_MANY, TOO_MANY_EMERGENCIES.
   */
  async open(orgUuid: Ruuid, { partner, cause, minutes, rule, ...given }: NewEmergency): Promise<Emergency> {
    const { rules, clock, sender } = this.#options;
    const reason = cause.reason.trim();
    if (reason === '') throw new GatewayError(EMERGENCY_ERRORS.EMERGENCY_REASON_MISSING);
    const { cameras, timeZone } = await this.#camerasOf(orgUuid, [...new Set(given.cameraUuids)]);
    const nowMs = clock.epochMs();
    const uuid = rule?.emergencyUuid ?? newRuuid();
    const recipients = recipientsOf(partner).map(({ by, address }) => ({
      uuid: recipientUuidOf(uuid, by, address),
      by,
      address,
    }));
    const emergency: Emergency = {
      uuid,
      orgUuid,
      name: titleOf(cameras),
      parentUuid: rule?.uuid ?? null,
      secret: null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      body: {
        partner: { uuid: partner.uuid, name: partner.name, kind: partner.body.kind },
        cause: { ...cause, reason },
        cameras,
        recipients,
        language: partner.body.language,
        timeZone,
        untilMs: endOf(nowMs, minutes),
        setAtMs: nowMs,
        extensions: [],
        alertIds: cause.alertId === null ? [] : [cause.alertId],
      },
    };
    const rooms = rule === null ? ROOM : [ROOM, ROOM_OF_RULE];
    const { after } = await this.#open.change(orgUuid, uuid, (known) => known ?? emergency, rooms);
    await rules.applied({ kind: 'emergency', uuid, record: after! });
    await sender.opened(after!);
    return after!;
  }

  /**
   * It is open for `minutes` from now, at least until its present end. Fails EMERGENCY_NOT_FOUND, EMERGENCY_CLOSED, EMERGENCY_TOO_LONG.
   * `alertId`: the rule extends it as far as it can.
   */
  async extend(
    orgUuid: Ruuid,
    uuid: Ruuid,
    {
      minutes,
      by,
      alertId = null,
    }: { readonly minutes: number; readonly by: string; readonly alertId?: string | null },
  ): Promise<Emergency> {
    const { rules, clock } = this.#options;
    return this.#turns.run(uuid, async () => {
      const { after } = await this.#open.change(orgUuid, uuid, async (known) => {
        if (known === null) throw await this.#notOpen(orgUuid, uuid);
        const nowMs = clock.epochMs();
        const { body, createdAtMs } = known;
        // One that is over is closed in a moment, also if the clock has been set back since.
        if (nowMs >= body.untilMs) throw new GatewayError(EMERGENCY_ERRORS.EMERGENCY_CLOSED);
        const latestMs = endOf(createdAtMs, MAX_EMERGENCY_MINUTES);
        const wantedMs = endOf(nowMs, minutes);
        if (wantedMs > latestMs && alertId === null) {
          throw new GatewayError(EMERGENCY_ERRORS.EMERGENCY_TOO_LONG);
        }
        const untilMs = Math.max(body.untilMs, Math.min(wantedMs, latestMs));
        if (untilMs === body.untilMs) return 'unchanged';
        const alertIds = alertId === null ? body.alertIds : [...body.alertIds, alertId].slice(-MAX_ALERT_IDS);
        const extensions = [...body.extensions, { atMs: nowMs, by, untilMs }].slice(-MAX_EXTENSIONS);
        const changed = { ...body, untilMs, setAtMs: nowMs, extensions, alertIds };
        return { ...known, body: changed, updatedAtMs: nowMs };
      });
      await rules.applied({ kind: 'emergency', uuid, record: after! });
      return after!;
    });
  }

  /**
   * Its viewers are cut off before this resolves; one that has ended stays as it is. `by` null: its time is over. Fails
   * EMERGENCY_NOT_FOUND, and like `endWithoutStore`.
   */
  async close(orgUuid: Ruuid, uuid: Ruuid, by: string | null): Promise<void> {
    const { store, rules, clock, sender } = this.#options;
    await this.#turns.run(uuid, async () => {
      const atMs = clock.epochMs();
      const past = await waitingBriefly(() => endEmergency(store, { orgUuid, uuid }, { atMs, by })).catch(
        async (thrown: unknown) => {
          await endWithoutStore(rules, orgUuid, { kind: 'link', uuid }, thrown);
          return 'not-stored' as const;
        },
      );
      if (past === 'not-stored') return;
      if (past === null) {
        if ((await this.#past.find(orgUuid, uuid)) === null) throw notFound(uuid);
        return;
      }
      await rules.applied({ kind: 'emergency', uuid, record: null });
      await seeingAll(async () => {
        await sender.closed(past);
        const deliveries = await sender.deliveriesOf(past);
        await this.#past.change(orgUuid, uuid, (known) =>
          known === null ? 'unchanged' : { ...known, body: { ...known.body, deliveries } },
        );
        await this.#makeRoom(orgUuid);
      });
    });
  }

  /** The newest first. */
  async listOpen(orgUuid: Ruuid): Promise<Emergency[]> {
    return (await this.#open.list(orgUuid)).reverse();
  }

  /** The shares of cameras that are open to dispatch, of the oldest emergency first. */
  async feeds(orgUuid: Ruuid): Promise<Pick<Share, 'uuid' | 'cameraUuid'>[]> {
    const nowMs = this.#options.clock.epochMs();
    return (await this.#open.list(orgUuid)).flatMap(({ body }) => {
      const feed = body.untilMs > nowMs ? body.recipients.find(({ by }) => by === 'feed') : undefined;
      if (feed === undefined) return [];
      return body.cameras.map(({ cameraUuid }) => ({
        uuid: memberUuidOf(feed.uuid, cameraUuid),
        cameraUuid,
      }));
    });
  }

  /** That of a rule; null: none is open. */
  async openOfRule(orgUuid: Ruuid, ruleUuid: Ruuid): Promise<Emergency | null> {
    return (await this.#open.listByParent(orgUuid, ruleUuid))[0] ?? null;
  }

  /** Past ones of a rule, the oldest first. */
  pastOfRule(orgUuid: Ruuid, ruleUuid: Ruuid): Promise<PastEmergency[]> {
    return this.#past.listByParent(orgUuid, ruleUuid);
  }

  pagePast(orgUuid: Ruuid, query: ResourcePageQuery): Promise<ResourcePage<PastEmergencyBody>> {
    return resourcePage(this.#past, orgUuid, query);
  }

  /** Fails EMERGENCY_NOT_FOUND. */
  async find(orgUuid: Ruuid, uuid: Ruuid): Promise<Emergency | PastEmergency> {
    const found = (await this.#open.find(orgUuid, uuid)) ?? (await this.#past.find(orgUuid, uuid));
    if (found === null) throw notFound(uuid);
    return found;
  }

  async #makeRoom(orgUuid: Ruuid): Promise<void> {
    const views = this.#options.store.resources.of(EMERGENCY_VIEWS);
    const { pastEmergencies, emergencyViewRows, openEmergencies } = LIMITS;
    const forPast =
      emergencyViewRows.perOrganization - openEmergencies.perOrganization * MAX_VIEWS_PER_EMERGENCY;
    let excess = (await this.#past.count(orgUuid)) - pastEmergencies.perOrganization;
    let isCrowded = (await views.count(orgUuid)) > forPast;
    if (excess <= 0 && !isCrowded) return;
    const all = await this.#past.list(orgUuid);
    const ofRules = all.filter(({ parentUuid }) => parentUuid !== null);
    const others = all.filter(({ parentUuid }) => parentUuid === null);
    for (const { uuid } of [...ofRules, ...others].slice(0, -1)) {
      if (excess <= 0 && !isCrowded) return;
      await removePast(this.#options.store, orgUuid, uuid);
      excess--;
      isCrowded &&= (await views.count(orgUuid)) > forPast;
    }
  }

  async #camerasOf(
    orgUuid: Ruuid,
    uuids: readonly Ruuid[],
  ): Promise<{ readonly cameras: readonly EmergencyCamera[]; readonly timeZone: string }> {
    const { cameras, nvrs, locations } = this.#options.store;
    if (uuids.length > MAX_EMERGENCY_CAMERAS) {
      throw new GatewayError(EMERGENCY_ERRORS.EMERGENCY_CAMERAS_TOO_MANY);
    }
    const found: EmergencyCamera[] = [];
    let timeZone: string | null = null;
    for (const cameraUuid of uuids) {
      const camera = await cameras.find(orgUuid, cameraUuid);
      if (camera === null || camera.mummified) continue;
      const { name, nvrUuid } = camera;
      const nvr = nvrUuid === null ? null : await nvrs.find(orgUuid, nvrUuid);
      const locationUuid = camera.locationUuid ?? nvr?.locationUuid ?? null;
      const site = locationUuid === null ? null : await locations.find(orgUuid, locationUuid);
      timeZone ??= site?.tz ?? null;
      found.push({ cameraUuid, name, siteName: site?.name ?? null });
    }
    if (found.length === 0) throw new GatewayError(EMERGENCY_ERRORS.EMERGENCY_WITHOUT_CAMERA);
    return { cameras: found, timeZone: timeZone ?? DEFAULT_TIME_ZONE };
  }

  async #notOpen(orgUuid: Ruuid, uuid: Ruuid): Promise<GatewayError> {
    const past = await this.#past.find(orgUuid, uuid);
    return past === null ? notFound(uuid) : new GatewayError(EMERGENCY_ERRORS.EMERGENCY_CLOSED);
  }
}

/** Removes reports of emergencies that ended before `beforeMs`, at most `limit`. Resolves with how many. */
export async function removeReportsBefore(
  store: Pick<Store, 'resources'>,
  orgUuid: Ruuid,
  beforeMs: number,
  limit: number,
): Promise<number> {
  const past = await store.resources.of(PAST_EMERGENCIES).list(orgUuid);
  const old = past.filter(({ body }) => body.closedAtMs < beforeMs).slice(0, limit);
  for (const { uuid } of old) await removePast(store, orgUuid, uuid);
  return old.length;
}

/** With its views. */
async function removePast(
  { resources }: Pick<Store, 'resources'>,
  orgUuid: Ruuid,
  uuid: Ruuid,
): Promise<void> {
  const views = resources.of(EMERGENCY_VIEWS);
  for (const view of await views.listByParent(orgUuid, uuid)) await views.remove(orgUuid, view.uuid);
  await resources.of(PAST_EMERGENCIES).remove(orgUuid, uuid);
}

/** What its viewers read above the video: the place. */
function titleOf(cameras: readonly EmergencyCamera[]): string {
  const [first] = cameras;
  if (cameras.length === 1) return first!.name;
  const site = first!.siteName;
  const isOneSite = site !== null && cameras.every(({ siteName }) => siteName === site);
  return isOneSite ? site : `${first!.name} +${cameras.length - 1}`;
}

/** Shares end at whole seconds. */
function endOf(fromMs: number, minutes: number): number {
  return Math.floor(fromMs / MS_PER_SEC) * MS_PER_SEC + minutes * MS_PER_MINUTE;
}

function notFound(emergency: Ruuid): GatewayError {
  return new GatewayError(EMERGENCY_ERRORS.EMERGENCY_NOT_FOUND, { emergency });
}
