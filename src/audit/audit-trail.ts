/**
 * Records every change that the store reports, and when viewers of shares and cameras come and go. Rows are written after the
 * request that caused them, in the order in which things happened; code that reads the trail waits for them first. Views of one
 * kind are merged (viewing-merger.ts), and are the first to be left out when room runs out.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import { Pool, type Taken } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { type AuditEvent, type AuditPrincipal, VIEWING_ACTIONS } from '../store/audit.ts';
import type { ApiKey, Share } from '../store/entities.ts';
import type { Person } from '../store/person.ts';
import type { ChangeEvent, EntityKind, Store } from '../store/store.ts';
import { actingPrincipal, GATEWAY_PRINCIPAL } from './acting-principal.ts';
import { auditActionOf, SIGN_IN_FAILED, storedActionOf } from './audit-action.ts';
import { AuditedTalks } from './audited-talks.ts';
import { shownFootage } from './shown-footage.ts';
import { nameOfTarget } from './target-name.ts';
import { type Viewing, ViewingMerger } from './viewing-merger.ts';

const ROWS_PER_WRITE = 200;
/** Rows of an organization's trail between two checks of its length. */
const ROWS_PER_MEASUREMENT = 500;
/** How often the counts of merged rows are written. */
export const GROWTH_INTERVAL_MS = 10_000;
/** A store that accepts no views is not offered any for this long. */
export const VIEWINGS_PAUSE_MS = 10_000;
/** How much of a browser's self-description is kept. */
const MAX_USER_AGENT_LENGTH = 512;

/** The viewer who opened a share or a camera, as far as it is known. */
export interface ShareViewer {
  /** Email of the person who signed in to watch a share; absent or null: without a sign-in. */
  readonly email?: string | null;
  readonly address: string;
  readonly userAgent: string | null;
}

/** The viewer who left, as far as the session shows. */
export interface LeavingViewer {
  readonly orgUuid: Ruuid;
  readonly shareUuid: Ruuid;
  readonly cameraUuid: Ruuid;
  readonly address: string | null;
}

/** A camera that is viewed without a share. */
export interface ViewedCamera {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
}

/** A shared group, by what it consists of. */
export interface SharedFiles extends Pick<Share, 'orgUuid' | 'uuid' | 'name'> {
  readonly body: { readonly kind: 'clip' | 'timelapse' };
}

const SHARED_FILES = {
  clip: ['VIEW_SHARE_CLIP', 'SHARED_CLIP'],
  timelapse: ['VIEW_SHARE_TIMELAPSE', 'SHARED_TIMELAPSE'],
} as const;

/** The key or the person whose rights a viewer without a share used. */
export type ViewingActor = Pick<ApiKey, 'uuid' | 'name'> & { readonly scheme: ApiKey['scheme'] | 'person' };

type MovingAction = Extract<Viewing['action'], `${string}_CAMERA_PTZ${string}`>;
/** Actions on the whole gateway. */
export type OperatorAction = 'GATEWAY_CONFIG_RELOAD' | 'GATEWAY_RESTART' | 'GATEWAY_SUPPORT_BUNDLE_CREATE';
type PresetAction = 'SET_CAMERA_PTZ_PRESET' | 'REMOVE_CAMERA_PTZ_PRESET';

interface Seen {
  readonly action: Viewing['action'];
  readonly orgUuid: Ruuid;
  readonly targetUuid: Ruuid;
  /** Of a link: its camera. */
  readonly deviceUuid?: Ruuid;
  /** null: looked up. */
  readonly targetName: string | null;
  readonly principal: Pick<AuditPrincipal, 'type' | 'uuid' | 'name'>;
  readonly address: string | null;
  readonly userAgent: string | null;
}

interface WaitingRow {
  readonly event: Omit<AuditEvent, 'targetName'>;
  /** null: looked up when the row is written. */
  readonly targetName: string | null;
  readonly change: ChangeEvent | null;
}

