/** The cameras of one site: players in step, what happened next to them, lanes below, and clips that are cut on the axis. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { cameraPlace } from '../camera-places.ts';
import type { CameraItem } from '../camera-state.ts';
import { type HoldsRead, readHolds } from '../case-list.ts';
import { eventTitle, keyOf, type TimelineEvent } from '../event-feed.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import { pressed } from '../key-board.ts';
import { matcherOf } from '../matcher.ts';
import { useReading } from '../reading.ts';
import { may } from '../session.ts';
import { type Lane, lanesOf, MARKED } from '../site-lanes.ts';
import { StepPlayer } from '../step-player.ts';
import { clampView, format, liveView, showing, type View, zoomed } from '../time-axis.ts';
import { dateAt, daySpan, type LocalDate } from '../timeline-days.ts';
import { timelineKeys } from '../timeline-keys.ts';
import {
  coverageAt,
  isAnyRecorded,
  isPicturesOnly,
  MAX_LANES,
  mayNvrChange,
  nextRecorded,
  type Recorded,
  readMarks,
  readOnNvr,
  readRecorded,
  readTimelineClips,
  type Span,
  type TimelineClip,
  type TimelineMarks,
  withNvr,
} from '../timeline-state.ts';
import {
  listRangeOf,
  rangeOf,
  useAddress,
  useFollowedView,
  useGrowth,
  useLast,
  useRested,
} from '../use-timeline-view.ts';
import { t } from '../words.ts';
import { BookmarkDialog, DeleteBookmarkDialog } from './bookmark-dialog.tsx';
import { ClipCutter } from './clip-cutter.tsx';
import { ClipList } from './clip-list.tsx';
import { EventList } from './event-list.tsx';
import { LanesLegend } from './lanes-legend.tsx';
import { Notice, OutdatedNotice } from './notice.tsx';
import { PictureTile, PlayerTile } from './step-tile.tsx';
import { type SiteChoice, TimelineBar } from './timeline-bar.tsx';
import { TimelineLanes } from './timeline-lanes.tsx';
import { TimelineTable } from './timeline-table.tsx';
import { TimelineTransport } from './timeline-transport.tsx';
import { usePartKeys } from './use-keys.ts';
import { useNarrow } from './use-narrow.ts';
import { useNow } from './use-now.ts';

const CLOCK_MS = 500;
/** Maximum number of players; further cameras are images. */
const MAX_PLAYERS = 4;
const MAX_PLAYERS_NARROW = 2;
const MAX_TILES = 12;
/** Width of a view; a shorter gap cannot be seen. */
const PIXELS = 1_500;
const FIRST_CUT_MS = 30_000;
/** A clip of an event has so much before and after it. */
const CUT_LEAD_MS = 10_000;
/** While a clip is being cut, the axis shows so many times its length, and at least this long. */
const CUT_VIEW_SHARE = 4;
const MIN_CUT_VIEW_MS = 120_000;
/** If the head left an event farther behind, a clip is no longer about it. */
const ABOUT_EVENT_MS = 60_000;
const MAX_CLIPS = 50;
const NO_MARKS: TimelineMarks = { events: [], isAll: true };
const NO_CLIPS: readonly TimelineClip[] = [];
const NO_HOLDS: HoldsRead = { holds: [], heldBytes: 0, allowedBytes: null };
const COVERAGE_TEXTS = {
  recorded: t('recorded'),
  gap: t('not recorded'),
  unknown: t('not known yet'),
} as const;

type Opened =
  | { readonly kind: 'bookmark'; readonly atMs: number }
  | { readonly kind: 'delete'; readonly event: TimelineEvent };

