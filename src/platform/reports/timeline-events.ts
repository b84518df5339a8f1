/** Everything that happened at cameras, of all kinds in one order: the list next to a timeline. */

import { parseDeviceFacetUuid, type Ruuid } from '../../core/ruuid.ts';
import type { PolicyAlertBody } from '../../events/policy-alerts.ts';
import type { ClipSearch, SavedClip } from '../../events/saved-clips.ts';
import type { DeviceHealthBody } from '../../events/unhealthy-device.ts';
import type { EventKind, EventMark, StoredEvent } from '../../store/event.ts';
import type { Store } from '../../store/store.ts';
import type { ComponentEventBody } from '../access-control/component-events.ts';
import { DOORS, type Door } from '../access-control/door.ts';

export const TIMELINE_KINDS = ['ALERT', 'MOTION', 'CAMERA', 'DOOR', 'CLIP', 'BOOKMARK'] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

export interface TimelineEvent {
  readonly kind: TimelineKind;
  readonly id: string;
  /** When it happened, epoch milliseconds. */
  readonly atMs: number;
  /** Null: not known, or it is a moment. */
  readonly durationSec: number | null;
  readonly deviceUuid: Ruuid;
  /** Null for cameras. */
  readonly deviceName: string | null;
  /** The camera whose video shows it. */
  readonly cameraUuid: Ruuid;
  /** As someone wrote it; '': no one did. */
  readonly title: string;
  /** What happened, in the words of reports. */
  readonly what: readonly string[];
  readonly isAcknowledged: boolean;
  /** How far a clip has come. */
  readonly status: string | null;
  /** Of a bookmark. */
  readonly color: string | null;
  /** Its place in the list: a door can report an event some time after it happened. */
  readonly mark: EventMark;
}

export interface TimelineQuery {
  readonly cameraUuids: readonly Ruuid[];
  /** Half-open. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly kinds: ReadonlySet<TimelineKind>;
  readonly after: EventMark | null;
  readonly limit: number;
  /** Who reads: private clips are not for everyone. */
  readonly reader: Ruuid;
}

export interface TimelinePage {
  /** Newest first. */
  readonly events: readonly TimelineEvent[];
  /** The next page begins after this; null: nothing is left. A page can be short, and have a next one. */
  readonly next: EventMark | null;
}

interface Bookmark {
  readonly uuid: Ruuid;
  readonly cameraUuid: Ruuid;
  readonly timestampMs: number;
  readonly name: string;
  readonly color: string | null;
}

export interface TimelineEventsOptions {
  readonly store: Pick<Store, 'events' | 'resources'>;
  readonly savedClips: {
    search(
      orgUuid: Ruuid,
      search: ClipSearch,
      after: null,
      limit: number,
      reader: Ruuid,
    ): Promise<{ readonly clips: readonly SavedClip[] }>;
  };
  readonly bookmarks: {
    find(
      orgUuid: Ruuid,
      query: Pick<TimelineQuery, 'cameraUuids' | 'fromMs' | 'toMs'> & { readonly locationUuids: [] },
    ): Promise<readonly Bookmark[]>;
  };
}

/** What one kind of source has read: everything up to `reached`; null: all that there is. */
interface Read {
  readonly events: readonly TimelineEvent[];
  readonly reached: EventMark | null;
}

/** Events that one read of the store returns while it looks for few among many, and how many are looked at for one page. */
const CHUNK_EVENTS = 500;
const MAX_EVENTS_READ = 5_000;
/** As many clips as an organization can have. */
const MAX_CLIPS = 20_000;
const MOTION = /^MOTION/;

const NOTHING_MORE = {
  durationSec: null,
  deviceName: null,
  title: '',
  what: [],
  isAcknowledged: false,
  status: null,
  color: null,
} as const;

export class TimelineEvents {
  readonly #options: TimelineEventsOptions;

  constructor(options: TimelineEventsOptions) {
    this.#options = options;
  }

