/**
 * How a request for a device becomes a grant: credentials, their limits, the gate's decision, log and audit. Every route
 * under `/media/<deviceUuid>/` begins here (docs/design/access.md).
 */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, keyOf } from '../../accounts/caller.ts';
import { ACCOUNT_ERRORS } from '../../accounts/errors.ts';
import { type GatewayError, toGatewayError } from '../../core/errors.ts';
import { parseDeviceFacetUuid, type Ruuid } from '../../core/ruuid.ts';
import { subscriberOf } from '../../core/subscriber.ts';
import { type AuthenticationParts, authenticate } from '../../http/authentication.ts';
import type { DeviceGate, OpenedDevice } from '../../sharing/device-gate.ts';
import type { Principal } from '../../sharing/device-grant.ts';
import { actorUrgency } from '../../sharing/viewing-urgency.ts';
import type { ApiKey } from '../../store/entities.ts';
import type { Content } from '../../stream/media/live-media.ts';
import { rawQuery } from '../response/raw-query.ts';
import { type DeviceRefusal, sendDeviceRefused, sendFailure } from '../response/refusal-response.ts';
import type { FrontDoorParts } from './front-door-parts.ts';
import { type MediaCredential, mediaCredential } from './media-credentials.ts';
import type { OpeningLog } from './opening-log.ts';
import { RecentGrants } from './recent-grants.ts';

export interface DeviceParams {
  readonly device: string;
  /** Clients put a region into every media URL. There is one gateway, so it decides nothing. */
  readonly region: string;
  /** A federated session in the path. */
  readonly token?: string;
}

export type DeviceRequest = FastifyRequest<{ Params: DeviceParams }>;

/** The purpose of a request. */
export interface EntryRequest {
  /** The streams that are kept open from now on. */
  readonly contents: readonly Content[];
  /** Clients return here with their credentials, and remain the same viewer. */
  readonly isReturning?: boolean;
  /** It becomes a WebSocket, which browsers open for pages of any origin, with all cookies. */
  readonly isSocket?: boolean;
  /** It is the past that is wanted. */
  readonly isPast?: boolean;
  /** Finds the device among those of the caller's organization, if the path does not name it. Rejects like the store. */
  readonly deviceOf?: (orgUuid: Ruuid) => Promise<Ruuid | null>;
  /** With `deviceOf`: the failure if the device does not exist, or the caller may not see it. */
  readonly unknown?: GatewayError;
}

/** The dependencies of device views; without them, only shares can be watched. */
export interface DeviceAccessParts {
  readonly gate: DeviceGate;
  readonly authentication: AuthenticationParts;
}

interface Authenticated {
  readonly principal: Principal;
  readonly caller: Caller;
  readonly key: ApiKey;
}

const CREDENTIALS_NEEDED: DeviceRefusal = { reason: 'credentials-needed', retryAfterMs: null };
const CREDENTIALS_WRONG: DeviceRefusal = { reason: 'credentials-wrong', retryAfterMs: null };
const CREDENTIALS_ENDED: DeviceRefusal = { reason: 'credential-ended', retryAfterMs: null };
const UNKNOWN: DeviceRefusal = { reason: 'unknown', retryAfterMs: null };
/** Programs that send credentials with every segment are one viewer, not one per segment. */
const PAST: EntryRequest = { contents: [], isReturning: true, isPast: true };
const MS_PER_SEC = 1_000;

export class DeviceEntries {
  readonly #parts: FrontDoorParts;
  readonly #access: DeviceAccessParts;
  readonly #openingLog: OpeningLog;
  readonly #recent: RecentGrants<OpenedDevice>;

  constructor(parts: FrontDoorParts, access: DeviceAccessParts, openingLog: OpeningLog) {
    this.#parts = parts;
    this.#access = access;
    this.#openingLog = openingLog;
    this.#recent = new RecentGrants(parts.clock);
  }

  /** The device with a grant; null: refused, and the response was sent. Rejects like the store. */
  async open(
    request: DeviceRequest,
    reply: FastifyReply,
    wanted: EntryRequest,
  ): Promise<OpenedDevice | null> {
    this.#openingLog.noteProxy(request);
    const opened = await this.#ask(request, wanted);
    if ('grantText' in opened) return opened;
    if (opened.reason === 'unknown' && wanted.unknown !== undefined) sendFailure(reply, wanted.unknown);
    else this.refuse(reply, opened);
    return null;
  }

  /** The same for the past, for which no camera is woken. */
  openPast(
    request: DeviceRequest,
    reply: FastifyReply,
    finding: Pick<EntryRequest, 'deviceOf' | 'unknown'> = {},
  ): Promise<OpenedDevice | null> {
    return this.open(request, reply, { ...PAST, ...finding });
  }

