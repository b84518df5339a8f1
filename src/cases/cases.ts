/** Cases: times of cameras and clips that belong together, are held, and are sealed as one archive. docs/design/evidence.md#cases. */

import { actingPrincipal } from '../audit/acting-principal.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, parseDeviceFacetUuid, type Ruuid } from '../core/ruuid.ts';
import { mayReadClip, SAVED_CLIPS } from '../events/saved-clips.ts';
import { actingView } from '../store/acting-view.ts';
import type { ResourceRepository, RoomForMore } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { CASE_SEALS, CASES, type Case, type CaseBody, type CaseItem, type SealBody } from './case-records.ts';
import { CASE_ERRORS } from './errors.ts';
import type { HeldThing, Holds } from './holds.ts';

export interface CaseFields {
  readonly title: string;
  readonly number: string;
  readonly notes: string;
}

export interface CasesOptions {
  readonly store: Pick<Store, 'resources' | 'recordingHolds'>;
  readonly holds: Holds;
  /** Ends the links of a case, whose archive is gone. */
  readonly endLinks: (orgUuid: Ruuid, caseUuid: Ruuid) => Promise<void>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

/** A case as the caller may see it. */
export interface ShownCase {
  readonly record: Case;
  readonly items: readonly CaseItem[];
  /** Items of cameras that the caller may not see. */
  readonly hiddenItems: number;
}

export const MAX_CASE_ITEMS = 100;
/** A longer one would not fit into an archive that someone can check. */
export const MAX_ITEM_MS = 86_400_000;
export const MAX_CASE_TITLE_CHARS = 256;
export const MAX_CASE_NOTES_CHARS = 16_384;

const ROOM: RoomForMore = {
  atMost: LIMITS.cases.perOrganization,
  within: 'organization',
  full: () => new GatewayError(CASE_ERRORS.TOO_MANY_CASES),
};

export class Cases {
  readonly #options: CasesOptions;
  readonly #cases: ResourceRepository<CaseBody>;

  constructor(options: CasesOptions) {
    this.#options = options;
    this.#cases = options.store.resources.of(CASES);
  }

  /** Fails CASE_UNTITLED, TOO_MANY_CASES. */
  async create(orgUuid: Ruuid, fields: CaseFields, createdBy: string): Promise<Case> {
    const nowMs = this.#options.clock.epochMs();
    const record: Case = {
      uuid: newRuuid(),
      orgUuid,
      name: titleOf(fields.title),
      parentUuid: null,
      secret: null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      body: {
        number: fields.number.trim(),
        notes: fields.notes,
        createdBy,
        createdByUuid: actingPrincipal().uuid,
        ...UNSEALED,
        items: [],
      },
    };
    await this.#cases.change(orgUuid, record.uuid, () => record, ROOM);
    return record;
  }

  /** Those of which the caller may see something, the newest first. */
  async list(orgUuid: Ruuid): Promise<ShownCase[]> {
    const all = await this.#cases.list(orgUuid);
    return all.reverse().flatMap((record) => shown(record) ?? []);
  }

  /** Fails CASE_NOT_FOUND. */
  async find(orgUuid: Ruuid, uuid: Ruuid): Promise<ShownCase> {
    const record = await this.#cases.find(orgUuid, uuid);
    const found = record === null ? null : shown(record);
    if (found === null) throw notFound(uuid);
    return found;
  }

  /** Fails CASE_NOT_FOUND, CASE_UNTITLED, CASE_SEALED. */
  async update(orgUuid: Ruuid, uuid: Ruuid, fields: Partial<CaseFields>): Promise<Case> {
    const { title, ...body } = fields;
    return this.change(orgUuid, uuid, (record) => ({
      ...unsealed(record),
      ...(title === undefined ? {} : { name: titleOf(title) }),
      body: { ...record.body, ...body },
    }));
  }

