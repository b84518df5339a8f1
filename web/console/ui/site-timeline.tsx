/** The cameras of one site: players in step above, lanes below, and the clips of the visible range. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { CameraItem } from '../camera-state.ts';
import { place } from '../places.ts';
import { type ReadingHandle, useReading } from '../reading.ts';
import { may } from '../session.ts';
import { StepPlayer } from '../step-player.ts';
import {
  clampView,
  format,
  isAtNow,
  lengthText,
  liveView,
  showing,
  type View,
  zoomed,
} from '../time-axis.ts';
import {
  camerasOf,
  clipSpan,
  coverageAt,
  MAX_LANES,
  nextRecorded,
  type Recorded,
  readRecorded,
  readTimelineAlerts,
  readTimelineClips,
  type Span,
  type TimelineAlert,
  type TimelineClip,
} from '../timeline-state.ts';
import { ClipCutter } from './clip-cutter.tsx';
import { ClipList } from './clip-list.tsx';
import { OutdatedNotice } from './notice.tsx';
import { PictureTile, PlayerTile } from './step-tile.tsx';
import { type Lane, TimelineLanes } from './timeline-lanes.tsx';
import { TimelineTable } from './timeline-table.tsx';
import { useNarrow } from './use-narrow.ts';

/** Maximum number of players; further cameras are images. */
const MAX_PLAYERS = 4;
const MAX_PLAYERS_NARROW = 2;
const MAX_TILES = 12;
/** The stream does not tell that a recording grows. */
const GROW_MS = 10_000;
const CLOCK_MS = 500;
const DAY_MS = 86_400_000;
/** Turns of a wheel follow each other faster: ranges in between are not read. */
const REST_MS = 150;
/** Width of a view; a shorter gap cannot be seen. */
const PIXELS = 1_500;
const FIRST_CUT_MS = 30_000;
const MAX_CLIPS = 50;
const NO_ALERTS: readonly TimelineAlert[] = [];
const NO_CLIPS: readonly TimelineClip[] = [];
const COVERAGE_TEXTS = { recorded: 'recorded', gap: 'not recorded', unknown: 'not known yet' } as const;
const RATES = [0.5, 1, 2, 4, 8];

