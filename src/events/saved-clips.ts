/** Saved clips: metadata of footage that was kept by systems that report their clips, or by the gateway itself (src/clips). */

import type { CameraSignature } from '../codec/media-signing/camera-signature.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { LongList } from '../core/long-list.ts';
import { deriveRuuid, parseDeviceFacetUuid, type Ruuid } from '../core/ruuid.ts';
import { seeingAll } from '../store/acting-view.ts';
import { heldClips } from '../store/recording-hold.ts';
import {
  type Resource,
  type ResourceMark,
  type ResourceRepository,
  type RoomForMore,
  resourceKind,
} from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { cameraLocations } from './camera-locations.ts';
import { EVENT_ERRORS } from './errors.ts';
import type { MetaDataLocation, PolicyAlertBody, PolicyAlerts } from './policy-alerts.ts';

/** How many clips an organization can have: counting reads all of them. */
export const MAX_SAVED_CLIPS = LIMITS.savedClips.perOrganization;
const CHUNK_CLIPS = 1_000;
/** Less than every uuid: a position before all clips of a millisecond, seen from the newest. */
const BEFORE_EVERY_UUID = '' as Ruuid;
const MAX_TITLE_LENGTH = 256;

const ROOM: RoomForMore = {
  atMost: MAX_SAVED_CLIPS,
  within: 'organization',
  full: () => new GatewayError(EVENT_ERRORS.SAVED_CLIPS_FULL),
};

/** The fields of a clip that rules read and write. A report can contain many more, which are stored as sent. */
export interface SavedClipBody {
  /** The ID under which it was reported; null: saved through the API. */
  readonly reportedId: string | null;
  /** With their facets. */
  readonly deviceUuids: readonly string[];
  readonly locationUuid: Ruuid | null;
  /** When its footage began. */
  readonly timestampMs: number;
  /** The policy alert that it was saved from. */
  readonly sourceAlertUuid?: Ruuid;
  /** The user who saved it: the one of the key, or the one in the report. */
  readonly userUuid?: Ruuid;
  readonly accessSettings?: {
    readonly visibility?: 'PRIVATE' | 'ROLE_RESTRICTED' | 'ORG_WIDE';
    readonly allowedUsers?: readonly Ruuid[];
  };
  readonly title?: string;
  readonly description?: string;
  readonly durationSec?: number;
  readonly clipLocation?: MetaDataLocation;
  readonly deviceUuidMap?: Readonly<Record<string, MetaDataLocation>>;
  readonly thumbnailLocation?: MetaDataLocation;
  readonly thumbnailLocationV2?: string;
  readonly fisheyeMap?: Readonly<Record<string, readonly object[]>>;
  readonly boundingBoxes?: readonly object[];
  readonly seekPoints?: readonly object[];
  readonly status?: string;
  readonly byteCount?: number;
  readonly sha256Hex?: string;
  /** Of the cameras that sign their video, what each signed in this clip. Only of clips that the gateway made. */
  readonly cameraSignatures?: readonly (CameraSignature & { readonly cameraUuid: Ruuid })[];
  readonly videoResolution?: { readonly width?: number; readonly height?: number };
  /** It belongs to alarm monitoring. */
  readonly isMonitoringClip?: boolean;
}

export type SavedClip = Resource<SavedClipBody>;

export const SAVED_CLIPS = resourceKind<SavedClipBody>('savedClip');

export interface ReportedClip extends Omit<SavedClipBody, 'reportedId' | 'locationUuid' | 'sourceAlertUuid'> {
  /** Unique among the organization's clips. */
  readonly id: string;
  /** Default: the location of the first camera. */
  readonly locationUuid?: Ruuid;
}

/** Empty lists match every clip; times are half-open. */
export interface ClipFilter {
  readonly deviceUuids: readonly Ruuid[];
  readonly locationUuids: readonly Ruuid[];
  readonly fromMs: number;
  readonly toMs: number;
}

