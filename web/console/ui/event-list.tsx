/**
 * What happened at cameras: alerts, motion, faults, doors, clips, and bookmarks of a range of time, newest first, with pictures. It scrolls
 * within its box, reads further pages near its end, and follows the gateway's changes. A click jumps to shortly before the event.
 */

import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { numberText } from '../../words/formats.ts';
import { onChange, onLive } from '../changes.ts';
import {
  EventFeed,
  type EventRows,
  eventTitle,
  jumpTimeOf,
  KIND_NAMES,
  keyOf,
  readEvents,
  type TimelineEvent,
  type TimelineKind,
} from '../event-feed.ts';
import { type EventItem, foldedEvents, foldTitle } from '../event-folds.ts';
import { type KeyDeed, pressed } from '../key-board.ts';
import type { Reading } from '../reading.ts';
import { format, lengthText } from '../time-axis.ts';
import type { Span } from '../timeline-state.ts';
import { t } from '../words.ts';
import { FormError } from './form-error.tsx';
import { Icon, type IconName } from './icon.tsx';
import { PastPicture } from './past-picture.tsx';
import { Select } from './select.tsx';
import { usePartKeys } from './use-keys.ts';
import { VirtualRows } from './virtual-rows.tsx';

/** As in the style sheet. */
const ROW_PX = 72;
/** The next page is read when so few rows are left below. */
const NEAR_END_ROWS = 20;
/** Of their changes, the list is read again. */
const ENTITIES: ReadonlySet<string> = new Set([
  'POLICY_ALERT',
  'ALERT_ACKNOWLEDGEMENT',
  'COMPONENT_EVENT',
  'SAVED_CLIPS',
  'SEEK_POINT',
]);

const ICONS: Readonly<Record<TimelineKind, IconName>> = {
  ALERT: 'alert',
  MOTION: 'activity',
  CAMERA: 'camera',
  DOOR: 'door',
  CLIP: 'share',
  BOOKMARK: 'bookmark',
};

const KINDS = [
  { value: 'ALL', title: t('All events') },
  { value: 'ALERT', title: t('Alerts') },
  { value: 'MOTION', title: t('Motion') },
  { value: 'CAMERA', title: t('Camera faults') },
  { value: 'DOOR', title: t('Doors') },
  { value: 'CLIP', title: t('Clips') },
  { value: 'BOOKMARK', title: t('Bookmarks') },
] as const;

export interface EventListProps {
  /** Whose events are listed; several are named in the rows. */
  readonly cameras: readonly { readonly uuid: string; readonly name: string }[];
  /** Half-open, at most 32 days. Give it rounded times: each other range is read. */
  readonly range: Span;
  readonly timeZone: string;
  /** `epochMs`: shortly before the event. */
  readonly onJump: (epochMs: number, event: TimelineEvent) => void;
  /** `keyOf` the event that was jumped to last. */
  readonly chosenKey?: string | null;
  /** False: there is certainly no picture of it. Default: always true. */
  readonly hasVideo?: (cameraUuid: string, atMs: number) => boolean;
  /** False: no camera was recorded at any time of the range, so an empty list says nothing. Default: true. */
  readonly isRecorded?: boolean;
  /** The way to where recording is set; null: the person may not. */
  readonly toRecording?: ComponentChildren;
  /** Null or absent: bookmarks cannot be deleted here. */
  readonly onDelete?: ((event: TimelineEvent) => void) | null;
}