  /** The cameras must be the organization's. Fails SEEK_POINTS_TOO_MANY. */
  async page(orgUuid: Ruuid, query: TimelineQuery): Promise<TimelinePage> {
    const { kinds, cameraUuids, limit } = query;
    const reads: Promise<Read>[] = [];
    if (kinds.has('ALERT') || kinds.has('MOTION')) {
      const isAll = kinds.has('ALERT') && kinds.has('MOTION');
      reads.push(this.#stored(orgUuid, query, 'policyAlert', cameraUuids, isAll, alertEvent));
    }
    if (kinds.has('CAMERA'))
      reads.push(this.#stored(orgUuid, query, 'deviceHealth', cameraUuids, true, healthEvent));
    if (kinds.has('DOOR')) reads.push(this.#doorEvents(orgUuid, query));
    if (kinds.has('CLIP')) reads.push(this.#clips(orgUuid, query));
    if (kinds.has('BOOKMARK')) reads.push(this.#bookmarks(orgUuid, query));
    const all = await Promise.all(reads);
    // Beyond this place, one of the sources may have more that it has not read.
    const floor = all
      .map(({ reached }) => reached)
      .filter((mark) => mark !== null)
      .reduce<EventMark | null>(
        (most, mark) => (most === null || newestFirst(mark, most) < 0 ? mark : most),
        null,
      );
    const events = all
      .flatMap((read) => read.events)
      .filter(({ mark }) => floor === null || newestFirst(mark, floor) <= 0)
      .sort((a, b) => newestFirst(a.mark, b.mark));
    const page = events.slice(0, limit);
    return { events: page, next: events.length > limit ? page.at(-1)!.mark : floor };
  }

  /** `isAll`: each event is wanted, so no more are read than fit. `shown`: null: another kind of event. */
  async #stored(
    orgUuid: Ruuid,
    { fromMs, toMs, after, limit, kinds }: TimelineQuery,
    kind: EventKind,
    deviceUuids: readonly Ruuid[],
    isAll: boolean,
    shown: (event: StoredEvent) => TimelineEvent | null,
  ): Promise<Read> {
    const events: TimelineEvent[] = [];
    const chunkSize = isAll ? limit + 1 : CHUNK_EVENTS;
    let mark = after;
    for (let read = 0; read < MAX_EVENTS_READ; read += chunkSize) {
      const chunk: StoredEvent[] = await this.#options.store.events.page(orgUuid, {
        kind,
        deviceUuids,
        fromMs,
        toMs,
        order: 'newest-first',
        after: mark,
        limit: chunkSize,
      });
      for (const event of chunk) {
        const one = shown(event);
        if (one === null || !kinds.has(one.kind)) continue;
        events.push(one);
        if (events.length > limit) return { events, reached: one.mark };
      }
      if (chunk.length < chunkSize) return { events, reached: null };
      mark = markOf(chunk.at(-1)!);
    }
    return { events, reached: mark };
  }

  async #doorEvents(orgUuid: Ruuid, query: TimelineQuery): Promise<Read> {
    const cameras = new Set<Ruuid | undefined>(query.cameraUuids);
    const seen = new Map<Ruuid, { readonly door: Door; readonly cameraUuid: Ruuid }>();
    for (const door of await this.#options.store.resources.of(DOORS).list(orgUuid)) {
      const named = (door.body.associatedCameras ?? []).map((each) => parseDeviceFacetUuid(each)?.uuid);
      const cameraUuid = named.find((uuid) => cameras.has(uuid));
      if (cameraUuid !== undefined) seen.set(door.uuid, { door, cameraUuid });
    }
    if (seen.size === 0) return { events: [], reached: null };
    return this.#stored(orgUuid, query, 'componentEvent', [...seen.keys()], true, (event) => {
      const { door, cameraUuid } = seen.get(event.deviceUuid)!;
      const { type, timestampMs } = event.body as ComponentEventBody;
      return {
        ...NOTHING_MORE,
        ...placed(event, 'DOOR'),
        atMs: timestampMs,
        cameraUuid,
        deviceName: door.name,
        what: [type],
      };
    });
  }

  async #clips(orgUuid: Ruuid, { cameraUuids, fromMs, toMs, after, reader }: TimelineQuery): Promise<Read> {
    const requested = new Set<Ruuid | undefined>(cameraUuids);
    const search: ClipSearch = {
      deviceUuids: cameraUuids,
      locationUuids: [],
      fromMs,
      toMs,
      isBySaving: false,
      titlePart: '',
      isOnlyPrivate: false,
      isWithoutMonitoring: false,
      order: 'newest-first',
      kept: null,
    };
    const { clips } = await this.#options.savedClips.search(orgUuid, search, null, MAX_CLIPS, reader);
    const events = clips.flatMap(({ uuid, body }): TimelineEvent[] => {
      const cameraUuid = body.deviceUuids
        .map((each) => parseDeviceFacetUuid(each)?.uuid)
        .find((each) => requested.has(each));
      if (cameraUuid === undefined) return [];
      const mark = { atMs: body.timestampMs, id: uuid };
      return [
        {
          ...NOTHING_MORE,
          kind: 'CLIP',
          id: uuid,
          atMs: body.timestampMs,
          durationSec: body.durationSec ?? null,
          deviceUuid: cameraUuid,
          cameraUuid,
          title: body.title ?? '',
          status: body.status ?? null,
          mark,
        },
      ];
    });
    return { events: afterMark(events, after), reached: null };
  }

  async #bookmarks(orgUuid: Ruuid, { cameraUuids, fromMs, toMs, after }: TimelineQuery): Promise<Read> {
    const wanted = { cameraUuids, locationUuids: [], fromMs, toMs } as const;
    const points = await this.#options.bookmarks.find(orgUuid, { ...wanted, locationUuids: [] });
    const events = points.map(
      ({ uuid, cameraUuid, timestampMs, name, color }): TimelineEvent => ({
        ...NOTHING_MORE,
        kind: 'BOOKMARK',
        id: uuid,
        atMs: timestampMs,
        deviceUuid: cameraUuid,
        cameraUuid,
        title: name,
        color,
        mark: { atMs: timestampMs, id: uuid },
      }),
    );
    return { events: afterMark(events, after), reached: null };
  }
}

