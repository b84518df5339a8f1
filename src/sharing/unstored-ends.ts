/**
 * Ends of access that the store could not take. Each is in force in memory when its caller gets the response, is kept in a file and by the
 * other nodes of a cluster, and is written until the store has it, on behalf of its caller
 * (docs/design/failure.md#ending-access-without-the-store).
 */

import { type EndedCredentials, endedName } from '../accounts/ended-credentials.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import {
  type AccessEnd,
  type EndOutcome,
  type EndRequest,
  inOrderOfEnds,
  isCredentialEnd,
  isCredentialRequest,
} from '../store/access-end.ts';
import type { AuditPrincipal } from '../store/audit.ts';
import { waitingBriefly } from '../store/brief-waits.ts';
import { isStoreAway } from '../store/store-away.ts';
import type { DeviceDirectory } from './device-directory.ts';
import type { EndFile } from './end-file.ts';
import { makeCredentialEnd } from './make-end.ts';
import type { ShareDirectory } from './share-directory.ts';
import { type EndStore, type StoredCredentials, storeEnd } from './store-end.ts';

/** Between two attempts. */
export const UNSTORED_RETRY_MS = 2_000;

/** The other nodes of a cluster. */
export interface EndSharing {
  /** Resolves when each has it, or cannot be reached now: then it gets it later. */
  share(end: AccessEnd): Promise<{ readonly isKept: boolean; readonly silentNodes: readonly string[] }>;
  /** It needs no more of them: the store has it. */
  stored(endUuid: Ruuid): void;
}

export interface UnstoredEndsOptions {
  readonly store: EndStore;
  readonly directory: Omit<ShareDirectory, 'endAccess' | 'storeEnds'>;
  readonly devices: StoredCredentials &
    Pick<DeviceDirectory, 'mayEnd' | 'endCredential' | 'recordOfCredential' | 'credentialEndStored'>;
  /** null: a restart forgets them. */
  readonly file: Pick<EndFile, 'add' | 'remove'> | null;
  /** Runs work on behalf of a caller. */
  readonly actAs: <T>(principal: AuditPrincipal, work: () => Promise<T>) => Promise<T>;
  /** The size of the pool; default: as declared. */
  readonly maxEnds?: number;
  /** Other credentials have ended, or the store has the end of some. Names from `endedName`. */
  readonly onCredentials?: (ended: readonly string[]) => void;
  readonly clock: Clock;
  readonly log: Log;
}

interface HeldEnd {
  readonly end: AccessEnd;
  /** Whether it survives a restart. */
  readonly kept: Promise<boolean>;
  /** Returns its place to the pool. Does nothing if another node accepted the end. */
  readonly giveBack: () => void;
  /** Views that it concerns have ended. */
  readonly inForce: Promise<void>;
  isReported: boolean;
}

export class UnstoredEnds {
  readonly #options: UnstoredEndsOptions;
  readonly #ends = new Map<Ruuid, HeldEnd>();
  /** Ends that were made here, by kind and record. Further ends of one record merge into its entry, so the map stays short. */
  readonly #made = new Map<string, HeldEnd>();
  readonly #pool: Pool<typeof LIMITS.unstoredEnds>;
  readonly #endedCredentials = new Set<string>();
  /** Ends that the store accepted recently: other nodes may still send them. */
  readonly #stored = new Set<Ruuid>();
  #others: EndSharing | null = null;
  #timer: TimerHandle | null = null;
  #isClosed = false;

  constructor(options: UnstoredEndsOptions) {
    this.#options = options;
    this.#pool = new Pool(LIMITS.unstoredEnds, options.maxEnds);
  }

  /** Ends that the store does not have yet. */
  get size(): number {
    return this.#ends.size;
  }

  /** Those that the store has as working. The same set, always. */
  get endedCredentials(): EndedCredentials {
    return this.#endedCredentials;
  }