export function SiteTimeline({
  cameras,
  firstUuid,
  timeZone,
  askedMs,
  askedSpanMs,
  siteQuery,
}: {
  readonly cameras: readonly CameraItem[];
  /** Shown first; null: the first ones. */
  readonly firstUuid: string | null;
  readonly timeZone: string;
  readonly askedMs: number | null;
  readonly askedSpanMs: number;
  readonly siteQuery: string;
}) {
  const laneCameras = useMemo(() => {
    const first = cameras.filter(({ uuid }) => uuid === firstUuid);
    return [...first, ...cameras.filter(({ uuid }) => uuid !== firstUuid)].slice(0, MAX_LANES);
  }, [cameras, firstUuid]);
  const uuids = laneCameras.map(({ uuid }) => uuid);
  const maxPlayers = useNarrow() ? MAX_PLAYERS_NARROW : MAX_PLAYERS;
  const [shown, setShown] = useState<readonly string[]>(
    firstUuid === null ? uuids.slice(0, maxPlayers) : [firstUuid],
  );
  const leadMs = useRef(0);
  const gatewayMs = () => Date.now() + leadMs.current;
  const nowMs = useNow(gatewayMs);
  const [view, setView] = useState<View>(() =>
    askedMs === null
      ? liveView(askedSpanMs, gatewayMs())
      : clampView({ startMs: askedMs - askedSpanMs / 2, spanMs: askedSpanMs }, gatewayMs()),
  );
  const range = useRested(rangeOf(view));
  const recordedReading = useReading(
    async (signal) => {
      const read = await readRecorded(
        uuids,
        range,
        Math.max(1_000, Math.round(view.spanMs / PIXELS)),
        signal,
      );
      leadMs.current = read.clockLeadMs;
      return read;
    },
    [uuids.join(), range.fromMs, range.toMs],
  );
  const alertsReading = useReading(
    (signal) => readTimelineAlerts(uuids, range, signal),
    [uuids.join(), range.fromMs, range.toMs],
    ({ entity }) => entity === 'POLICY_ALERT',
  );
  const clipsReading = useReading(
    (signal) => readTimelineClips(uuids, signal),
    [uuids.join()],
    ({ entity }) => entity === 'SAVED_CLIPS',
  );
  useGrowth(recordedReading, () => range.toMs > gatewayMs());
  const recorded = useLast(recordedReading, null);
  const alerts = useLast(alertsReading, NO_ALERTS);
  const clips = useLast(clipsReading, NO_CLIPS);
  const known = useRef<Recorded | null>(null);
  known.current = recorded;
  const player = useMemo(
    () =>
      new StepPlayer({
        nowMs: gatewayMs,
        isRecorded: (uuid, atMs) => coverageAt(known.current, uuid, atMs) !== 'gap',
        next: (all, atMs) => nextRecorded(known.current, all, atMs),
      }),
    [],
  );
  useEffect(() => {
    if (askedMs !== null) player.seek(askedMs);
    return () => player.close();
  }, [player]);
  const head = player.head.value;
  const headMs = head.kind === 'live' ? nowMs : head.atMs;
  const [cut, setCut] = useState<Span | null>(null);
  useFollowedView(head.kind === 'live', headMs, nowMs, setView);
  useAddress(
    siteQuery,
    head.kind === 'live' ? null : head.atMs,
    head.kind === 'past' && head.isPlaying,
    view.spanMs,
  );

  const lanes = useMemo(
    () => lanesOf(laneCameras, shown, recorded, alerts, clips),
    [laneCameras, shown, recorded, alerts, clips],
  );
  const names = useMemo(() => new Map(laneCameras.map(({ uuid, name }) => [uuid, name])), [laneCameras]);
  const tiles = lanes.filter(({ isShown }) => isShown);
  const isThere = (uuid: string) => head.kind === 'live' || coverageAt(recorded, uuid, headMs) !== 'gap';
  const seek = (epochMs: number, isDragging = false) => {
    player.seek(epochMs, isDragging);
    if (!isDragging) setView((before) => showing(before, epochMs, gatewayMs()));
  };
  const beginCut = () =>
    setCut({
      fromMs: Math.round(Math.min(headMs, nowMs - FIRST_CUT_MS)),
      toMs: Math.round(Math.min(headMs + FIRST_CUT_MS, nowMs)),
    });
  const onKey = keysOf({ player, view, headMs, nowMs, cut, setCut, setView, seek });
  const failed = [recordedReading, alertsReading, clipsReading].find(
    ({ state }) => state.value.kind !== 'loading' && state.value.error !== null,
  );
  const failure = failed?.state.value;

  return (
    <div class="timeline">
      {failure !== undefined && failure.kind !== 'loading' && failure.error !== null && (
        <OutdatedNotice error={failure.error} retry={failed!.refresh} />
      )}
      {cameras.length > MAX_LANES && (
        <p class="hint">
          The first {MAX_LANES} of {cameras.length} cameras. Open others from <a href={place('')}>Cameras</a>.
        </p>
      )}
      <div class={`step-tiles count-${Math.min(tiles.length, MAX_PLAYERS)}`}>
        {tiles.map(({ uuid, name }, index) =>
          index < maxPlayers ? (
            <PlayerTile key={uuid} cameraUuid={uuid} name={name} isThere={isThere(uuid)} player={player} />
          ) : (
            <PictureTile
              key={uuid}
              cameraUuid={uuid}
              name={name}
              isThere={isThere(uuid)}
              head={head}
              nowMs={nowMs}
            />
          ),
        )}
        {tiles.length === 0 && <p class="hint">Choose a camera below to see it here.</p>}
      </div>
      <div class="transport" role="group" aria-label="Playback">
        <button
          type="button"
          class="primary"
          onClick={() => player.setPlaying(head.kind === 'past' && !head.isPlaying)}
        >
          {head.kind === 'live' || head.isPlaying ? 'Pause' : 'Play'}
        </button>
        <select
          aria-label="Speed"
          value={player.rate.value}
          onChange={({ currentTarget }) => {
            player.rate.value = Number(currentTarget.value);
          }}
        >
          {RATES.map((rate) => (
            <option key={rate} value={rate}>
              {rate}×
            </option>
          ))}
        </select>
        <button
          type="button"
          aria-pressed={head.kind === 'live'}
          onClick={() => {
            player.live();
            setView(liveView(view.spanMs, gatewayMs()));
          }}
        >
          Live
        </button>
        <p class="transport-time">
          <b>{head.kind === 'live' ? 'Live' : format(timeZone, 'exact', headMs)}</b>{' '}
          <span class="hint">{timeZone}</span>
        </p>
        <div class="transport-zoom">
          <button type="button" aria-label="Zoom out" onClick={() => setView(zoomed(view, 2, headMs, nowMs))}>
            −
          </button>
          <span class="hint">{lengthText(view.spanMs)}</span>
          <button
            type="button"
            aria-label="Zoom in"
            onClick={() => setView(zoomed(view, 0.5, headMs, nowMs))}
          >
            +
          </button>
        </div>
        {may('operator') && (
          <button type="button" onClick={beginCut}>
            Cut a clip
          </button>
        )}
      </div>
      <TimelineLanes
        {...{
          lanes,
          view,
          nowMs,
          headMs,
          timeZone,
          cut,
          onKey,
          onCut: setCut,
          onView: setView,
          onSeek: seek,
        }}
        headText={headTextOf(head.kind === 'live', headMs, timeZone, tiles, recorded)}
        onShown={(uuid, isShown) =>
          setShown(isShown ? [...shown, uuid].slice(-MAX_TILES) : shown.filter((each) => each !== uuid))
        }
      />
      <p class="hint lanes-legend">
        <span class="of-recorded">Recorded</span> <span class="of-gap">Not recorded</span>{' '}
        <span class="of-alert">Alert</span> <span class="of-clip">Clip</span>
        {recorded !== null && !recorded.isExact && (
          <b> Gaps of less than an hour may be missing at this zoom.</b>
        )}
      </p>
      {cut !== null && may('operator') && (
        <ClipCutter
          {...{ cut, lanes, recorded, timeZone, onCut: setCut }}
          onClose={() => setCut(null)}
          onOrdered={() => {
            setCut(null);
            clipsReading.refresh();
          }}
        />
      )}
      {clips.length > 0 && (
        <section class="timeline-clips" aria-label="Clips">
          <h2>Clips</h2>
          <ClipList
            clips={clips.slice(0, MAX_CLIPS)}
            {...{ names, timeZone, isOperator: may('operator') }}
            onSeek={seek}
          />
        </section>
      )}
      <TimelineTable lanes={lanes} alerts={alerts} view={view} timeZone={timeZone} onSeek={seek} />
    </div>
  );
}