export function SiteTimeline({
  site,
  siteName,
  cameras,
  firstUuid,
  timeZone,
  requestedMs,
  requestedSpanMs,
  siteQuery,
}: {
  readonly site: SiteChoice;
  readonly siteName: string;
  readonly cameras: readonly CameraItem[];
  /** Shown first; null: the first ones. */
  readonly firstUuid: string | null;
  readonly timeZone: string;
  readonly requestedMs: number | null;
  readonly requestedSpanMs: number;
  readonly siteQuery: string;
}) {
  const isNarrow = useNarrow();
  const maxPlayers = isNarrow ? MAX_PLAYERS_NARROW : MAX_PLAYERS;
  const ordered = useMemo(() => {
    const first = cameras.filter(({ uuid }) => uuid === firstUuid);
    return [...first, ...cameras.filter(({ uuid }) => uuid !== firstUuid)];
  }, [cameras, firstUuid]);
  const [shown, setShown] = useState<readonly string[]>(() =>
    ordered.slice(0, firstUuid !== null || isNarrow ? 1 : MAX_PLAYERS).map(({ uuid }) => uuid),
  );
  const [search, setSearch] = useState('');
  const laneCameras = useMemo(() => {
    const isMatch = matcherOf(search);
    return ordered.filter(({ uuid, name }) => shown.includes(uuid) || isMatch(name)).slice(0, MAX_LANES);
  }, [ordered, search, shown]);
  const uuids = laneCameras.map(({ uuid }) => uuid);
  const nowMs = useNow(CLOCK_MS);
  const [view, setView] = useState<View>(() =>
    requestedMs === null
      ? liveView(requestedSpanMs, gatewayNowMs())
      : clampView({ startMs: requestedMs - requestedSpanMs / 2, spanMs: requestedSpanMs }, gatewayNowMs()),
  );
  const range = useRested(rangeOf(view));
  const recordedReading = useReading(
    async (signal) => {
      const joinMs = Math.max(1_000, Math.round(view.spanMs / PIXELS));
      const read = await readRecorded(uuids, range, joinMs, signal);
      return read;
    },
    [uuids.join(), range.fromMs, range.toMs],
  );
  const onNvrReading = useReading(
    (signal) => readOnNvr(uuids, range, signal),
    [uuids.join(), range.fromMs, range.toMs],
  );
  const marksReading = useReading(
    (signal) => readMarks(uuids, range, signal),
    [uuids.join(), range.fromMs, range.toMs],
    ({ entity }) => MARKED.has(entity),
  );
  const clipsReading = useReading(
    (signal) => readTimelineClips(uuids, signal),
    [uuids.join()],
    ({ entity }) => entity === 'SAVED_CLIPS',
  );
  const holdsReading = useReading(readHolds, [], ({ entity }) => entity === 'LEGAL_HOLD');
  useGrowth(recordedReading, () => range.toMs > gatewayNowMs());
  const listed = useLast(recordedReading, null);
  const onNvr = useLast(onNvrReading, null);
  useGrowth(onNvrReading, () => mayNvrChange(onNvr));
  const recorded = useMemo(() => withNvr(listed, onNvr), [listed, onNvr]);
  const marks = useLast(marksReading, NO_MARKS);
  const clips = useLast(clipsReading, NO_CLIPS);
  const { holds } = useLast(holdsReading, NO_HOLDS);
  const known = useRef<Recorded | null>(null);
  known.current = recorded;
  const player = useMemo(
    () =>
      new StepPlayer({
        nowMs: gatewayNowMs,
        isRecorded: (uuid, atMs) => coverageAt(known.current, uuid, atMs) !== 'gap',
        next: (all, atMs) => nextRecorded(known.current, all, atMs),
      }),
    [],
  );
  useEffect(() => {
    if (requestedMs !== null) player.seek(requestedMs);
    return () => player.close();
  }, [player]);
  const head = player.head.value;
  const isLive = head.kind === 'live';
  const headMs = isLive ? nowMs : head.atMs;
  const [cut, setCut] = useState<Span | null>(null);
  const [chosen, setChosen] = useState<TimelineEvent | null>(null);
  const [opened, setOpened] = useState<Opened | null>(null);
  const [pendingDay, setPendingDay] = useState<Span | null>(null);
  useFollowedView(isLive, headMs, nowMs, setView);
  useAddress(siteQuery, isLive ? null : head.atMs, !isLive && head.isPlaying, view.spanMs);
  const listRange = useRested(listRangeOf(view, isLive));

  const lanes = useMemo(
    () => lanesOf(laneCameras, shown, recorded, marks, clips, holds),
    [laneCameras, shown, recorded, marks, clips, holds],
  );
  const names = useMemo(() => new Map(laneCameras.map(({ uuid, name }) => [uuid, name])), [laneCameras]);
  const tiles = lanes.filter(({ isShown }) => isShown);
  const isThere = (uuid: string) => isLive || coverageAt(recorded, uuid, headMs) !== 'gap';
  const hasVideo = useMemo(
    () => (uuid: string, atMs: number) => coverageAt(recorded, uuid, atMs) !== 'gap',
    [recorded],
  );
  const seek = (epochMs: number, isDragging = false) => {
    player.seek(epochMs, isDragging);
    if (!isDragging) setView((before) => showing(before, epochMs, gatewayNowMs()));
  };
  const goToDay = (date: LocalDate) => {
    const day = daySpan(date, timeZone);
    const isToday = date === dateAt(gatewayNowMs(), timeZone);
    const spanMs = isToday ? (gatewayNowMs() - day.fromMs) / 0.96 : day.toMs - day.fromMs;
    setView(clampView({ startMs: day.fromMs, spanMs }, gatewayNowMs()));
    player.seek(day.fromMs);
    setPendingDay(day);
  };
  useFirstOfDay(pendingDay, recorded, uuids, headMs, (epochMs) => {
    setPendingDay(null);
    if (epochMs !== null) player.seek(epochMs);
  });
  const jump = (epochMs: number, event: TimelineEvent) => {
    setPendingDay(null);
    const { cameraUuid, timestampMs } = event;
    setChosen(event);
    if (!shown.includes(cameraUuid)) setShown([cameraUuid, ...shown].slice(0, MAX_TILES));
    const isGap = coverageAt(recorded, cameraUuid, epochMs) === 'gap';
    const nextMs = isGap ? nextRecorded(recorded, [cameraUuid], epochMs) : null;
    // An event often begins its recording.
    seek(nextMs !== null && nextMs <= timestampMs + 2_000 ? nextMs : epochMs);
    player.setPlaying(true);
  };
  const about = chosen !== null && Math.abs(headMs - chosen.timestampMs) < ABOUT_EVENT_MS ? chosen : null;
  const beginCut = () => {
    player.setPlaying(false);
    const first = firstCut(about, headMs, gatewayNowMs());
    if (about !== null) setShown([about.cameraUuid]);
    setCut(first);
    const spanMs = Math.max(MIN_CUT_VIEW_MS, CUT_VIEW_SHARE * (first.toMs - first.fromMs));
    const middleMs = (first.fromMs + first.toMs) / 2;
    setView(clampView({ startMs: middleMs - spanMs / 2, spanMs }, gatewayNowMs()));
  };
  const isOperator = may('operator');
  const bookmark = isOperator ? () => setOpened({ kind: 'bookmark', atMs: headMs }) : null;
  const keys = timelineKeys({
    player,
    view,
    headMs,
    nowMs,
    cut,
    setView,
    seek,
    bookmark,
    setCut: isOperator ? setCut : null,
  });
  usePartKeys(t('The time axis'), keys);
  const failed = [recordedReading, marksReading, clipsReading, holdsReading].find(
    ({ state }) => state.value.kind !== 'loading' && state.value.error !== null,
  );
  const failure = failed?.state.value;

  return (
    <div class="timeline">
      {failure !== undefined && failure.kind !== 'loading' && failure.error !== null && (
        <OutdatedNotice error={failure.error} retry={failed!.refresh} />
      )}
      <div class={cut === null ? 'timeline-screen' : 'timeline-screen cutting'}>
        <TimelineBar
          {...{ site, search, timeZone, nowMs }}
          cameraCount={cameras.length}
          onSearch={setSearch}
          cameraUuids={uuids}
          atMs={headMs}
          onDay={goToDay}
          onTime={(epochMs) => seek(epochMs)}
        />
        <div class={`step-tiles count-${Math.min(tiles.length, MAX_TILES)}`}>
          {tiles.map(({ uuid, name }, index) =>
            index < maxPlayers ? (
              <PlayerTile key={uuid} cameraUuid={uuid} {...{ name, player }} isThere={isThere(uuid)} />
            ) : (
              <PictureTile key={uuid} cameraUuid={uuid} {...{ name, head, nowMs }} isThere={isThere(uuid)} />
            ),
          )}
          {tiles.length === 0 && <p class="hint">{t('Choose a camera below to see it here.')}</p>}
        </div>
        <TimelineTransport
          {...{ player, headMs, timeZone }}
          spanMs={view.spanMs}
          onLive={() => {
            player.live();
            setView(liveView(view.spanMs, gatewayNowMs()));
          }}
          onZoom={(factor) => setView(zoomed(view, factor, headMs, nowMs))}
          onBookmark={bookmark}
          onCut={isOperator ? beginCut : null}
        />
        <LanesLegend
          recorded={recorded}
          marks={marks}
          hasHolds={lanes.some(({ held }) => held.length > 0)}
          hiddenCount={cameras.length - laneCameras.length}
          search={search}
        />
        <TimelineLanes
          {...{ lanes, view, nowMs, headMs, timeZone, cut }}
          onKey={(event) => {
            if (pressed(keys, event)) event.preventDefault();
          }}
          onView={setView}
          onSeek={seek}
          onPeek={(epochMs) => player.peek(epochMs)}
          onCut={(moved, shownMs, isDragging) => {
            setCut(moved);
            player.seek(shownMs, isDragging);
          }}
          headText={headTextOf(isLive, headMs, timeZone, tiles, recorded)}
          onShown={(uuid, isShown) =>
            setShown(isShown ? [...shown, uuid].slice(-MAX_TILES) : shown.filter((each) => each !== uuid))
          }
        />
        {cut === null || !isOperator ? (
          <EventList
            cameras={laneCameras}
            range={listRange}
            timeZone={timeZone}
            onJump={jump}
            hasVideo={hasVideo}
            toRecording={
              may('admin') &&
              uuids[0] !== undefined && <a href={cameraPlace(uuids[0])}>{t('Set up recording')}</a>
            }
            isRecorded={isAnyRecorded(recorded)}
            chosenKey={chosen === null ? null : keyOf(chosen)}
            onDelete={isOperator ? (event) => setOpened({ kind: 'delete', event }) : null}
          />
        ) : (
          <ClipCutter
            {...{ cut, lanes, recorded, timeZone, siteName }}
            firstTitle={about === null ? '' : eventTitle(about)}
            onCut={setCut}
            onClose={() => setCut(null)}
            onDone={() => {
              setCut(null);
              clipsReading.refresh();
            }}
          />
        )}
      </div>
      {(clips.length > 0 || isOperator) && (
        <section class="timeline-clips" aria-label={t('Clips')}>
          <h2>{t('Clips')}</h2>
          {clips.length === 0 ? (
            <Notice title={t('There are no clips of these cameras')} draws="clips">
              <p>{t('A clip is a part of the recording that stays. Cut one on the timeline above.')}</p>
            </Notice>
          ) : (
            <ClipList
              clips={clips.slice(0, MAX_CLIPS)}
              {...{ names, timeZone, isOperator, holds }}
              onSeek={seek}
            />
          )}
        </section>
      )}
      <TimelineTable lanes={lanes} events={marks.events} view={view} timeZone={timeZone} onSeek={seek} />
      {opened?.kind === 'bookmark' && (
        <BookmarkDialog
          cameras={tiles}
          atMs={opened.atMs}
          timeZone={timeZone}
          onDone={() => setOpened(null)}
          onClose={() => setOpened(null)}
        />
      )}
      {opened?.kind === 'delete' && (
        <DeleteBookmarkDialog
          event={opened.event}
          onDone={() => setOpened(null)}
          onClose={() => setOpened(null)}
        />
      )}
    </div>
  );
}