function alertEvent(event: StoredEvent): TimelineEvent {
  const { policyAlertTriggers: what = [], textDescription = '', durationSec } = event.body as PolicyAlertBody;
  const isMotion = what.length > 0 && what.every((trigger) => MOTION.test(trigger));
  return {
    ...NOTHING_MORE,
    ...placed(event, isMotion ? 'MOTION' : 'ALERT'),
    durationSec: durationSec ?? null,
    title: textDescription,
    what,
    isAcknowledged: event.acknowledgement !== undefined,
  };
}

function healthEvent(event: StoredEvent): TimelineEvent {
  const { symptom } = event.body as DeviceHealthBody;
  return { ...NOTHING_MORE, ...placed(event, 'CAMERA'), what: symptom === null ? [] : [symptom] };
}

function placed(event: StoredEvent, kind: TimelineKind) {
  const { id, atMs, deviceUuid } = event;
  return { kind, id, atMs, deviceUuid, cameraUuid: deviceUuid, mark: markOf(event) };
}

function markOf({ atMs, id }: EventMark): EventMark {
  return { atMs, id };
}

function afterMark(events: readonly TimelineEvent[], after: EventMark | null): readonly TimelineEvent[] {
  return after === null ? events : events.filter(({ mark }) => newestFirst(mark, after) > 0);
}

/** The order of the store's pages. */
function newestFirst(a: EventMark, b: EventMark): number {
  if (a.atMs !== b.atMs) return b.atMs - a.atMs;
  if (a.id === b.id) return 0;
  return a.id < b.id ? 1 : -1;
}