export function EventList({
  cameras,
  range,
  timeZone,
  onJump,
  chosenKey = null,
  hasVideo = always,
  isRecorded = true,
  toRecording = null,
  onDelete = null,
}: EventListProps) {
  const [kind, setKind] = useState<(typeof KINDS)[number]['value']>('ALL');
  const [open, setOpen] = useState<ReadonlySet<string>>(NONE);
  const uuids = cameras.map(({ uuid }) => uuid).join();
  const feed = useFeed(uuids, range, kind === 'ALL' ? null : kind);
  const { rows, isBehind, error } = useRows(feed.state.value);
  const names = useMemo(() => new Map(cameras.map(({ uuid, name }) => [uuid, name])), [cameras]);
  const newest = useRef({ onJump, onDelete, hasVideo });
  newest.current = { onJump, onDelete, hasVideo };
  const isDayShown = range.toMs - range.fromMs > DAY_MS;
  // Someone who asks for faults of cameras wants each of them.
  const items = useMemo(
    () => itemsOf(rows?.events ?? [], kind === 'ALL' ? open : null),
    [rows, kind === 'ALL', open],
  );
  const timeForm = isDayShown ? 'daySeconds' : 'seconds';
  const row = useMemo(
    () => (index: number) => {
      const item = items[index]!;
      if (item.kind === 'fold') {
        return (
          <FoldRow
            key={`fold ${keyOf(item.events.at(-1)!)}`}
            item={item}
            cameras={names.size > 1 ? namesOf(item.events, names) : []}
            time={spanText(item.events, (atMs) => format(timeZone, timeForm, atMs))}
            onOpen={() => setOpen((before) => toggledFold(before, item))}
          />
        );
      }
      const { event, isFolded } = item;
      return (
        <EventRow
          key={keyOf(event)}
          isFolded={isFolded}
          event={event}
          camera={names.size > 1 ? (names.get(event.cameraUuid) ?? null) : null}
          time={format(timeZone, timeForm, event.timestampMs)}
          isChosen={keyOf(event) === chosenKey}
          hasVideo={newest.current.hasVideo(event.cameraUuid, event.timestampMs)}
          onJump={() => newest.current.onJump(jumpTimeOf(event), event)}
          onDelete={
            event.kind === 'BOOKMARK' && onDelete !== null ? () => newest.current.onDelete?.(event) : null
          }
        />
      );
    },
    [items, names, timeZone, timeForm, chosenKey, hasVideo, onDelete === null],
  );
  usePartKeys(t('The list of events'), EVENT_KEYS);
  return (
    <section class="event-list" aria-label={t('Events')} aria-busy={isBehind}>
      <header>
        <Select label={t('Show')} value={kind} options={KINDS} onValue={setKind} />
        <p class="count" role="status">
          {rows !== null && countText(rows)}
        </p>
      </header>
      <FormError error={error} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrows move between the rows' buttons */}
      <div
        class="event-rows"
        onKeyDown={onArrow}
        onScroll={({ currentTarget: box }) => {
          const leftPx = box.scrollHeight - box.scrollTop - box.clientHeight;
          if (leftPx < NEAR_END_ROWS * ROW_PX) feed.more();
        }}
      >
        {rows === null && error === null && <p class="hint">{t('Loading…')}</p>}
        {items.length > 0 && <VirtualRows count={items.length} rowPx={ROW_PX} role="list" render={row} />}
        {rows?.isMore === true && (
          <button type="button" class="quiet" onClick={feed.more}>
            {t('Load older events')}
          </button>
        )}
        {rows !== null && rows.events.length === 0 && (
          <p class="hint">
            {!isRecorded ? (
              <>
                {t('Not recorded: there is no video to look through.')} {toRecording}
              </>
            ) : kind === 'ALL' ? (
              t('Nothing happened in this time.')
            ) : (
              t('None in this time.')
            )}
          </p>
        )}
      </div>
    </section>
  );
}

const NONE: ReadonlySet<string> = new Set();

/** `open` null: nothing is folded. */
function itemsOf(events: readonly TimelineEvent[], open: ReadonlySet<string> | null): readonly EventItem[] {
  if (open !== null) return foldedEvents(events, open);
  return events.map((event) => ({ kind: 'event', event, isFolded: false }));
}

function toggledFold(
  open: ReadonlySet<string>,
  { events, isOpen }: Extract<EventItem, { kind: 'fold' }>,
): ReadonlySet<string> {
  const next = new Set(open);
  for (const event of events) next.delete(keyOf(event));
  if (!isOpen) next.add(keyOf(events[0]!));
  return next;
}

function namesOf(events: readonly TimelineEvent[], names: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set(events.map(({ cameraUuid }) => names.get(cameraUuid) ?? ''))].filter(
    (name) => name !== '',
  );
}

/** From the oldest to the newest. */
function spanText(events: readonly TimelineEvent[], timeText: (epochMs: number) => string): string {
  const from = timeText(events.at(-1)!.timestampMs);
  const to = timeText(events[0]!.timestampMs);
  return from === to ? to : t('{from} to {to}', { from, to });
}

const DAY_MS = 86_400_000;
const always = () => true;

function countText({ events, isMore }: EventRows): string {
  if (isMore) return t('Newest {count}', { count: numberText(events.length) });
  return t('{count, plural, one {# event} other {# events}}', { count: events.length });
}

