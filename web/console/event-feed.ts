/** What happened at cameras in a range of time, newest first, read page by page while someone scrolls. */

import { type ReadonlySignal, signal } from '@preact/signals';
import { type Answer, CallError, call } from './api.ts';
import type { Reading, ReadingHandle } from './reading.ts';
import { t } from './words.ts';

export type TimelineEvent = Answer<'event/getTimelineEvents'>['events'][number];
export type TimelineKind = TimelineEvent['kind'];

export interface EventPage {
  readonly events: readonly TimelineEvent[];
  /** Leads to the next page; null: nothing is left. */
  readonly nextKey: string | null;
}

export interface EventRows {
  readonly events: readonly TimelineEvent[];
  readonly isMore: boolean;
}

/** `afterKey` null: the newest. */
export type ReadEvents = (afterKey: string | null, signal: AbortSignal) => Promise<EventPage>;

const PAGE_EVENTS = 100;
/** Changes come in bursts: one more reading serves all of them. */
const GATHER_MS = 250;

/** `kinds` null: all. Fails with a CallError. */
export async function readEvents(
  {
    cameraUuids,
    range: { fromMs, toMs },
    kinds,
    maxPageSize = PAGE_EVENTS,
  }: {
    readonly cameraUuids: readonly string[];
    /** Half-open, epoch milliseconds; at most 32 days. */
    readonly range: { readonly fromMs: number; readonly toMs: number };
    readonly kinds: readonly TimelineKind[] | null;
    readonly maxPageSize?: number;
  },
  afterKey: string | null,
  signal: AbortSignal,
): Promise<EventPage> {
  if (cameraUuids.length === 0) return { events: [], nextKey: null };
  const { events, lastEvaluatedKey } = await call(
    'event/getTimelineEvents',
    {
      cameraUuids: [...cameraUuids],
      fromMs: Math.round(fromMs),
      toMs: Math.round(toMs),
      maxPageSize,
      ...(kinds === null ? {} : { kinds: [...kinds] }),
      ...(afterKey === null ? {} : { lastEvaluatedKey: afterKey }),
    },
    signal,
  );
  return { events, nextKey: lastEvaluatedKey ?? null };
}

export class EventFeed implements ReadingHandle<EventRows> {
  readonly #state = signal<Reading<EventRows>>({ kind: 'loading' });
  readonly state: ReadonlySignal<Reading<EventRows>> = this.#state;
  readonly #read: ReadEvents;
  #events: readonly TimelineEvent[] = [];
  #nextKey: string | null = null;
  #running: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** A change came while a page was being read. */
  #isOutdated = false;

  constructor(read: ReadEvents) {
    this.#read = read;
  }