function useNow(gatewayMs: () => number): number {
  const [nowMs, setNowMs] = useState(gatewayMs);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(gatewayMs()), CLOCK_MS);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}

/** The range to read for a view: wider than the view, and the same for nearby views. At most 32 days. */
function rangeOf({ startMs, spanMs }: View): Span {
  const stepMs = Math.min(2 ** Math.floor(Math.log2(spanMs)), DAY_MS);
  const fromMs = Math.floor(startMs / stepMs) * stepMs;
  return { fromMs, toMs: fromMs + Math.ceil(spanMs / stepMs + 1) * stepMs };
}

/** The range once it stops changing; the first one immediately. */
function useRested(range: Span): Span {
  const [rested, setRested] = useState(range);
  useEffect(() => {
    if (rested.fromMs === range.fromMs && rested.toMs === range.toMs) return;
    const timer = setTimeout(() => setRested(range), REST_MS);
    return () => clearTimeout(timer);
  }, [range.fromMs, range.toMs, rested]);
  return rested;
}

function useGrowth(reading: ReadingHandle<Recorded>, isGrowing: () => boolean): void {
  const newest = useRef({ reading, isGrowing });
  newest.current = { reading, isGrowing };
  useEffect(() => {
    const timer = setInterval(() => {
      const { reading: now, isGrowing: mayGrow } = newest.current;
      if (document.visibilityState === 'visible' && mayGrow()) now.refresh();
    }, GROW_MS);
    return () => clearInterval(timer);
  }, []);
}

/** The last value that was read, also while another range is being read. */
function useLast<Value, None>(reading: ReadingHandle<Value>, none: None): Value | None {
  const last = useRef<Value | None>(none);
  const state = reading.state.value;
  if (state.kind === 'read') last.current = state.value;
  return last.current;
}