export interface AuditTrailOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Rows of one organization; beyond this, the oldest views are removed first. */
  readonly maxRows: number;
}

/** What waits for a mail, when a token was used, reports of emergencies, and masks of removed cameras. */
const BOOKKEEPING: ReadonlySet<EntityKind> = new Set([
  'emergencyView',
  'mailDigest',
  'removedMasks',
  'pastEmergency',
  'scimTokenUse',
  'waitingMail',
]);

/** That someone sent a mail is recorded; attempts of the gateway, and rows that its log drops, are not. */
function isBookkeeping({ entity, type }: ChangeEvent): boolean {
  return BOOKKEEPING.has(entity) || (entity === 'mail' && type !== 'CREATE');
}

export class AuditTrail {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #maxRows: number;
  readonly #unsubscribe: () => void;
  readonly #viewings: ViewingMerger;
  readonly #room = new Pool(LIMITS.auditWaiting);
  readonly #talks: AuditedTalks;
  #waiting: (WaitingRow & Pick<Taken, 'giveBack'>)[] = [];
  #writing: Promise<void> | null = null;
  #lostRows = 0;
  /** Until when views are not written, because the store accepts none. */
  #viewingsPausedUntilMonoMs = Number.NEGATIVE_INFINITY;
  #growth: TimerHandle | null = null;
  /** By organization: rows written since its trail was last measured. */
  readonly #unmeasured = new Map<Ruuid, number>();