  /** In the order in which they count. */
  all(): AccessEnd[] {
    return Array.from(this.#ends.values(), ({ end }) => end).sort(inOrderOfEnds);
  }

  /** Shares the ends with the other nodes of the cluster from now on. */
  shareWith(others: EndSharing): void {
    this.#others = others;
  }

  /** In force when it resolves, and views that it concerns have ended. Never rejects. */
  async endAccess(orgUuid: Ruuid, request: EndRequest, principal: AuditPrincipal): Promise<EndOutcome> {
    const known = this.#made.get(placeOf(request));
    const made = this.#make(orgUuid, request, principal);
    if (typeof made === 'string') return made;
    const end = known === undefined ? made : joinedEnds(known.end, made);
    let held = known;
    if (end !== held?.end) {
      const room = known ?? this.#pool.take({ organization: orgUuid });
      if ('isTaken' in room && !room.isTaken) return 'full';
      held = this.#hold(end, room.giveBack);
      this.#made.set(placeOf(end), held);
    }
    await held!.inForce;
    const { directory, devices } = this.#options;
    const [isKept, elsewhere] = await Promise.all([held!.kept, this.#others?.share(end)]);
    return {
      isKept: isKept || elsewhere?.isKept === true,
      silentNodes: elsewhere?.silentNodes ?? [],
      record: isCredentialEnd(end) ? devices.recordOfCredential(end) : directory.recordOf(end),
    };
  }

  /**
   * An end that another node has. Resolves when it is in force here, with whether it survives a restart. Further nodes get it from this one,
   * too: the other may end before it has reached them.
   */
  async take(end: AccessEnd): Promise<boolean> {
    if (this.#stored.has(end.endUuid)) return true;
    let held = this.#ends.get(end.endUuid);
    if (held === undefined || held.end.atMs < end.atMs) {
      held = this.#hold(end, held?.giveBack ?? (() => undefined));
      void this.#others?.share(end);
    }
    await held.inForce;
    return held.kept;
  }

  /** Writes those of one record now. Rejects like the store. */
  async storeEnds(uuid: Ruuid): Promise<void> {
    if (this.#ends.size === 0) return;
    for (const end of this.all().filter((each) => each.uuid === uuid)) {
      const held = this.#ends.get(end.endUuid);
      if (held === undefined) continue;
      await waitingBriefly(() => this.#store(end));
      if (this.#ends.get(end.endUuid) === held) await this.#settle(held);
    }
  }

  /** Ends that an earlier run of this node kept. Resolves when they are in force. */
  async resume(kept: readonly AccessEnd[]): Promise<void> {
    for (const end of kept) await this.#hold(end, () => undefined, true).inForce;
    if (kept.length > 0) this.#retrySoon(0);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #make(orgUuid: Ruuid, request: EndRequest, principal: AuditPrincipal) {
    const { directory, devices, clock } = this.#options;
    if (!isCredentialRequest(request)) return directory.makeEnd(orgUuid, request, principal);
    const refusal = devices.mayEnd(orgUuid, request);
    if (refusal !== null) return refusal;
    return makeCredentialEnd(request, { orgUuid, principal, nowEpochMs: clock.epochMs(), known: [] });
  }

  /** It takes the place of an earlier one with its UUID. */
  #hold(end: AccessEnd, giveBack: () => void, isInFile = false): HeldEnd {
    const { file, log } = this.#options;
    const kept = isInFile ? Promise.resolve(true) : this.#keep(file, end);
    const held: HeldEnd = { end, kept, giveBack, inForce: this.#enforce(end), isReported: false };
    this.#ends.set(end.endUuid, held);
    log.error({ end: end.kind, uuid: end.uuid }, 'end of access not stored yet');
    this.#retrySoon(UNSTORED_RETRY_MS);
    return held;
  }

  async #enforce(end: AccessEnd): Promise<void> {
    const { directory, devices, onCredentials } = this.#options;
    if (!isCredentialEnd(end)) return directory.putEnd(end);
    this.#endedCredentials.add(endedName(end));
    devices.endCredential(end);
    onCredentials?.([...this.#endedCredentials]);
  }

  async #keep(file: UnstoredEndsOptions['file'], end: AccessEnd): Promise<boolean> {
    if (file === null) return false;
    try {
      await file.add(end);
      return true;
    } catch (thrown) {
      this.#options.log.error({ err: toGatewayError(thrown), uuid: end.uuid }, 'end of access not kept');
      return false;
    }
  }

  #retrySoon(delayMs: number): void {
    if (this.#isClosed) return;
    this.#timer ??= this.#options.clock.after(delayMs, () => void this.#retry());
  }

  async #retry(): Promise<void> {
    const { log } = this.#options;
    for (const end of this.all()) {
      const held = this.#ends.get(end.endUuid);
      if (held === undefined || this.#isClosed) continue;
      try {
        await this.#store(end);
      } catch (thrown) {
        const err = toGatewayError(thrown);
        const fields = { end: end.kind, uuid: end.uuid, err };
        if (isStoreAway(thrown)) {
          log.debug(fields, 'end of access still not stored');
          break;
        }
        if (!held.isReported) log.error(fields, 'end of access refused by the store');
        held.isReported = true;
        continue;
      }
      // Another one may have joined it in the meantime.
      if (this.#ends.get(end.endUuid) !== held) continue;
      await this.#settle(held);
      log.info({ end: end.kind, uuid: end.uuid }, 'end of access stored');
    }
    this.#timer = null;
    if (this.#ends.size > 0) this.#retrySoon(UNSTORED_RETRY_MS);
  }

  #store(end: AccessEnd): Promise<void> {
    const { store, directory, devices, actAs } = this.#options;
    return actAs(end.principal, () => storeEnd(store, end, { rules: directory, credentials: devices }));
  }

  async #settle({ end, giveBack }: HeldEnd): Promise<void> {
    const { directory, devices, file } = this.#options;
    this.#ends.delete(end.endUuid);
    this.#stored.add(end.endUuid);
    if (this.#stored.size > LIMITS.unstoredEnds.total)
      this.#stored.delete(this.#stored.values().next().value!);
    if (this.#made.get(placeOf(end))?.end === end) this.#made.delete(placeOf(end));
    giveBack();
    this.#others?.stored(end.endUuid);
    file?.remove(end.endUuid);
    if (!isCredentialEnd(end)) {
      await directory.endStored(end);
      return;
    }
    // Another node may have made one of its own.
    for (const { end: other } of this.#ends.values()) {
      if (isCredentialEnd(other) && endedName(other) === endedName(end)) return;
    }
    this.#endedCredentials.delete(endedName(end));
    devices.credentialEndStored(end);
    this.#options.onCredentials?.([...this.#endedCredentials]);
  }
}

function placeOf({ kind, uuid }: Pick<AccessEnd, 'kind' | 'uuid'>): string {
  return `${kind} ${uuid}`;
}

/**
 * Two ends of one record that one node made become one, with the UUID of the first and the time of the second.
 * `earlier` itself if `later` adds nothing, as a second removal does. Both change the same record in the same way.
 */
function joinedEnds(earlier: AccessEnd, later: AccessEnd): AccessEnd {
  const { endUuid } = earlier;
  if (earlier.kind === 'rules' && later.kind === 'rules') {
    return { ...earlier, ...later, endUuid, base: earlier.base };
  }
  if (earlier.kind === 'hours' && later.kind === 'hours') {
    return { ...later, endUuid, baseHash: earlier.baseHash };
  }
  if (earlier.kind === 'wall' && later.kind === 'wall') {
    return { ...later, endUuid, removed: [...new Set([...earlier.removed, ...later.removed])] };
  }
  if (earlier.kind === 'person' && later.kind === 'person' && later.isRemoved && !earlier.isRemoved) {
    return { ...later, endUuid };
  }
  return earlier;
}