/** A search's parameters in addition to the filter. */
export interface ClipSearch extends ClipFilter {
  /** The times of the filter are those of saving, not of the clip's video. */
  readonly isBySaving: boolean;
  /** In the title, whatever the case; '': any. */
  readonly titlePart: string;
  readonly isOnlyPrivate: boolean;
  readonly isWithoutMonitoring: boolean;
  /** By when they were saved. */
  readonly order: 'oldest-first' | 'newest-first';
  /** Only those whose video is in the region and that were saved before a time; null: any. */
  readonly kept: { readonly region: string; readonly savedBeforeMs: number } | null;
}

export interface ClipCounts {
  /** Without private ones. */
  readonly count: number;
  readonly privateCount: number;
}

/** The details of a clip when an alert is saved. */
export type ClipDetails = Pick<SavedClipBody, 'title' | 'description' | 'fisheyeMap' | 'userUuid'>;

/** The reader of clips, as the user of its key; null: the gateway itself. */
export type ClipReader = Ruuid | null;

export interface SavedClipsOptions {
  readonly store: Pick<Store, 'resources' | 'cameras'>;
  readonly alerts: PolicyAlerts;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class SavedClips {
  readonly #options: SavedClipsOptions;
  readonly #clips: ResourceRepository<SavedClipBody>;

  constructor(options: SavedClipsOptions) {
    this.#options = options;
    this.#clips = options.store.resources.of(SAVED_CLIPS);
  }

  /** Fails SAVED_CLIP_NOT_FOUND, also if the reader may not read it. */
  async find(orgUuid: Ruuid, uuid: Ruuid, reader: ClipReader): Promise<SavedClip> {
    const clip = await this.#clips.find(orgUuid, uuid);
    if (clip === null || !mayReadClip(clip.body, reader)) {
      throw new GatewayError(EVENT_ERRORS.SAVED_CLIP_NOT_FOUND, { clip: uuid });
    }
    return clip;
  }

  /** null: there is none. */
  known(orgUuid: Ruuid, uuid: Ruuid): Promise<SavedClip | null> {
    return this.#clips.find(orgUuid, uuid);
  }

  /** Those that exist, however many. */
  async knownAll(orgUuid: Ruuid, uuids: readonly Ruuid[]): Promise<ReadonlyMap<Ruuid, SavedClip>> {
    const wanted = [...new Set(uuids)];
    const known = new Map<Ruuid, SavedClip>();
    for (let at = 0; at < wanted.length; at += CHUNK_CLIPS) {
      const chunk = wanted.slice(at, at + CHUNK_CLIPS);
      for (const { before } of await this.#clips.changeAll(orgUuid, chunk, () => 'unchanged')) {
        if (before !== null) known.set(before.uuid, before);
      }
    }
    return known;
  }

  /** Fails SAVED_CLIPS_FULL. */
  async add(clip: SavedClip): Promise<void> {
    await this.#clips.change(clip.orgUuid, clip.uuid, () => clip, ROOM);
  }

  /** Changes fields of a clip, unless it was deleted in the meantime. */
  async patch(
    orgUuid: Ruuid,
    uuid: Ruuid,
    change: (body: SavedClipBody) => Partial<SavedClipBody>,
  ): Promise<void> {
    const updatedAtMs = this.#options.clock.epochMs();
    await this.#clips.change(orgUuid, uuid, (known) => {
      if (known === null) return 'unchanged';
      const body = { ...known.body, ...change(known.body) };
      return { ...known, body, name: clipName(body), updatedAtMs };
    });
  }

  /** A clip without an owner that becomes private belongs to the reader. Fails SAVED_CLIP_NOT_FOUND. */
  async update(
    orgUuid: Ruuid,
    uuid: Ruuid,
    fields: Pick<SavedClipBody, 'title' | 'description' | 'accessSettings'>,
    reader: Ruuid,
  ): Promise<void> {
    await this.find(orgUuid, uuid, reader);
    const { accessSettings } = fields;
    await this.patch(orgUuid, uuid, ({ userUuid = reader }) =>
      accessSettings === undefined ? fields : { ...fields, userUuid },
    );
  }

  /**
   * Newest first, after those of `afterMs`; null: from the first. Clips of one millisecond are never split, so a page can
   * be somewhat longer than `limit`.
   */
  async page(
    orgUuid: Ruuid,
    afterMs: number | null,
    limit: number,
    reader: ClipReader,
  ): Promise<{
    readonly clips: readonly SavedClip[];
    /** Leads to the next page; null: there is none. */
    readonly nextMs: number | null;
  }> {
    const found = await this.#clips.page(orgUuid, {
      order: 'newest-first',
      after: afterMs === null ? null : { createdAtMs: afterMs, uuid: BEFORE_EVERY_UUID },
      limit: limit + 1,
    });
    const isMore = found.length > limit;
    const page = isMore ? await this.#wholeMilliseconds(orgUuid, found) : found;
    return {
      // A page can be shorter by what its reader may not read: the next one begins where this one really ends.
      clips: page.filter(({ body }) => mayReadClip(body, reader)),
      nextMs: isMore ? page.at(-1)!.createdAtMs : null,
    };
  }

  /** All of them, the newest first. */
  async all(orgUuid: Ruuid, reader: ClipReader): Promise<LongList<SavedClip>> {
    const clips = await this.#clips.list(orgUuid);
    return LongList.of(clips.reverse()).map((clip) => (mayReadClip(clip.body, reader) ? clip : undefined));
  }

  /** Those that match, behind `after`; `next` leads to further ones. */
  async search(
    orgUuid: Ruuid,
    search: ClipSearch,
    after: ResourceMark | null,
    limit: number,
    reader: ClipReader,
  ): Promise<{ readonly clips: readonly SavedClip[]; readonly next: ResourceMark | null }> {
    const matches = searchOf(search);
    const clips: SavedClip[] = [];
    let mark = after;
    for (;;) {
      const chunk: SavedClip[] = await this.#clips.page(orgUuid, {
        order: search.order,
        after: mark,
        limit: CHUNK_CLIPS,
      });
      for (const clip of chunk) {
        if (!matches(clip) || !mayReadClip(clip.body, reader)) continue;
        if (clips.length === limit) return { clips, next: clips.at(-1) ?? null };
        clips.push(clip);
      }
      if (chunk.length < CHUNK_CLIPS) return { clips, next: null };
      mark = chunk.at(-1) ?? null;
    }
  }

  async count(orgUuid: Ruuid, filter: ClipFilter, reader: ClipReader): Promise<ClipCounts> {
    const passes = filterOf(filter);
    let count = 0;
    let privateCount = 0;
    let after: ResourceMark | null = null;
    for (;;) {
      const chunk: SavedClip[] = await this.#clips.page(orgUuid, { after, limit: CHUNK_CLIPS });
      for (const { body } of chunk) {
        if (!passes(body) || !mayReadClip(body, reader)) continue;
        if (body.accessSettings?.visibility === 'PRIVATE') privateCount += 1;
        else count += 1;
      }
      if (chunk.length < CHUNK_CLIPS) return { count, privateCount };
      after = chunk.at(-1) ?? null;
    }
  }

  /** If an alert was saved as the clip, it is no longer saved. Fails SAVED_CLIP_NOT_FOUND, SAVED_CLIP_HELD. */
  async remove(orgUuid: Ruuid, uuid: Ruuid, reader: ClipReader): Promise<void> {
    const { body } = await this.find(orgUuid, uuid, reader);
    const held = await seeingAll(() => heldClips(this.#options.store.resources, orgUuid));
    if (held.has(uuid)) throw new GatewayError(EVENT_ERRORS.SAVED_CLIP_HELD, { clip: uuid });
    await this.#clips.remove(orgUuid, uuid);
    const { sourceAlertUuid } = body;
    if (sourceAlertUuid !== undefined && alertClipUuid(orgUuid, sourceAlertUuid) === uuid) {
      await this.#options.alerts.markSaved(orgUuid, sourceAlertUuid, false);
    }
  }

  /**
   * Saves an alert as a clip; an alert that was saved before keeps its clip, with the new details. Fails POLICY_ALERT_NOT_FOUND,
   * SAVED_CLIPS_FULL, SAVED_CLIP_NOT_FOUND if the clip is private and belongs to someone else.
   */
  async saveAlert(orgUuid: Ruuid, alertUuid: Ruuid, details: ClipDetails): Promise<void> {
    const { alerts, clock } = this.#options;
    const alert = await alerts.find(orgUuid, alertUuid);
    const uuid = alertClipUuid(orgUuid, alertUuid);
    const nowMs = clock.epochMs();
    const decide = (known: SavedClip | null): SavedClip => {
      if (known !== null && !mayReadClip(known.body, details.userUuid ?? null)) {
        throw new GatewayError(EVENT_ERRORS.SAVED_CLIP_NOT_FOUND, { clip: uuid });
      }
      const owner = known?.body.userUuid ?? details.userUuid;
      const body: SavedClipBody = {
        ...known?.body,
        ...footageOf(alert.body as PolicyAlertBody),
        ...details,
        reportedId: null,
        sourceAlertUuid: alertUuid,
        deviceUuids: [alert.deviceUuid],
        locationUuid: alert.locationUuid ?? null,
        timestampMs: alert.atMs,
        ...(owner === undefined ? {} : { userUuid: owner }),
      };
      return {
        uuid,
        orgUuid,
        name: clipName(body),
        parentUuid: alert.deviceUuid,
        body,
        secret: null,
        createdAtMs: known?.createdAtMs ?? nowMs,
        updatedAtMs: nowMs,
      };
    };
    await this.#clips.change(orgUuid, uuid, decide, ROOM);
    await alerts.markSaved(orgUuid, alertUuid, true);
  }

  /** At most 1,000; known ones stay as they are. Resolves with how many were new. */
  async report(orgUuid: Ruuid, reported: readonly ReportedClip[]): Promise<number> {
    const locations = await cameraLocations(this.#options.store, orgUuid);
    const nowMs = this.#options.clock.epochMs();
    const clips = new Map<Ruuid, SavedClip>();
    for (const { id, locationUuid, ...given } of reported) {
      const uuid = reportedClipUuid(orgUuid, id);
      if (clips.has(uuid)) continue;
      const [first] = given.deviceUuids;
      const cameraUuid = first === undefined ? null : parseDeviceFacetUuid(first)!.uuid;
      const ofCamera = cameraUuid === null ? null : (locations.get(cameraUuid) ?? null);
      clips.set(uuid, {
        uuid,
        orgUuid,
        name: clipName(given),
        parentUuid: cameraUuid,
        secret: null,
        body: { ...given, locationUuid: locationUuid ?? ofCamera, reportedId: id },
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      });
    }
    const changes = await this.#clips.changeAll(orgUuid, [...clips.keys()], (known, uuid) =>
      known === null ? clips.get(uuid)! : 'unchanged',
    );
    return changes.filter(({ before }) => before === null).length;
  }

  /** The stored clips, by the ids under which they were reported; at most 1,000. */
  async reported(orgUuid: Ruuid, ids: readonly string[]): Promise<ReadonlyMap<string, SavedClipBody>> {
    const idByUuid = new Map(ids.map((id) => [reportedClipUuid(orgUuid, id), id]));
    const found = await this.#clips.changeAll(orgUuid, [...idByUuid.keys()], () => 'unchanged');
    const bodies = new Map<string, SavedClipBody>();
    for (const { before } of found) {
      if (before !== null) bodies.set(idByUuid.get(before.uuid)!, before.body);
    }
    return bodies;
  }

  /**
   * Leaves the clips of the last millisecond to the next page, unless there are no others: then it includes all of them.
   */
  async #wholeMilliseconds(orgUuid: Ruuid, found: readonly SavedClip[]): Promise<readonly SavedClip[]> {
    const lastMs = found.at(-1)!.createdAtMs;
    const whole = found.filter(({ createdAtMs }) => createdAtMs > lastMs);
    if (whole.length > 0) return whole;
    const page = [...found];
    for (;;) {
      const further = await this.#clips.page(orgUuid, {
        order: 'newest-first',
        after: page.at(-1)!,
        limit: CHUNK_CLIPS,
      });
      const together = further.filter(({ createdAtMs }) => createdAtMs === lastMs);
      page.push(...together);
      if (together.length < CHUNK_CLIPS) return page;
    }
  }
}