/** After a jump to a day: its first recording, once that is known; null: there is none. */
function useFirstOfDay(
  day: Span | null,
  recorded: Recorded | null,
  uuids: readonly string[],
  headMs: number,
  onFound: (epochMs: number | null) => void,
): void {
  useEffect(() => {
    if (day === null || recorded === null) return;
    const { range } = recorded;
    if (range.fromMs > day.fromMs || range.toMs < Math.min(day.toMs, recorded.nowMs)) return;
    const isShown = uuids.some((uuid) => coverageAt(recorded, uuid, headMs) === 'recorded');
    const nextMs = isShown ? null : nextRecorded(recorded, uuids, day.fromMs);
    onFound(nextMs !== null && nextMs < day.toMs ? nextMs : null);
  }, [day, recorded]);
}

/** A little before and after the event; otherwise from the head. */
function firstCut(about: TimelineEvent | null, headMs: number, nowMs: number): Span {
  if (about === null) {
    return {
      fromMs: Math.round(Math.min(headMs, nowMs - FIRST_CUT_MS)),
      toMs: Math.round(Math.min(headMs + FIRST_CUT_MS, nowMs)),
    };
  }
  const { timestampMs, durationSec } = about;
  const fromMs = Math.round(timestampMs - CUT_LEAD_MS);
  const toMs = Math.round(timestampMs + (durationSec ?? 0) * 1_000 + 2 * CUT_LEAD_MS);
  return { fromMs, toMs: Math.max(fromMs + 1_000, Math.min(toMs, Math.round(nowMs))) };
}

function headTextOf(
  isLive: boolean,
  headMs: number,
  timeZone: string,
  tiles: readonly Lane[],
  recorded: Recorded | null,
): string {
  if (isLive) return t('Live');
  const cameras = tiles.map(({ uuid, name }) => {
    const coverage = COVERAGE_TEXTS[coverageAt(recorded, uuid, headMs)];
    return `${name} ${isPicturesOnly(recorded, uuid, headMs) ? t('pictures only') : coverage}`;
  });
  return [format(timeZone, 'exact', headMs), ...cameras].join(', ');
}