function useFeed(uuids: string, { fromMs, toMs }: Span, kind: TimelineKind | null): EventFeed {
  const feed = useMemo(() => {
    const cameraUuids = uuids === '' ? [] : uuids.split(',');
    const wanted = { cameraUuids, range: { fromMs, toMs }, kinds: kind === null ? null : [kind] };
    return new EventFeed((afterKey, signal) => readEvents(wanted, afterKey, signal));
  }, [uuids, fromMs, toMs, kind]);
  useEffect(() => {
    feed.refresh();
    const ends = [
      onLive((isFirst) => {
        if (!isFirst) feed.refreshSoon();
      }),
      onChange(({ entity }) => {
        if (ENTITIES.has(entity)) feed.refreshSoon();
      }),
    ];
    return () => {
      for (const end of ends) end();
      feed.close();
    };
  }, [feed]);
  return feed;
}

/** While another range is being read, the rows of the last one stay. */
function useRows(reading: Reading<EventRows>) {
  const last = useRef<EventRows | null>(null);
  if (reading.kind === 'read') last.current = reading.value;
  if (reading.kind === 'failed') last.current = null;
  return {
    rows: last.current,
    isBehind: reading.kind === 'loading',
    error: reading.kind === 'loading' ? null : reading.error,
  };
}

const EVENT_KEYS: readonly KeyDeed[] = [
  { keys: ['ArrowDown'], title: t('The next event'), act: () => focusFrom(1) },
  { keys: ['ArrowUp'], title: t('The event before'), act: () => focusFrom(-1) },
];

function onArrow(event: KeyboardEvent): void {
  if (pressed(EVENT_KEYS, event)) event.preventDefault();
}

function focusFrom(step: 1 | -1): boolean {
  const { activeElement } = document;
  const buttons: Element[] = [...document.querySelectorAll('.event-rows .event-row > .jump')];
  const at = activeElement === null ? -1 : buttons.indexOf(activeElement);
  if (at < 0) return false;
  const next = buttons[at + step];
  if (next instanceof HTMLElement) next.focus();
  return true;
}

/** Several events of one kind. It opens above them. */
function FoldRow({
  item: { events, isOpen },
  cameras,
  time,
  onOpen,
}: {
  readonly item: Extract<EventItem, { kind: 'fold' }>;
  /** Empty: there is only one. */
  readonly cameras: readonly string[];
  readonly time: string;
  readonly onOpen: () => void;
}) {
  return (
    <div class="event-row fold" role="listitem">
      <button type="button" class="jump" aria-expanded={isOpen} onClick={onOpen}>
        <span class="event-count">{t('{count, number}×', { count: events.length })}</span>
        <span class="event-text">
          <b class="event-title of-camera">
            <Icon name={ICONS.CAMERA} />
            <span class="event-name">{foldTitle(events)}</span>
          </b>
          <small>{time}</small>
          {cameras.length > 0 && (
            <small>
              {cameras.length === 1
                ? cameras[0]
                : t('{count, plural, one {# camera} other {# cameras}}', { count: cameras.length })}
            </small>
          )}
        </span>
        <span class="fold-arrow">
          <Icon name="down" />
        </span>
      </button>
    </div>
  );
}

function EventRow({
  event,
  isFolded,
  hasVideo,
  camera,
  time,
  isChosen,
  onJump,
  onDelete,
}: {
  readonly event: TimelineEvent;
  /** Whether it is below the row that folds it. */
  readonly isFolded: boolean;
  readonly hasVideo: boolean;
  /** Null: there is only one. */
  readonly camera: string | null;
  readonly time: string;
  readonly isChosen: boolean;
  readonly onJump: () => void;
  readonly onDelete: (() => void) | null;
}) {
  const title = eventTitle(event);
  const { kind, durationSec, deviceName } = event;
  const where = [deviceName, camera].filter((name) => name != null).join(' · ');
  return (
    <div class={`event-row ${isChosen ? 'chosen' : ''} ${isFolded ? 'folded' : ''}`} role="listitem">
      <button type="button" class="jump" aria-current={isChosen ? 'true' : undefined} onClick={onJump}>
        <PastPicture cameraUuid={event.cameraUuid} atMs={event.timestampMs} hasVideo={hasVideo} />
        <span class="event-text">
          <b class={`event-title of-${kind.toLowerCase()}`}>
            <Icon name={ICONS[kind]} />
            <span class="off-screen">{KIND_NAMES[kind]}: </span>
            <span class="event-name">{title}</span>
          </b>
          <small>
            {time}
            {durationSec != null && durationSec > 0 && ` · ${lengthText(durationSec * 1_000)}`}
          </small>
          {where !== '' && <small>{where}</small>}
        </span>
      </button>
      {onDelete !== null && (
        <button
          type="button"
          class="quiet icon-only"
          aria-label={t('Delete bookmark {title}', { title })}
          onClick={onDelete}
        >
          <Icon name="close" />
        </button>
      )}
    </div>
  );
}