/** The view goes with the head if that leaves it, and with now while it is at its edge. */
function useFollowedView(
  isLive: boolean,
  headMs: number,
  nowMs: number,
  setView: (change: (before: View) => View) => void,
): void {
  const sawMs = useRef(nowMs);
  useEffect(() => {
    const before = sawMs.current;
    sawMs.current = nowMs;
    if (isLive) setView((view) => (isAtNow(view, before) ? liveView(view.spanMs, nowMs) : view));
  }, [isLive, nowMs]);
  const followedMs = useRef(headMs);
  useEffect(() => {
    const before = followedMs.current;
    followedMs.current = headMs;
    if (isLive) return;
    setView((view) => {
      const end = view.startMs + view.spanMs;
      return before <= end && headMs > end ? showing(view, headMs, nowMs) : view;
    });
  }, [isLive, headMs]);
}

/** The address leads back to the visible range. */
function useAddress(siteQuery: string, atMs: number | null, isPlaying: boolean, spanMs: number): void {
  useEffect(() => {
    if (isPlaying) return;
    const timer = setTimeout(() => {
      const at = atMs === null ? '' : `&at=${Math.round(atMs)}`;
      history.replaceState(
        history.state,
        '',
        `${place('timeline')}?${siteQuery}${at}&span=${Math.round(spanMs)}`,
      );
    }, CLOCK_MS);
    return () => clearTimeout(timer);
  }, [siteQuery, atMs, isPlaying, spanMs]);
}

function lanesOf(
  cameras: readonly CameraItem[],
  shown: readonly string[],
  recorded: Recorded | null,
  alerts: readonly TimelineAlert[],
  clips: readonly TimelineClip[],
): Lane[] {
  return cameras.map(({ uuid, name }) => ({
    uuid,
    name,
    isShown: shown.includes(uuid),
    spans: recorded?.byCamera.get(uuid) ?? [],
    alertsMs: alerts.filter(({ deviceUuid }) => deviceUuid === uuid).map(({ timestampMs }) => timestampMs),
    clips: clips.filter((clip) => camerasOf(clip).includes(uuid)).map(clipSpan),
  }));
}

function headTextOf(
  isLive: boolean,
  headMs: number,
  timeZone: string,
  tiles: readonly Lane[],
  recorded: Recorded | null,
): string {
  if (isLive) return 'Live';
  const cameras = tiles.map(
    ({ uuid, name }) => `${name} ${COVERAGE_TEXTS[coverageAt(recorded, uuid, headMs)]}`,
  );
  return [format(timeZone, 'exact', headMs), ...cameras].join(', ');
}

interface KeyParts {
  readonly player: StepPlayer;
  readonly view: View;
  readonly headMs: number;
  readonly nowMs: number;
  readonly cut: Span | null;
  readonly setCut: (cut: Span) => void;
  readonly setView: (view: View) => void;
  readonly seek: (epochMs: number) => void;
}

function keysOf(parts: KeyParts): (event: KeyboardEvent) => void {
  const { player, view, headMs, nowMs, cut, setView, seek } = parts;
  const stepMs = Math.max(1_000, view.spanMs / 100);
  const setCut = (cut: Span) => {
    if (may('operator')) parts.setCut(cut);
  };
  const keys: Readonly<Record<string, (isWide: boolean) => void>> = {
    ArrowLeft: (isWide) => seek(headMs - stepMs * (isWide ? 10 : 1)),
    ArrowRight: (isWide) => seek(headMs + stepMs * (isWide ? 10 : 1)),
    PageDown: () => seek(headMs - view.spanMs),
    PageUp: () => seek(headMs + view.spanMs),
    Home: () => seek(view.startMs),
    End: () => {
      player.live();
      setView(liveView(view.spanMs, nowMs));
    },
    '+': () => setView(zoomed(view, 0.5, headMs, nowMs)),
    '=': () => setView(zoomed(view, 0.5, headMs, nowMs)),
    '-': () => setView(zoomed(view, 2, headMs, nowMs)),
    '[': () =>
      setCut({ fromMs: Math.round(headMs), toMs: Math.max(cut?.toMs ?? 0, Math.round(headMs) + 1_000) }),
    ']': () =>
      setCut({
        fromMs: Math.min(cut?.fromMs ?? headMs, Math.round(headMs) - 1_000),
        toMs: Math.round(headMs),
      }),
    ' ': () => {
      const head = player.head.value;
      player.setPlaying(head.kind === 'past' && !head.isPlaying);
    },
  };
  return (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act(event.shiftKey);
  };
}