/**
 * Whether the reader may know of the clip. A private clip is for the user who saved it and the users that it names. Without any such user,
 * it would be unreadable, so it is for the whole organization.
 */
export function mayReadClip({ accessSettings, userUuid }: SavedClipBody, reader: ClipReader): boolean {
  const { visibility = 'ORG_WIDE', allowedUsers = [] } = accessSettings ?? {};
  if (visibility === 'ORG_WIDE' || reader === null) return true;
  if (userUuid === undefined && allowedUsers.length === 0) return true;
  return userUuid === reader || allowedUsers.includes(reader);
}

/** As the whole organization may know it: names are part of the real-time stream. */
export function clipName({
  title = '',
  accessSettings,
}: Pick<SavedClipBody, 'title' | 'accessSettings'>): string {
  return (accessSettings?.visibility ?? 'ORG_WIDE') === 'ORG_WIDE' ? title : '';
}

/** The clip that an organization's system knows as `id`. */
export function reportedClipUuid(orgUuid: Ruuid, id: string): Ruuid {
  return deriveRuuid(`saved clip ${orgUuid}`, id);
}

/** The UUID of the clip that belongs to an alert: of its files, and of the saved clip if the alert is saved, which happens at most once. */
export function alertClipUuid(orgUuid: Ruuid, alertUuid: Ruuid): Ruuid {
  return deriveRuuid(`saved alert ${orgUuid}`, alertUuid);
}