  /** Reads the first page again; older pages stay if they still follow it. */
  readonly refresh = (): void => {
    this.#cancelTimer();
    this.#running?.abort();
    this.#run(null, ({ events, nextKey }) => {
      const last = events.at(-1);
      const at = last === undefined ? -1 : this.#events.findIndex((known) => isSame(known, last));
      const isFollowed = nextKey !== null && at >= 0 && at < this.#events.length - 1;
      this.#events = isFollowed ? [...events, ...this.#events.slice(at + 1)] : events;
      if (!isFollowed) this.#nextKey = nextKey;
    });
  };

  /** Reads the next page, unless a page is being read. */
  readonly more = (): void => {
    if (this.#running !== null || this.#nextKey === null) return;
    this.#run(this.#nextKey, ({ events, nextKey }) => {
      const known = new Set(this.#events.map(keyOf));
      this.#events = [...this.#events, ...events.filter((event) => !known.has(keyOf(event)))];
      this.#nextKey = nextKey;
    });
  };

  refreshSoon(): void {
    if (this.#running !== null) this.#isOutdated = true;
    else this.#timer ??= setTimeout(this.refresh, GATHER_MS);
  }

  readonly put = (update: (rows: EventRows) => EventRows): void => {
    const current = this.#state.value;
    if (current.kind !== 'read') return;
    const value = update(current.value);
    this.#events = value.events;
    this.#state.value = { ...current, value };
  };

  close(): void {
    this.#cancelTimer();
    this.#isOutdated = false;
    this.#running?.abort();
    this.#running = null;
  }

  #run(afterKey: string | null, keep: (page: EventPage) => void): void {
    const running = new AbortController();
    this.#running = running;
    this.#isOutdated = false;
    this.#readSome(afterKey, running.signal)
      .then(
        (page) => {
          if (this.#running !== running) return;
          keep(page);
          this.#show(null);
        },
        (thrown: unknown) => {
          if (this.#running === running) this.#failed(thrown);
        },
      )
      .finally(() => {
        if (this.#running !== running) return;
        this.#running = null;
        if (this.#isOutdated) this.refreshSoon();
      });
  }

  /** A page may be empty and have a next one: a rare kind among many events. */
  async #readSome(afterKey: string | null, signal: AbortSignal): Promise<EventPage> {
    let page = await this.#read(afterKey, signal);
    while (page.events.length === 0 && page.nextKey !== null) page = await this.#read(page.nextKey, signal);
    return page;
  }

  #failed(thrown: unknown): void {
    const error = thrown instanceof CallError ? thrown : new CallError(String(thrown), { status: 0 });
    if (this.#state.value.kind === 'read') this.#show(error);
    else this.#state.value = { kind: 'failed', error };
  }

  #show(error: CallError | null): void {
    const value = { events: this.#events, isMore: this.#nextKey !== null };
    this.#state.value = { kind: 'read', value, error };
  }

  #cancelTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

/** Unique among all events. */
export function keyOf({ kind, id }: Pick<TimelineEvent, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

function isSame(one: TimelineEvent, other: TimelineEvent): boolean {
  return one.kind === other.kind && one.id === other.id;
}

export const KIND_NAMES: Readonly<Record<TimelineKind, string>> = {
  ALERT: t('Alert'),
  MOTION: t('Motion'),
  CAMERA: t('Camera'),
  DOOR: t('Door'),
  CLIP: t('Clip'),
  BOOKMARK: t('Bookmark'),
};

/** Words of reports that the general rule spells badly. */
const WORDS: Readonly<Record<string, string>> = {
  DOWN: t('Offline'),
  SLOW_INTERNET: t('Slow connection'),
  POLICY_NOT_ASSIGNED: t('No rules for alerts'),
  MOTION_HUMAN: t('Person'),
  MOTION_CAR: t('Vehicle'),
  MOTION_ANIMAL: t('Animal'),
  TAMPER: t('Camera tampered with'),
  DoorbellEvent: t('Doorbell'),
  DoorStateChangeEvent: t('Door opened or closed'),
  CredentialReceivedEvent: t('Badge read'),
  RequestToExitStateChangeEvent: t('Exit button'),
  PanicButtonEvent: t('Panic button'),
};

export function eventTitle({ kind, title, what }: Pick<TimelineEvent, 'kind' | 'title' | 'what'>): string {
  if (title !== '') return title;
  if (isReconnection({ kind, what })) return t('Back online');
  if (what.length === 0) return KIND_NAMES[kind];
  return what.map(wordText).join(', ');
}

/** Whether a camera can be reached again. */
export function isReconnection({ kind, what }: Pick<TimelineEvent, 'kind' | 'what'>): boolean {
  return kind === 'CAMERA' && what.length === 0;
}

/** `DoorRelayStateChangeEvent` → `Door relay state change`, `FACE_KNOWN` → `Face known`. */
function wordText(word: string): string {
  const known = WORDS[word];
  if (known !== undefined) return known;
  const spaced = word
    .replace(/Event$/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .replaceAll('_', ' ')
    .toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** Playback begins this long before an event, so that people see how it came to it. */
const LEAD_MS = 5_000;

/** Where a click on the event leads. A clip begins where its editor wanted it to begin. */
export function jumpTimeOf({ kind, timestampMs }: Pick<TimelineEvent, 'kind' | 'timestampMs'>): number {
  return kind === 'CLIP' ? timestampMs : timestampMs - LEAD_MS;
}