  /**
   * Adds a time of a camera, or a clip, which is held from now on. Fails CASE_NOT_FOUND, CASE_SEALED, CASE_FULL,
   * CASE_ITEM_TIME_INVALID, CASE_CLIP_NOT_FOUND, and like Holds.create.
   */
  async add(
    orgUuid: Ruuid,
    uuid: Ruuid,
    { thing, note, by, reader }: { thing: HeldThing; note: string; by: string; reader: Ruuid },
  ): Promise<CaseItem> {
    const { record } = await this.find(orgUuid, uuid);
    unsealed(record);
    if ('startMs' in thing && (thing.startMs >= thing.endMs || thing.endMs - thing.startMs > MAX_ITEM_MS)) {
      throw new GatewayError(CASE_ERRORS.CASE_ITEM_TIME_INVALID);
    }
    const cameraUuids = await this.#camerasOf(orgUuid, thing, reader);
    const known = record.body.items.find((item) => isSame(item, thing));
    // A double click adds it once.
    if (known !== undefined) return known;
    const { holds, clock } = this.#options;
    const reason = `Case ${[record.body.number, record.name].filter((part) => part !== '').join(' ')}`;
    const hold = await holds.create(orgUuid, { thing, reason, heldBy: by, untilMs: null, caseUuid: uuid });
    const time = 'clipUuid' in thing ? NO_TIME : thing;
    const item: CaseItem = {
      ...NO_TIME,
      ...time,
      uuid: newRuuid(),
      clipUuid: 'clipUuid' in thing ? thing.clipUuid : null,
      cameraUuids,
      note,
      addedBy: by,
      addedAtMs: clock.epochMs(),
      holdUuid: hold.uuid,
    };
    try {
      const changed = await this.change(orgUuid, uuid, (now) => {
        unsealed(now);
        const { items } = now.body;
        if (items.some((each) => isSame(each, thing))) return now;
        if (items.length >= MAX_CASE_ITEMS) throw new GatewayError(CASE_ERRORS.CASE_FULL);
        return { ...now, body: { ...now.body, items: [...items, item] } };
      });
      const stored = changed.body.items.find((each) => isSame(each, thing))!;
      if (stored.uuid !== item.uuid) await holds.remove(orgUuid, hold.uuid);
      return stored;
    } catch (thrown) {
      await holds.remove(orgUuid, hold.uuid);
      throw thrown;
    }
  }

  /** Releases its hold. Fails CASE_NOT_FOUND, CASE_SEALED; an unknown item is one that was removed. */
  async removeItem(orgUuid: Ruuid, uuid: Ruuid, itemUuid: Ruuid): Promise<void> {
    const { items } = await this.find(orgUuid, uuid);
    const item = items.find((each) => each.uuid === itemUuid);
    await this.change(orgUuid, uuid, (now) => {
      unsealed(now);
      if (item === undefined) return now;
      return {
        ...now,
        body: { ...now.body, items: now.body.items.filter((each) => each.uuid !== itemUuid) },
      };
    });
    if (item !== undefined) await this.#options.holds.remove(orgUuid, item.holdUuid);
  }

  /**
   * It can be changed again. Its archive is gone, and its links end before this resolves; repeated after an error, it ends those that are
   * left. Fails CASE_NOT_FOUND, CASE_HAS_HIDDEN_ITEMS, and like SharedGroupService.remove.
   */
  async reopen(orgUuid: Ruuid, uuid: Ruuid): Promise<Case> {
    await this.expectAll(orgUuid, uuid);
    const reopened = await this.change(orgUuid, uuid, (now) => ({
      ...now,
      body: { ...now.body, ...UNSEALED },
    }));
    // A link that is created from now on finds no archive.
    await this.#options.store.resources.of(CASE_SEALS).remove(orgUuid, uuid);
    await this.#options.endLinks(orgUuid, uuid);
    return reopened;
  }