  /** Whether a device that was opened a moment ago may still be watched; null: yes. */
  reconsider(opened: OpenedDevice): ((reply: FastifyReply) => void) | null {
    const refusal = this.#access.gate.reconsider(opened);
    if (refusal === null) return null;
    return (reply) => this.refuse(reply, { reason: refusal.reason, retryAfterMs: null });
  }

  refuse(reply: FastifyReply, refusal: DeviceRefusal): void {
    sendDeviceRefused(reply, refusal, this.#parts.clock.epochMs());
  }

  async #ask(request: DeviceRequest, wanted: EntryRequest): Promise<OpenedDevice | DeviceRefusal> {
    const { params, ip: address } = request;
    const route = request.routeOptions.url;
    const credential = mediaCredential(request.headers, rawQuery(request), params.token ?? null);
    if (credential === null) return CREDENTIALS_NEEDED;
    if (wanted.isSocket && credential.isFromCookie && isFromOtherHost(request)) return CREDENTIALS_NEEDED;
    const who = await this.#authenticate(credential, address);
    if ('reason' in who) {
      this.#openingLog.refusedDevice(route, { principal: null, device: null, reason: who.reason });
      return who;
    }
    const { principal, caller, key } = who;
    const device =
      wanted.deviceOf === undefined
        ? (parseDeviceFacetUuid(params.device)?.uuid ?? null)
        : await wanted.deviceOf(caller.orgUuid);
    const namedOrgUuid = (credential.headers['x-auth-org'] ?? '') === '' ? null : caller.orgUuid;
    const userAgent = request.headers['user-agent'] ?? null;
    const viewer = JSON.stringify([
      principal,
      device,
      namedOrgUuid,
      address,
      userAgent,
      wanted.isPast === true,
    ]);
    const earlier = wanted.isReturning ? this.#earlier(viewer) : null;
    if (earlier !== null) {
      this.#touch(earlier, wanted, key);
      return earlier;
    }
    const { tokenHash } = credential;
    const requested = { principal, tokenHash, actor: key, namedOrgUuid, address };
    const opened =
      device === null ? null : await this.#access.gate.open({ ...requested, deviceUuid: device });
    if (opened === null || !opened.allowed) {
      const refusal = opened === null ? UNKNOWN : opened;
      const { reason, retryAfterMs } = refusal;
      // Callers choose the UUID: it is logged only if they may know about the device.
      const known = reason === 'unknown' ? null : device;
      this.#openingLog.refusedDevice(route, { principal: principal.uuid, device: known, reason });
      return { reason, retryAfterMs };
    }
    if (wanted.isReturning) {
      const { orgUuid } = opened.device;
      const holders = { organization: orgUuid, link: principal.uuid, address: subscriberOf(address) };
      this.#recent.put(viewer, opened, holders);
    }
    this.#touch(opened, wanted, key);
    const { log, onDeviceOpened } = this.#parts;
    log.debug({ route, device: opened.device.uuid, principal: principal.uuid }, 'device opened');
    onDeviceOpened(
      { device: opened.device, actor: key, isPast: wanted.isPast === true },
      { address, userAgent },
    );
    return opened;
  }

  /** The client's earlier device; null: none that it may still use. */
  #earlier(viewer: string): OpenedDevice | null {
    const earlier = this.#recent.find(viewer);
    return earlier !== null && this.#access.gate.reconsider(earlier) === null ? earlier : null;
  }

  #touch({ shownUuid }: OpenedDevice, { contents }: EntryRequest, key: ApiKey): void {
    const camera = this.#parts.cameras.get(shownUuid);
    for (const content of contents) camera?.touch(content, actorUrgency(key));
  }

  /** Only a wrong credential counts as a guess, not a missing one. Rejects if the store or the gateway cannot decide. */
  async #authenticate(credential: MediaCredential, address: string): Promise<Authenticated | DeviceRefusal> {
    const { headers, kind, principalUuid } = credential;
    try {
      const { authentication } = this.#access;
      const caller = await authenticate(headers, address, 'viewing-device', authentication, () => undefined);
      const key = keyOf(caller);
      if (key === null) return CREDENTIALS_WRONG;
      return { principal: { kind, uuid: principalUuid ?? key.uuid }, caller, key };
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (error.code === ACCOUNT_ERRORS.API_TOKEN_EXPIRED.code) return CREDENTIALS_ENDED;
      if (error.kind === 'unauthenticated') return CREDENTIALS_WRONG;
      if (error.kind !== 'rate-limited') throw error;
      const retryAfterMs = Number(error.context.retryAfterSec) * MS_PER_SEC;
      return { reason: 'too-many-credentials', retryAfterMs };
    }
  }
}

/** Whether a page of another host than the gateway's sent it. Programs name no origin. */
function isFromOtherHost({ headers: { origin }, host }: DeviceRequest): boolean {
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host;
}