function filterOf({
  deviceUuids,
  locationUuids,
  fromMs,
  toMs,
}: ClipFilter): (clip: SavedClipBody) => boolean {
  const devices = new Set(deviceUuids);
  const locations = new Set(locationUuids);
  return (clip) => {
    if (clip.timestampMs < fromMs || clip.timestampMs >= toMs) return false;
    if (locations.size > 0 && (clip.locationUuid === null || !locations.has(clip.locationUuid))) return false;
    if (devices.size === 0) return true;
    return clip.deviceUuids.some((device) => devices.has(parseDeviceFacetUuid(device)!.uuid));
  };
}

function searchOf({
  isBySaving,
  titlePart,
  isOnlyPrivate,
  isWithoutMonitoring,
  fromMs,
  toMs,
  kept,
  ...places
}: ClipSearch): (clip: SavedClip) => boolean {
  const isThere = filterOf({ ...places, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });
  const part = titlePart.toLowerCase();
  return ({ body, createdAtMs }) => {
    const atMs = isBySaving ? createdAtMs : body.timestampMs;
    if (atMs < fromMs || atMs >= toMs || !isThere(body)) return false;
    if (isOnlyPrivate && body.accessSettings?.visibility !== 'PRIVATE') return false;
    if (kept !== null && (createdAtMs >= kept.savedBeforeMs || body.clipLocation?.region !== kept.region)) {
      return false;
    }
    if (isWithoutMonitoring && body.isMonitoringClip === true) return false;
    return (body.title ?? '').toLowerCase().includes(part);
  };
}

/** An alert's footage as fields of a clip. */
function footageOf(alert: PolicyAlertBody): Partial<SavedClipBody> {
  const { textDescription, durationSec, clipLocation, clipLocationMap } = alert;
  const { alertMonitoringThreatCaseUuid } = alert;
  const { thumbnailLocation, thumbnailLocationV2, boundingBoxes, seekPoints } = alert;
  return {
    ...(textDescription === undefined ? {} : { title: textDescription.slice(0, MAX_TITLE_LENGTH) }),
    ...(durationSec === undefined ? {} : { durationSec }),
    ...(alertMonitoringThreatCaseUuid === undefined ? {} : { isMonitoringClip: true }),
    ...(clipLocation === undefined ? {} : { clipLocation }),
    ...(clipLocationMap === undefined ? {} : { deviceUuidMap: clipLocationMap }),
    ...(thumbnailLocation === undefined ? {} : { thumbnailLocation }),
    ...(thumbnailLocationV2 === undefined ? {} : { thumbnailLocationV2 }),
    ...(boundingBoxes === undefined ? {} : { boundingBoxes }),
    ...(seekPoints === undefined ? {} : { seekPoints }),
  };
}