  /** With its archive; its links end, and its holds are released. Fails like `reopen`. */
  async remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    const { items } = await this.expectAll(orgUuid, uuid);
    const { store, holds, endLinks } = this.#options;
    await store.resources.of(CASE_SEALS).remove(orgUuid, uuid);
    await endLinks(orgUuid, uuid);
    await this.#cases.remove(orgUuid, uuid);
    for (const { holdUuid } of items) await holds.remove(orgUuid, holdUuid);
  }

  /** null: it is not sealed. */
  async seal(orgUuid: Ruuid, uuid: Ruuid): Promise<SealBody | null> {
    await this.find(orgUuid, uuid);
    return (await this.#options.store.resources.of(CASE_SEALS).find(orgUuid, uuid))?.body ?? null;
  }

  /** The case, of which the caller sees everything. Fails CASE_NOT_FOUND, CASE_HAS_HIDDEN_ITEMS. */
  async expectAll(orgUuid: Ruuid, uuid: Ruuid): Promise<ShownCase> {
    const found = await this.find(orgUuid, uuid);
    if (found.hiddenItems > 0) throw new GatewayError(CASE_ERRORS.CASE_HAS_HIDDEN_ITEMS);
    return found;
  }

  /** Fails CASE_NOT_FOUND, and like `decide`. */
  async change(orgUuid: Ruuid, uuid: Ruuid, decide: (now: Case) => Case): Promise<Case> {
    const { after } = await this.#cases.change(orgUuid, uuid, (known) => {
      if (known === null) throw notFound(uuid);
      const next = decide(known);
      return next === known ? 'unchanged' : { ...next, updatedAtMs: this.#options.clock.epochMs() };
    });
    return after!;
  }

  async #camerasOf(orgUuid: Ruuid, thing: HeldThing, reader: Ruuid): Promise<Ruuid[]> {
    if ('cameraUuid' in thing) return [thing.cameraUuid];
    const clip = await this.#options.store.resources.of(SAVED_CLIPS).find(orgUuid, thing.clipUuid);
    if (clip === null || !mayReadClip(clip.body, reader)) {
      throw new GatewayError(CASE_ERRORS.CASE_CLIP_NOT_FOUND, { clip: thing.clipUuid });
    }
    return clip.body.deviceUuids.flatMap((device) => parseDeviceFacetUuid(device)?.uuid ?? []);
  }
}

const UNSEALED = {
  state: 'open',
  failureCode: null,
  sealedBy: null,
  sealedAtMs: null,
  fingerprint: null,
} as const;
const NO_TIME = { cameraUuid: null, startMs: null, endMs: null };

/** null: the caller may see none of its items, so the case does not exist. */
function shown(record: Case): ShownCase | null {
  const view = actingView();
  const { items: all } = record.body;
  const items =
    view === null ? all : all.filter(({ cameraUuids }) => cameraUuids.every((uuid) => view.seesDevice(uuid)));
  // An empty case shows a limited caller nothing, except who opened it.
  const isOwn = all.length === 0 && record.body.createdByUuid === actingPrincipal().uuid;
  if (view !== null && items.length === 0 && !isOwn) return null;
  return { record, items, hiddenItems: all.length - items.length };
}

function isSame(item: CaseItem, thing: HeldThing): boolean {
  if ('clipUuid' in thing) return item.clipUuid === thing.clipUuid;
  const { cameraUuid, startMs, endMs } = thing;
  return item.cameraUuid === cameraUuid && item.startMs === startMs && item.endMs === endMs;
}

/** Fails CASE_SEALED. */
function unsealed(record: Case): Case {
  const { state } = record.body;
  if (state === 'sealing' || state === 'sealed') throw new GatewayError(CASE_ERRORS.CASE_SEALED);
  return record;
}

function titleOf(title: string): string {
  if (title.trim() === '') throw new GatewayError(CASE_ERRORS.CASE_UNTITLED);
  return title.trim();
}

function notFound(uuid: Ruuid): GatewayError {
  return new GatewayError(CASE_ERRORS.CASE_NOT_FOUND, { case: uuid });
}