  /** Follows the store from now on. */
  constructor({ store, clock, log, maxRows }: AuditTrailOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#maxRows = maxRows;
    this.#viewings = new ViewingMerger(clock);
    this.#talks = new AuditedTalks({
      rows: store.audit,
      room: this.#room,
      nowEpochMs: () => clock.epochMs(),
      log,
      onEnd: () => {
        void this.#talks.writeEnds();
        this.#armGrowth();
      },
    });
    this.#unsubscribe = store.onChange((change) => this.#onChange(change));
  }

  /** A viewer was admitted to a share. */
  shareOpened(share: Share, viewer: ShareViewer): void {
    const { orgUuid, uuid, name, cameraUuid: deviceUuid } = share;
    const principal = { type: 'SHARED_STREAM', uuid, name: viewer.email ?? name } as const;
    this.#addViewing({
      action: 'VIEW_SHARE_STREAM',
      orgUuid,
      targetUuid: uuid,
      deviceUuid,
      targetName: name,
      principal,
      ...withShortAgent(viewer),
    });
  }

  /** A viewer was admitted to a shared video wall, whose name `name` is. */
  wallOpened({ orgUuid, uuid, name }: Pick<Share, 'orgUuid' | 'uuid' | 'name'>, viewer: ShareViewer): void {
    const principal = { type: 'SHARED_STREAM', uuid, name } as const;
    this.#addViewing({
      action: 'VIEW_SHARE_VIDEOWALL',
      orgUuid,
      targetUuid: uuid,
      targetName: name,
      principal,
      ...withShortAgent(viewer),
    });
  }

  /** Someone was admitted to a shared group of clips or timelapses. */
  groupOpened({ orgUuid, uuid, name, body }: SharedFiles, viewer: ShareViewer): void {
    const [action, type] = SHARED_FILES[body.kind];
    this.#addViewing({
      action,
      orgUuid,
      targetUuid: uuid,
      targetName: name,
      principal: { type, uuid, name },
      ...withShortAgent(viewer),
    });
  }

  /** An admitted viewer left: closed the page, was cut off, or the gateway is stopping. */
  viewerLeft({ orgUuid, shareUuid, cameraUuid, address }: LeavingViewer): void {
    const principal = { type: 'SHARED_STREAM', uuid: shareUuid, name: '' } as const;
    this.#addViewing({
      action: 'VIEW_SHARE_STREAM_END',
      orgUuid,
      targetUuid: shareUuid,
      deviceUuid: cameraUuid,
      targetName: null,
      principal,
      address,
      userAgent: null,
    });
  }

  /** A viewer was admitted to a camera: with a key, with a session that the key created, or signed in. */
  deviceOpened(
    camera: ViewedCamera & { readonly name: string },
    actor: ViewingActor,
    viewer: ShareViewer,
    action: 'VIEW_CAMERA_LIVE' | 'VIEW_CAMERA_VOD' = 'VIEW_CAMERA_LIVE',
  ): void {
    this.#addDeviceViewing(camera, actor, viewer, action);
  }

  /** Someone is about to talk to a camera. Resolves when that is stored; null: it cannot be, so they must not. */
  async talkBegan(
    { orgUuid, uuid: targetUuid, name: targetName }: ViewedCamera & { readonly name: string },
    actor: ViewingActor | { readonly uuid: Ruuid; readonly name: string; readonly scheme: 'link' },
    viewer: ShareViewer,
  ): Promise<{ end(): void } | null> {
    const { address: sourceIp, userAgent } = withShortAgent(viewer);
    const { uuid, name } = actor;
    const who =
      actor.scheme === 'link' ? ({ type: 'SHARED_STREAM', uuid, name } as const) : principalOf(actor);
    const event = { uuid: newRuuid(), orgUuid, atMs: this.#clock.epochMs(), action: 'TALK_CAMERA' };
    const row = { ...event, principal: { ...who, sourceIp, userAgent }, targetUuid, targetName };
    const stored = await this.#talks.begin(row);
    if (stored !== null) await this.#keepBound([row]).catch(() => undefined);
    return stored;
  }

  #addDeviceViewing(
    { orgUuid, uuid, name }: ViewedCamera & { readonly name: string },
    actor: ViewingActor,
    viewer: ShareViewer,
    action: Seen['action'],
  ): void {
    this.#addViewing({
      action,
      orgUuid,
      targetUuid: uuid,
      targetName: name,
      principal: principalOf(actor),
      ...withShortAgent(viewer),
    });
  }

  /** The caller of the API moved a camera. */
  cameraMoved({ orgUuid, uuid, name }: ViewedCamera & { readonly name: string }, action: MovingAction): void {
    const { sourceIp, userAgent, ...principal } = actingPrincipal();
    this.#addViewing({
      action,
      orgUuid,
      targetUuid: uuid,
      targetName: name,
      principal,
      address: sourceIp,
      userAgent,
    });
  }

  /** The caller of the API changed where a camera can be sent. */
  cameraPresetChanged(
    { orgUuid, uuid: targetUuid, name }: ViewedCamera & { readonly name: string },
    action: PresetAction,
  ): void {
    const event = { uuid: newRuuid(), orgUuid, atMs: this.#clock.epochMs(), action };
    this.#add({
      event: { ...event, principal: actingPrincipal(), targetUuid },
      targetName: name,
      change: null,
    });
  }

  /** An operator did something with the whole gateway. The trail is that of the organization whose key it was. */
  gatewayOperated(orgUuid: Ruuid, action: OperatorAction): void {
    const event = { uuid: newRuuid(), orgUuid, atMs: this.#clock.epochMs(), action };
    this.#add({
      event: { ...event, principal: actingPrincipal(), targetUuid: orgUuid },
      targetName: '',
      change: null,
    });
  }

  /** The caller of the API ended a view of a link, or lets an address open it again. */
  viewEnded(
    { orgUuid, uuid: targetUuid }: Pick<Share, 'orgUuid' | 'uuid'>,
    action: 'SHARED_VIEWER_END' | 'SHARED_ADDRESS_UNBLOCK',
  ): void {
    const event = { uuid: newRuuid(), orgUuid, atMs: this.#clock.epochMs(), action };
    this.#add({
      event: { ...event, principal: actingPrincipal(), targetUuid },
      targetName: null,
      change: null,
    });
  }

  /** Someone tried to sign in to the console as a person, with a wrong password or a passkey that was refused. */
  signInFailed(
    { orgUuid, uuid: targetUuid, name }: Pick<Person, 'orgUuid' | 'uuid' | 'name'>,
    { address: sourceIp, userAgent }: ShareViewer,
  ): void {
    const shortAgent = userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null;
    const principal = { ...GATEWAY_PRINCIPAL, name: '', sourceIp, userAgent: shortAgent };
    const event = { uuid: newRuuid(), orgUuid, atMs: this.#clock.epochMs(), action: SIGN_IN_FAILED };
    this.#add({ event: { ...event, principal, targetUuid }, targetName: name, change: null });
  }

  /** An admitted viewer of a camera left. `actor`: null if it is not known anymore. */
  deviceLeft({ orgUuid, uuid }: ViewedCamera, actor: ViewingActor | null, address: string | null): void {
    this.#addViewing({
      action: 'VIEW_CAMERA_LIVE_END',
      orgUuid,
      targetUuid: uuid,
      targetName: null,
      principal: principalOf(actor),
      address,
      userAgent: null,
    });
  }

  /** Resolves when everything that has happened so far is written or was left out. */
  async settled(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
    await this.#writeGrowth();
    await this.#talks.writeEnds();
    if (this.#talks.waiting > 0) this.#armGrowth();
  }

  /** Stops following the store, and writes pending rows. */
  async close(): Promise<void> {
    this.#unsubscribe();
    this.#growth?.cancel();
    await this.settled();
    this.#growth?.cancel();
  }

  #onChange(change: ChangeEvent): void {
    if (isBookkeeping(change)) return;
    const action = auditActionOf(change);
    const event = {
      uuid: newRuuid(),
      orgUuid: change.orgUuid,
      atMs: this.#clock.epochMs(),
      action,
      principal: actingPrincipal(),
      targetUuid: change.uuid,
    };
    this.#add({ event, targetName: null, change });
  }

  #addViewing(seen: Seen): void {
    const { action, orgUuid, targetUuid, targetName, principal, address, userAgent } = seen;
    if (this.#clock.monoMs() < this.#viewingsPausedUntilMonoMs) return;
    // The names of viewers who signed in to one share tell them apart.
    const viewed = `${targetUuid} ${principal.uuid} ${principal.name}`;
    const row = this.#viewings.add({ action, viewed, address, userAgent });
    if (row === null) {
      this.#armGrowth();
      return;
    }
    const viewer: AuditPrincipal = { ...principal, sourceIp: address, userAgent: row.userAgent };
    const atMs = this.#clock.epochMs();
    const device = seen.deviceUuid === undefined ? {} : { deviceUuid: seen.deviceUuid };
    const event = { uuid: row.uuid, orgUuid, atMs, action, principal: viewer, targetUuid, ...device };
    this.#add({ event, targetName, change: null });
  }

  #add(row: WaitingRow): void {
    // Beyond this, a flood is counted and left out.
    const taken = this.#room.take({ organization: row.event.orgUuid });
    if (!taken.isTaken) {
      this.#lostRows += 1;
      return;
    }
    this.#waiting.push({ ...row, giveBack: taken.giveBack });
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const rows = this.#waiting.slice(0, ROWS_PER_WRITE);
      this.#waiting = this.#waiting.slice(ROWS_PER_WRITE);
      try {
        const named = await this.#named(rows);
        // Changes by people are always written; actions of viewers are written if there is room.
        await this.#store.audit.add(named.filter(isNoViewing), 'vital');
        const viewings = named.filter((event) => !isNoViewing(event));
        await this.#store.audit.add(viewings).catch((thrown) => this.#pauseViewings(thrown, viewings.length));
        if (this.#lostRows > 0) this.#log.error({ rows: this.#lostRows }, 'audit rows lost in a flood');
        this.#lostRows = 0;
        await this.#keepBound(named);
      } catch (thrown) {
        this.#log.error({ err: toGatewayError(thrown), rows: rows.length }, 'audit rows not written');
      }
      for (const { giveBack } of rows) giveBack();
    }
    this.#writing = null;
  }

  #pauseViewings(thrown: unknown, rows: number): void {
    this.#viewingsPausedUntilMonoMs = this.#clock.monoMs() + VIEWINGS_PAUSE_MS;
    this.#viewings.startOver();
    this.#log.error({ err: toGatewayError(thrown), rows }, 'views not recorded for now');
  }

  #armGrowth(): void {
    this.#growth ??= this.#clock.after(GROWTH_INTERVAL_MS, () => {
      this.#growth = null;
      void this.settled();
    });
  }

  /** The current counts of merged rows. */
  async #writeGrowth(): Promise<void> {
    const grown = this.#viewings.takeGrown();
    try {
      for (let at = 0; at < grown.length; at += ROWS_PER_WRITE) {
        await this.#store.audit.repeat(grown.slice(at, at + ROWS_PER_WRITE));
      }
    } catch (thrown) {
      this.#pauseViewings(thrown, grown.length);
    }
  }

  /** Measures an organization's trail from time to time, and trims it. */
  async #keepBound(written: readonly AuditEvent[]): Promise<void> {
    for (const { orgUuid } of written) {
      const rows = (this.#unmeasured.get(orgUuid) ?? 0) + 1;
      this.#unmeasured.set(orgUuid, rows);
      if (rows < ROWS_PER_MEASUREMENT) continue;
      this.#unmeasured.delete(orgUuid);
      while ((await this.#store.audit.removeExcess(orgUuid, this.#maxRows, ROWS_PER_WRITE)) > 0);
    }
  }

  async #named(rows: readonly WaitingRow[]): Promise<AuditEvent[]> {
    const named: AuditEvent[] = [];
    for (const { event, targetName, change } of rows) {
      const found = targetName ?? (change === null ? null : await nameOfTarget(this.#store, change));
      // A removed entity keeps the name under which it was last seen.
      const known = found ?? named.findLast((row) => row.targetUuid === event.targetUuid)?.targetName;
      const name = known ?? (await this.#store.audit.lastNameOf(event.orgUuid, event.targetUuid)) ?? '';
      const { principal } = event;
      // A viewer of a share goes by the share's name.
      const isViewer = principal.type === 'SHARED_STREAM' && principal.name === '';
      const earlier = named.findLast((row) => row.targetUuid === event.targetUuid)?.footage;
      const footage = await shownFootage(this.#store, event, change, earlier);
      named.push({
        ...event,
        ...(footage === null ? {} : { footage }),
        action: change === null ? event.action : await storedActionOf(this.#store, change),
        principal: isViewer ? { ...principal, name } : principal,
        targetName: name,
      });
    }
    return named;
  }
}

const ACTOR_TYPES = {
  api: 'API_TOKEN',
  'partner-api': 'PARTNER',
  device: 'DEVICE',
  person: 'USER',
} as const;

/** The principal that acts by a key, outside a request of the API. `key`: null if it is not known anymore. */
export function principalOfKey(key: ViewingActor | null): AuditPrincipal {
  return { ...principalOf(key), sourceIp: null, userAgent: null };
}

function principalOf(actor: ViewingActor | null): Seen['principal'] {
  if (actor === null) return { type: 'UNKNOWN', uuid: null, name: '' };
  return { type: ACTOR_TYPES[actor.scheme], uuid: actor.uuid, name: actor.name };
}

function withShortAgent({ address, userAgent }: ShareViewer): Pick<Seen, 'address' | 'userAgent'> {
  return { address, userAgent: userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null };
}

function isNoViewing({ action }: AuditEvent): boolean {
  return !VIEWING_ACTIONS.some((viewing) => viewing === action);
}
